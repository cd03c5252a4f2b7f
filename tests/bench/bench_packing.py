"""Packing a large study: 10,002 units of segments, CPU time with start-up, in a process of its own.

25,005 conversations of six bots and 8,535 of people, of five exchanges, their texts made up by a seed.
"""

import itertools
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.bench.run import Row, exponent

SPOTBOT = Path(sys.executable).parent / "spotbot"
BOTS, PEOPLE = 25_005, 8_535
UNITS = 10_002
EACH = (40, 160)
"""Conversations of each two of 16 bots."""
TEXT = "harbour boats sails rain umbrella today nobody had told us we went past it while near home"


def make_study(folder: Path, bots: int = 6) -> None:
    """A study with these conversations of so many bots; a seed is shared by all pairs of bots."""
    from parlai_spotbot import checksums
    from parlai_spotbot.records import HUMAN, Contestant, Conversation, Turn
    from parlai_spotbot.study import Study
    from parlai_spotbot.study_plan import Plan

    rng = random.Random(1)
    names = [f"bot{number}" for number in range(bots)]
    pairs = list(itertools.combinations(names, 2))

    def say(words: int) -> str:
        return " ".join(rng.choices(TEXT.split(), k=words)).capitalize() + "."

    def talk(number: int, entities: tuple[str, str], seed: str) -> Conversation:
        turns = [Turn(HUMAN, say(7)), Turn(HUMAN, say(7))]
        turns += [Turn(entities[place % 2], say(rng.randint(3, 18))) for place in range(10)]
        pair = tuple(sorted(entities))
        return Conversation(f"c{number:06}", "invented", pair, number, entities, tuple(turns), 1, seed)

    rows = []
    for n in range(BOTS):
        shown = n // len(pairs)
        rows.append(talk(n, pairs[n % len(pairs)][:: 1 if shown % 2 else -1], f"s{shown}"))
    rows += [talk(n, (HUMAN, HUMAN), f"h{n}") for n in range(BOTS, BOTS + PEOPLE)]
    entries = {name: Contestant(name, model="spotbot:eliza") for name in names}
    study = Study.create(folder, Plan("invented", entries))
    checksums.write_jsonl(study.conversations_path, rows)


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "study"
        make_study(folder)
        before = os.times()
        command = [SPOTBOT, "pack", "--study", folder, "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        written = (folder / "surveys" / "spot_the_bot" / "units.jsonl").read_bytes().count(b"\n")
        assert written == UNITS, written
        yield Row("packing 10,002 units", spent, 10, "limit", "CPU s")
        yield from _seeds_in_common()
        for what, limit in (("first start", 5), ("start again", 3)):
            yield Row(f"operator of 10,002 units, {what}", _started(folder), limit, "limit", "CPU s")


def _seeds_in_common() -> Iterator[Row]:
    """Where all pairs of 16 bots share seeds, units are as few as these allow; the time of two sizes of others."""
    from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
    from tests.crowdsourcing.crowdsource_process import talk

    options = PackOptions("spot_the_bot", (2, 3, 5), 20, 0, 2)
    pairs = list(itertools.combinations([f"bot{number}" for number in range(16)], 2))
    talks = [replace(talk(n, pair), seed_id=f"s{n}") for pair in pairs for n in range(4)]
    least = max(len(talks) / 20, len(pairs)) * 6
    yield Row("units of 16 bots that share seeds", len(pack(talks, options)), least, "least for one seed once", "units")
    seconds = []
    for each in EACH:
        talks = [talk(n, pair) for pair in pairs for n in range(each)]
        start = time.process_time()
        pack(talks, options)
        seconds.append(time.process_time() - start)
    yield exponent("packing by conversations", EACH, seconds, 1.2)


def _started(folder: Path) -> float:
    """CPU seconds until annotators can come."""
    from parlai_spotbot.study import Study
    from tests.crowdsourcing.crowdsource_process import CrowdsourceProcess

    with CrowdsourceProcess(Study.open(folder), annotators=20, minutes=60) as operated:
        times = operated.process.cpu_times()
        return times.user + times.system
