"""A large collection: a million answers of Spot The Bot on 30 bots analysed, and checked, in processes of their own.

Conversations and units are those of `bench_packing`, every unit done by two annotators; answers follow a seed.
"""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench_packing import make_study
from tests.bench.run import Row, alone, exponent

BOTS = 30
SHARES = (0.05, 0.5)
"""Of the units, in turn."""
SECONDS, MEBIBYTES, CHECKING = 120.0, 2048.0, 300.0
"""Limits of the analysis, and of the memory of the check."""


def answer(folder: Path, share: float) -> int:
    """Write the answers to this share of the units; return how many rows they are."""
    from parlai_spotbot import checksums
    from parlai_spotbot.records import Judgement, indexed
    from parlai_spotbot.study import Study

    study, rng = Study.open(folder), random.Random(0)
    talks = indexed(study.conversations())
    units = study.units("spot_the_bot")
    rows = []
    for number, unit in enumerate(units[: round(share * len(units))]):
        for worker in (f"w{number % 499}", f"v{number % 497}"):
            for item in unit.items:
                name, (talk,) = f"{worker}/{unit.unit_id}/{item.item_id}", item.conversation_ids
                about = (name, "spot_the_bot", unit.unit_id, item.item_id, item.conversation_ids, item.exchanges)
                given = [(f"entity:{side}", "nature", _nature(talks[talk].entities[side], rng)) for side in (0, 1)]
                for feature in ("fluency", "sensibleness", "specificity"):
                    given.append(("pair", feature, rng.choice(["entity:0", "entity:1", "no_difference"])))
                for target, question, said in given:
                    one = (f"{name}/{target}/{question}", *about, target, question, said, worker, "human")
                    rows.append(Judgement(*one, seconds=30.0))
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), rows)
    return len(rows)


def _nature(name: str, rng: random.Random) -> str:
    """Return what an annotator says of a contestant, who is found out the more often the later its number."""
    spotted = 0.1
    if name != "human":
        spotted = 0.3 + 0.02 * int(name.removeprefix("bot"))
    return rng.choices(["bot", "unsure", "human"], [spotted, 0.2, 0.8 - spotted + 0.1])[0]


def run() -> Iterator[Row]:
    sizes, seconds = [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "study"
        make_study(folder, BOTS)
        alone("tests.bench.command", "pack", "--study", str(folder))
        for share in SHARES:
            sizes.append(answer(folder, share))
            spent, held = alone("tests.bench.command", "analyze", "--study", str(folder))
            seconds.append(spent)
            yield Row(f"analyze {sizes[-1]:,} answers, {BOTS} bots", spent, SECONDS, "limit", "CPU s")
        yield Row(f"analyze {sizes[-1]:,} answers, memory", held, MEBIBYTES, "limit", "MiB")
        yield exponent("analyze answers", sizes, seconds, 1.05)
        _, held = alone("tests.bench.command", "check", str(folder))
        yield Row(f"check of {sizes[-1]:,} answers, memory", held, CHECKING, "limit", "MiB")
