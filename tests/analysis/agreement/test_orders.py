"""Kendall's tau-b and Spearman's rho against SciPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau, spearmanr

from parlai_spotbot.analysis.agreement import kendall, order_agreements, spearman


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_both_are_scipys_with_ties_too(rows):
    x, y = np.array(rows, dtype=float).T
    for ours, theirs in ((kendall, kendalltau), (spearman, spearmanr)):
        if len(set(x)) < 2 or len(set(y)) < 2:
            assert np.isnan(ours(x, y))
        else:
            assert ours(x, y) == pytest.approx(theirs(x, y).statistic, abs=1e-12)


def test_many_orders_at_once():
    first, second = np.random.default_rng(1).normal(size=(2, 4, 5, 9))
    for ours, theirs in ((kendall, kendalltau), (spearman, spearmanr)):
        found = ours(first, second)
        assert found.shape == (4, 5)
        assert found[2, 3] == pytest.approx(theirs(first[2, 3], second[2, 3]).statistic)


def test_what_has_no_order_has_no_correlation():
    x = np.arange(4.0)
    for of in (kendall, spearman):
        assert np.isnan(of(x, np.ones(4)))
        assert np.isnan(of(x, np.array([1.0, 2.0, np.nan, 3.0])))
        assert of(x, x + 1e-15) == pytest.approx(1)
        assert np.isnan(of(x, 1 + 1e-15 * x))  # rounding errors are ties


def test_orders_are_compared_by_criterion_among_the_bots_that_both_ranked():
    few = {"a": 1.0, "b": 2.0}
    one = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "human": 5.0}
    rankings = [("one", "", one), ("two", "", {"c": 0.3, "a": 0.9, "b": 0.5, "human": 0.1}), ("three", "", few)]
    rankings += [("one", "quality", {**few, "c": 3.0}), ("two", "quality", {"a": 3.0, "b": 2.0, "c": 1.0})]
    rows = order_agreements(rankings)
    found = [(row["criterion"], row["first"], row["second"], row["n"], row["tau"]) for row in rows]
    assert found == [("", "one", "two", 3, 1.0), ("quality", "one", "two", 3, -1.0)]
