"""Agreement of the orders of several methods on the same contestants."""

import numpy as np
import pytest

from parlai_spotbot.analysis.side_by_side import MethodRanking, agreements
from parlai_spotbot.analysis.study_comparison import Scores

RNG = np.random.default_rng


def ranking(method, scores, se=0.01, criterion=""):
    names = tuple(scores)

    def of(chosen):
        kept = [name for name in names if name in chosen]
        return Scores(tuple(kept), np.array([scores[n] for n in kept]), np.full(len(kept), se), False)

    return MethodRanking(method, criterion, names, of)


def test_orders_are_compared_among_the_contestants_that_both_judged():
    one = ranking("one", {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0, "human": 5.0})
    same = ranking("two", {"c": 0.3, "a": 0.9, "b": 0.5, "human": 0.1})
    turned = ranking("three", {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4})
    rows = {(row.first, row.second): row for row in agreements([one, same, turned], rng=RNG(0), replicates=500)}
    assert rows["one", "two"].names == ("a", "b", "c")
    assert rows["one", "two"].found.tau == 1
    assert rows["one", "three"].found.tau == -1
    assert rows["one", "three"].p_adjusted < 0.05 < rows["one", "two"].p_adjusted


def test_criteria_are_compared_by_name_and_two_contestants_are_no_order():
    few = {"a": 1.0, "b": 2.0}
    more = {**few, "c": 3.0}
    given = [
        ranking("one", more),
        ranking("one", more, criterion="quality"),
        ranking("two", few),
        ranking("two", more, criterion="quality"),
    ]
    assert [row.criterion for row in agreements(given, rng=RNG(0), replicates=100)] == ["quality"]


def test_without_intervals_orders_are_compared_without_them():
    (row,) = agreements(
        [ranking("one", {"a": 1.0, "b": 2.0, "c": 3.0}, se=np.nan), ranking("two", {"a": 1.0, "b": 3.0, "c": 2.0})],
        rng=RNG(0),
    )
    assert row.found.tau == pytest.approx(1 / 3)
    assert row.found.tau_ci is None
    assert np.isnan(row.p_adjusted)
