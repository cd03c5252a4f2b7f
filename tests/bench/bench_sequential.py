"""Serving until settled: the answers that it takes beside a fixed study's, and the time of a draw.

The answers that decide as many pairs as a fixed study of 10 bots, 80 answers a pair, that is analysed by contrasts;
answers by the generator of the tests (`tests/sequential/simulated.py`), a look after every annotator.
"""

import time
from collections.abc import Iterator

import numpy as np

from parlai_spotbot.sequential.betting import bets
from parlai_spotbot.sequential.evidence import Rules, begin
from tests.bench.run import Row
from tests.sequential.simulated import Crowd, cost, judged, strengths

STUDIES, BOTS, EACH = 60, 10, 80
LIMITS = {20: 0.02, 200: 0.05}
"""CPU seconds of a draw and of counting an annotator's answers, by the number of bots."""


def run() -> Iterator[Row]:
    for spread in (1.2, 0.8, 0.4):
        took = cost(strengths(spread, STUDIES, BOTS), EACH * BOTS * (BOTS - 1) // 2, Crowd(), 3)
        yield Row(f"answers, strengths spread by {spread} logits", took, 1.0, "fixed study", "fixed studies")
    for size, limit in LIMITS.items():
        yield Row(f"draw and count, {size} bots", slowest(size, 2_000 // size), limit, "limit", "s")


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
