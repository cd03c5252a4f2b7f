"""Serving until settled: the answers that it takes beside a fixed study's, the time of a draw, and of a restart.

The answers that decide as many pairs as a fixed study of 10 bots, 80 answers a pair, that is analysed by contrasts;
answers by the generator of the tests (`tests/sequential/simulated.py`), a look after every annotator.
"""

import itertools
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from parlai_spotbot.records import HUMAN, Conversation, Item, Unit, Utterance
from parlai_spotbot.sequential.betting import bets
from parlai_spotbot.sequential.course import Course
from parlai_spotbot.sequential.evidence import Rules, begin
from parlai_spotbot.sequential.kept import Keeper
from parlai_spotbot.sequential.points import Points
from parlai_spotbot.sequential.registration import Registration
from tests.bench.run import Row, exponent
from tests.sequential.simulated import Crowd, cost, judged, strengths

STUDIES, BOTS, EACH = 60, 10, 80
LIMITS = {20: 0.004, 200: 0.05}
"""CPU seconds of a draw and of counting an annotator's answers, by the number of bots."""
UNITS = (200, 800)
"""Units of five comparisons that a restart draws again."""
KEPT = (1_000, 10_000)
"""Units of which a restart takes over the state that was kept."""


def run() -> Iterator[Row]:
    for spread in (1.2, 0.8, 0.4):
        took = cost(strengths(spread, STUDIES, BOTS), EACH * BOTS * (BOTS - 1) // 2, Crowd(), 3)
        yield Row(f"answers, strengths spread by {spread} logits", took, 1.0, "fixed study", "fixed studies")
    with threadpool_limits(1):  # a thread that waits counts as one that works
        seconds = [slowest(size, 2_000 // size) for size in LIMITS]
    for (size, limit), spent in zip(LIMITS.items(), seconds, strict=True):
        yield Row(f"draw and count, {size} bots", spent, limit, "limit", "s")
    yield exponent("draw and count, by bots", list(LIMITS), seconds, 2.0)
    seconds = [replayed(units) for units in UNITS]
    yield Row(f"restart of 20 bots after {UNITS[-1]:,} units", seconds[-1], 5.0, "limit", "CPU s")
    yield exponent("restart, by units", UNITS, seconds, 1.2)
    seconds = [replayed(units, keep=True) for units in KEPT]
    yield Row(f"restart of 20 bots, state kept, {KEPT[-1]:,} units", seconds[-1], 5.0, "limit", "CPU s")
    yield exponent("restart from a state, by units", KEPT, seconds, 1.2)


def slowest(size: int, annotators: int) -> float:
    """Return the median of the CPU seconds that an annotator of 10 items takes."""
    rules, evidence, rng, spent = Rules(0.05, 0.05, 10_000), begin(size), np.random.default_rng(0), []
    upper = np.triu_indices(size, 1)
    for _ in range(annotators):
        start = time.process_time()
        placed = bets(evidence, rules)
        drawn = rng.choice(len(upper[0]), 10, p=placed.chance[upper] / placed.chance[upper].sum())
        evidence = judged(evidence, placed, rules, upper[0][drawn], upper[1][drawn], rng.choice([0, 0.5, 1], 10))
        spent.append(time.process_time() - start)
    return float(np.median(spent))


def replayed(number: int, keep: bool = False) -> float:
    """Return the CPU seconds in which a collection of 20 bots that all are equal gets where it stood.

    Its state is kept now and then, or never.
    """
    names = tuple(f"bot{place:02}" for place in range(20))
    talks = {
        f"{a}:{b}:{n}": Conversation(f"{a}:{b}:{n}", "invented", (a, b), n, (a, b), (), seed_id=f"{a}{b}{n}")
        for a, b in itertools.combinations((*names, HUMAN), 2)
        for n in range(number // 20)
    }
    pool = [Item(name, (name,), 2, ((Utterance(0, "hello"), Utterance(1, "hello")),)) for name in talks]
    plan = Registration("spot_the_bot", "nature", "human", names, 0.95, 0.0, 5 * number, 5, 0.0, 1, "", "")
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "state"

        def course_of(units: Sequence[Unit], done: Mapping[str, Points]) -> Course:
            return Course(plan, pool, talks, units, done, keeper=Keeper(path) if keep else None)

        units, done = [], {}
        course = course_of(units, done)
        while len(units) < number and (unit := course.draw()):
            course.keep()
            units.append(unit)
            done[unit.unit_id] = {item: 0.5 for item, _, _ in course.blocks[unit.unit_id].pairs}
            course.close(unit.unit_id, done[unit.unit_id])
        assert len(units) == number, course.ended
        start = time.process_time()
        again = course_of(units, done)
        spent = time.process_time() - start
    assert again.path == course.path
    return spent
