"""Kendall's tau-b against SciPy."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau

from parlai_spotbot.analysis.agreement import kendall, order_agreements


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_tau_is_scipys_with_ties_too(rows):
    x, y = np.array(rows, dtype=float).T
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert np.isnan(kendall(x, y))
    else:
        assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_many_orders_at_once_and_what_has_no_order():
    first, second = np.random.default_rng(1).normal(size=(2, 4, 5, 9))
    assert kendall(first, second)[2, 3] == pytest.approx(kendalltau(first[2, 3], second[2, 3]).statistic)
    x = np.arange(4.0)
    for other in (np.ones(4), np.array([1.0, 2.0, np.nan, 3.0]), 1 + 1e-15 * x):  # rounding errors are ties
        assert np.isnan(kendall(x, other))


def test_orders_are_compared_by_criterion_among_the_bots_that_both_ranked():
    few = {"a": 1.0, "b": 2.0}
    one = {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "human": 5.0}
    rankings = [("one", "", one), ("two", "", {"c": 0.3, "a": 0.9, "b": 0.5, "human": 0.1}), ("three", "", few)]
    rankings += [("one", "quality", {**few, "c": 3.0}), ("two", "quality", {"a": 3.0, "b": 2.0, "c": 1.0})]
    rows = order_agreements(rankings)
    found = [(row["criterion"], row["first"], row["second"], row["n"], row["tau"]) for row in rows]
    assert found == [("", "one", "two", 3, 1.0), ("quality", "one", "two", 3, -1.0)]
