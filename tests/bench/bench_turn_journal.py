"""What it costs that every turn is on disk before it is used: self-play with its journal of turns and without.

Both are played in turns here, by instant bots in processes of their own: nothing is quicker, so the journal's share is
nowhere larger. The first row compares the fastest rounds of each; other work on the machine slows single rounds down.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from run import Row

ROUNDS = 20
PER_PAIR = 200


class InMemory:
    """The journal's interface without a file."""

    mended = 0

    def __init__(self, path: Path, jobs: object, contestants: object):
        self.path, self.kept = path, {}

    def add(self, turns: object) -> None: ...
    def sync(self) -> None: ...
    def forget(self, jobs: object) -> None: ...

    def turns_of(self, job: object) -> list[str]:
        return []

    def __enter__(self) -> InMemory:
        return self

    def __exit__(self, *exc: object) -> None: ...


def run() -> Iterator[Row]:
    from parlai_spotbot.records import Contestant
    from parlai_spotbot.selfplay import runner
    from parlai_spotbot.selfplay.contestants import Contestants
    from parlai_spotbot.selfplay.schedule import Seed, schedule
    from parlai_spotbot.study import Study
    from parlai_spotbot.study_plan import Plan

    sys.path.insert(0, str(Path(__file__).parents[1] / "selfplay"))
    seeds = [Seed(f"s{i}", (f"opening {i}", f"answer {i}")) for i in range(PER_PAIR)]
    bots = {name: Contestant(name, model="faulty_agents:CountingAgent") for name in ("one", "two", "three")}
    plan = Plan("made-up", bots, conversations_per_pair=PER_PAIR)
    jobs, _ = schedule([plan], seeds)
    turns = 2 * plan.exchanges * len(jobs)
    paces: dict[type, list[float]] = {runner.TurnJournal: [], InMemory: []}
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for number in range(ROUNDS + 1):
            journals = list(paces)[:: 1 if number % 2 else -1]  # whoever is second finds warmer caches
            for journal in journals:
                study = Study.create(Path(folder) / f"{journal.__name__}{number}", plan)
                with (
                    mock.patch.object(runner, "TurnJournal", journal),
                    Contestants(bots, study.path / "logs", threads=1) as contestants,
                ):
                    contestants.load()
                    start = time.perf_counter()
                    runner.Runner(study, plan, contestants, progress=False).run(runner.missing_groups(jobs, ()))
                    if number:  # the first of each warms up
                        paces[journal].append(turns / (time.perf_counter() - start))
    with_it, without = (max(own) for own in paces.values())
    yield Row("instant bots, each turn in the journal", with_it, without, "turns in memory only", "turns/s")
    pairs = [ours / peer for ours, peer in zip(*paces.values(), strict=True)]
    yield Row("the same, median over rounds", statistics.median(pairs), 1.0, "in memory", "of the pace")
