"""A study of fixed size that somebody looked at: what counts keeps its level, however often that was."""

import numpy as np
import pytest
from scipy.stats import norm

from parlai_spotbot.sequential.looked import spent_level
from tests.sequential.simulated import LARGE, LEVEL, Crowd, packed, pairs_tested, strengths

ALPHA = 1 - LEVEL

BOUNDS = [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]
"""At five looks at equal steps (Reboussin, DeMets, Kim & Lan 2000, Controlled Clinical Trials 21)."""


def test_bounds_are_those_of_the_literature():
    levels = [spent_level(range(20, 20 * looks + 1, 20), [100] * looks, 0.05) for looks in range(1, 6)]
    assert norm.isf(np.array(levels) / 2) == pytest.approx(BOUNDS, abs=1e-3)


def test_one_look_at_the_end_costs_nothing_and_many_cost_half():
    assert spent_level([7], [7], 0.05) == pytest.approx(0.05, abs=1e-5)
    assert spent_level([1, 10_000], [10_000] * 2, 0.05) == pytest.approx(0.05, abs=1e-3)
    assert 0.025 <= spent_level(range(1, 201), [200] * 200, 0.05) <= 0.03


def test_what_was_spent_on_a_smaller_plan_is_gone():
    begun = spent_level([90, 100], [100, 300], 0.05)
    assert begun < 1e-12  # all that may be spent so far is spent
    assert begun < spent_level([90, 100, 300], [100, 300, 300], 0.05) < spent_level([100, 300], [300] * 2, 0.05)


def found_at_looks(true, crowd, looks, answers=480, seed=3):
    """Return of each study and pair at which look it was told apart first, or 0 without, (S, pairs)."""
    rng, levels = np.random.default_rng(seed), []
    counts = [answers * look // looks for look in range(1, looks + 1)]
    for n in range(1, looks + 1):
        levels.append(spent_level(counts[:n], [answers] * n, ALPHA))
    found = []
    for one in true:
        study = packed(rng, one[None], answers, crowd, 2)
        apart = [pairs_tested(study, count) < level for count, level in zip(counts, levels, strict=True)]
        found.append(np.any(apart, axis=0))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [2, 8])
@pytest.mark.parametrize("crowd", [Crowd(), LARGE], ids=["as in the paper", "three times"])
def test_looks_find_no_false_winner(crowd, looks):
    """Two annotators a conversation, answers in the order of time; stops at the first look that tells a pair apart."""
    found = found_at_looks(np.zeros((400, 4)), crowd, looks)
    assert found.any(1).mean() <= ALPHA + 2 * np.sqrt(ALPHA * LEVEL / len(found))


@pytest.mark.slow
def test_looks_cost_few_verdicts():
    true = strengths(1.2, 40, 4)
    assert found_at_looks(true, Crowd(), 4).mean() >= 0.95 * found_at_looks(true, Crowd(), 1).mean()
