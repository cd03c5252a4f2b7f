"""False verdicts, power and coverage of every kind of study in `simulated_verdicts`, at length and in short."""

import numpy as np
import pytest
from simulated_verdicts import CELLS, LEVEL, cell_of, measure

STUDIES = 1000

QUICK = """
6 bots, 20 x 2, 25 annotators
4 bots, 10 x 3, 5 annotators, tastes .7
3 bots, 1 conversation x 20
2 bots, 2 conversations x 100
2 bots, 2 prompts x 60
2 bots, copies of 3 texts
2 bots, one always first
4 bots, one always first
45 prompts x 3, .08 decide
20 annotators x 6, .08 decide
1 annotator of 21 decides
ratings, 4 bots, 20 x 3, 25 annotators
ratings, 3 bots, 1 conversation
ratings, 4 bots, 2 conversations
shares, 4 bots, 3 annotators
"""


def check(name, studies, errors):
    """Assert what the cell promises, give or take so many standard errors."""
    cell = cell_of(*CELLS[name])
    measured = measure(cell, studies)
    print(f"{name}\n{measured}")
    assert measured["false"]["value"] <= LEVEL + errors * np.sqrt(LEVEL * (1 - LEVEL) / studies)
    power, cover = measured["power"], measured["cover"]
    if cell.power:
        assert power["value"] >= cell.power - errors * power["error"]
    if np.isfinite(cover["value"]):
        assert cell.cover[0] - errors * cover["error"] <= cover["value"] <= cell.cover[1] + errors * cover["error"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CELLS)
def test_verdicts(name):
    check(name, STUDIES, errors=2)


@pytest.mark.parametrize("name", QUICK.strip().splitlines())
def test_verdicts_of_few_studies(name):
    check(name, studies=60, errors=3)
