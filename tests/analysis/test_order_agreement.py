"""Rank correlations of two orders: against closed forms, and by simulation of orders that did not change."""

import numpy as np
import pytest

from parlai_spotbot.analysis.order_agreement import (
    MethodRanking,
    Scores,
    Z,
    agreements,
    common,
    rank_correlation,
    standard_error,
)


def scores(values, se=0.05, zero_sum=False):
    values = np.asarray(values, dtype=float)
    names = tuple(f"bot{i}" for i in range(len(values)))
    return Scores(names, values, np.broadcast_to(np.asarray(se, dtype=float), values.shape).copy(), zero_sum)


def test_an_interval_without_width_is_no_interval():
    assert np.isnan(standard_error([1.0, 1.0]))
    assert np.isnan(standard_error(None))
    assert np.isnan(standard_error([None, 1]))
    assert standard_error([0.5 - Z * 0.1, 0.5 + Z * 0.1]) == pytest.approx(0.1)
    assert (
        rank_correlation(scores([1.0, 0.5], [np.nan, 0.1]), scores([0.5, 0.9]), rng=np.random.default_rng(0)).p is None
    )


def test_far_apart_and_turned_round_is_beyond_chance_and_the_same_is_not():
    rng = np.random.default_rng(1)
    up, down = scores([0.1, 0.3, 0.5, 0.7, 0.9], 0.02), scores([0.9, 0.7, 0.5, 0.3, 0.1], 0.02)
    turned, same = rank_correlation(up, down, rng=rng), rank_correlation(up, up, rng=rng)
    assert turned.tau == turned.rho == -1
    assert turned.p < 0.01
    assert same.tau == same.rho == 1
    assert same.p == 1


def test_contestants_that_do_not_differ_have_one_common_score():
    x = np.array([0.49, 0.5, 0.51])
    assert np.ptp(common(x, np.full(3, 0.1), x, np.full(3, 0.1))) == 0


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3])
def test_studies_that_did_not_change_are_rarely_called_changed(spread):
    """Of 300 pairs of studies of the same contestants, at most about 5 in 100 may be called different."""
    rng = np.random.default_rng(5)
    called = 0
    for _ in range(300):
        truth = rng.normal(0.5, spread, 6)
        one, two = (scores(truth + rng.normal(0, 0.05, 6), 0.05) for _ in range(2))
        called += rank_correlation(one, two, rng=rng, replicates=200).p <= 0.05
    assert called <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_other_names_are_an_error_that_names_them():
    with pytest.raises(ValueError, match="after: names"):
        rank_correlation(scores([0.1, 0.2]), Scores(("x", "y"), np.zeros(2), np.ones(2)), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="se: shape"):
        Scores(("x",), np.zeros(1), np.zeros(2))


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
    rows = {
        (row.first, row.second): row
        for row in agreements([one, same, turned], rng=np.random.default_rng(0), replicates=500)
    }
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
    assert [row.criterion for row in agreements(given, rng=np.random.default_rng(0), replicates=100)] == ["quality"]


def test_without_intervals_orders_are_compared_without_them():
    (row,) = agreements(
        [ranking("one", {"a": 1.0, "b": 2.0, "c": 3.0}, se=np.nan), ranking("two", {"a": 1.0, "b": 3.0, "c": 2.0})],
        rng=np.random.default_rng(0),
    )
    assert row.found.tau == pytest.approx(1 / 3)
    assert row.found.tau_ci is None
    assert np.isnan(row.p_adjusted)
