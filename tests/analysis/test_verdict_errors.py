"""False verdicts, power and coverage of every kind of study in `simulated_verdicts`, at length and in short."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.verdict.probe import EQUAL
from parlai_spotbot.analysis.verdict.verdict import verdict_of_matches
from tests.analysis.made_up_studies import MAKERS
from tests.analysis.simulated_verdicts import CELLS, LEVEL, cell_of, measure

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


def false_equals(studies):
    """The share of studies of two equal bots beside two others, as far off as the margin, in which one of the first is
    called equal to one of the others."""
    design = MAKERS["study"](90, 3, 40, 4)
    theta = np.array([0.15, 0.15, -0.15, -0.15])
    names = [f"b{place}" for place in range(4)]
    strengths = design.strengths(theta)
    margin = expit(strengths[0] - strengths[2]) - 0.5
    wrong, found = 0, 0
    for seed in range(studies):
        rows = design.make(np.random.default_rng([seed, 8]), theta)
        pairs = verdict_of_matches(contrasts(rows, names), [], pd.DataFrame(), [], margin).pairs
        equal = (pairs["verdict"] == EQUAL).to_numpy()
        cross = pairs["a"].isin(["b0", "b1"]).to_numpy() & pairs["b"].isin(["b2", "b3"]).to_numpy()
        wrong += bool((equal & cross).any())
        found += bool((equal & ~cross).any())
    print(f"margin {margin:.3f}: wrong {wrong / studies:.3f}, found {found / studies:.3f}")
    return wrong / studies


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_equal_within_a_margin_is_seldom_said_of_others():
    assert false_equals(STUDIES) <= LEVEL + 2 * np.sqrt(LEVEL * (1 - LEVEL) / STUDIES)


def test_equal_within_a_margin_in_few_studies():
    assert false_equals(60) <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / 60)
