"""Accuracy against the number of candidates: against all draws, a simulation, exact fractions of large numbers."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.nuc import Ranks, curve, ranks_of, recall_at


def _ranks(greater, equal, n):
    return Ranks(*(np.array([value]) for value in (greater, equal, n)))


@given(row=st.lists(st.integers(0, 2), min_size=3, max_size=7), data=st.data())
@settings(deadline=None)
def test_it_is_the_mean_over_all_draws(row, data):
    n = data.draw(st.integers(2, len(row)))
    scores = np.array(row, dtype=float)  # the true one is the first
    found = recall_at(ranks_of([scores], [0]), n)[0]
    drawn = [ranks_of([scores[[0, *rest]]], [0]).recall(1)[0] for rest in combinations(range(1, len(row)), n - 1)]
    assert found == pytest.approx(np.mean(drawn), abs=1e-12)


@pytest.mark.parametrize("n", [2, 7, 100, 5000])
def test_a_constant_scorer_is_at_chance_whatever_the_number(n):
    ranks = _ranks(0, 999_999, 1_000_000)
    np.testing.assert_allclose(recall_at(ranks, n), 1 / n, rtol=1e-6)


@pytest.mark.parametrize(
    ("greater", "equal", "n", "m"),
    [(3, 2, 1000, 10), (0, 1500, 20_000, 500), (40, 1200, 5000, 99), (9, 0, 10**5, 10**4), (5, 1500, 4000, 3)],
)
def test_large_numbers_stay_exact(greater, equal, n, m):
    """Against whole numbers of any size: the mean over the places among ties of C(N-1-g-j, m) / C(N-1, m)."""
    top = sum(comb(n - 1 - greater - j, m) for j in range(equal + 1)) if equal else comb(n - 1 - greater, m)
    exact = Fraction(top, comb(n - 1, m) * (equal + 1))
    assert recall_at(_ranks(greater, equal, n), m + 1)[0] == pytest.approx(float(exact), rel=1e-6)


def test_the_curve_falls_and_ends_where_all_are_candidates():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(60, 60))
    scores[:, 0] += 1.5
    ranks = ranks_of(scores, np.zeros(60, dtype=int))
    points = curve(ranks, np.arange(60) // 3)
    estimates = [point["estimate"] for point in points]
    assert [point["candidates"] for point in points] == [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 60]
    assert estimates == sorted(estimates, reverse=True)
    assert estimates[-1] == pytest.approx(ranks.recall(1).mean())
    assert (points[0]["chance"], points[0]["n"]) == (0.5, 60)
    with pytest.raises(ValueError, match="n=61"):
        recall_at(ranks, 61)
