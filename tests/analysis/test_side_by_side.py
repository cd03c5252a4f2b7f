"""Methods side by side: power against SciPy and the cost curves, fair to small studies, and agreement of orders."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestIndPower

from parlai_spotbot.analysis.planning.cost_curve import ChoiceCounts, ConversationMeans, cost_curve
from parlai_spotbot.analysis.side_by_side import (
    CHOICES,
    RATINGS,
    MethodRanking,
    PairEffects,
    agreements,
    common_hours,
    equal_cost,
    expected_findings,
    likely_effects,
    pair_effects,
    t_power,
)
from parlai_spotbot.analysis.study_comparison import Scores
from parlai_spotbot.analysis.uncertainty.shares import binomial_power

RNG = np.random.default_rng


@pytest.mark.parametrize("n", [2, 3, 5, 11, 12, 20, 100])
def test_the_power_of_ratings_is_the_t_tests(n):
    effects = np.array([0.0, 0.2, 0.5, 1.0])
    expected = [TTestIndPower().power(effect, n, 0.05) for effect in effects]
    np.testing.assert_allclose(t_power(effects * np.sqrt(n / 2), 2 * (n - 1)), expected, atol=0.01)
    assert t_power(np.array([9.0]), 0.0) == 0
    wide = t_power(np.linspace(0, 200, 401), 2 * (n - 1))
    assert np.isfinite(wide).all()
    assert wide[-1] > 0.99


def choices(shares, n, seconds=60.0, spent=5.0):
    pairs = [("abcdefgh"[i], "zyxwvuts"[i]) for i in range(len(shares))]
    rows = [
        {"a": a, "b": b, "wins_a": round(s * n), "wins_b": n - round(s * n), "ties": 0, "n": n, "effective": float(n)}
        for (a, b), s in zip(pairs, shares, strict=True)
    ]
    return pair_effects("acute_eval", {"pairs": rows, "n": n * len(rows)}, {"mean": seconds, "hours": spent}, {}, 1)


def test_with_much_data_the_chance_is_that_of_the_cost_curve():
    own = choices([0.7], 4000)
    hours = [0.5, 1.0, 2.0]
    # The exact test's saw is smoothed over the numbers of choices that are as likely.
    near = [np.arange(n - np.sqrt(n), n + np.sqrt(n)) * 60 / 3600 for n in (30, 60, 120)]
    curve = [cost_curve(ChoiceCounts(2800, 1200), 60.0, some, rng=RNG(0)).power.mean() for some in near]
    np.testing.assert_allclose(expected_findings(own, hours, rng=RNG(0)).share, curve, atol=0.03)
    first, second = RNG(1).normal(3.4, 0.8, 3000), RNG(2).normal(3.0, 0.8, 3000)
    difference = float(first.mean() - second.mean())
    half = 1.96 * np.sqrt(first.var() / 3000 + second.var() / 3000)
    ranking = {
        "pairs": [{"a": "a", "b": "b", "n": 6000, "estimate": difference, "ci": [difference - half, difference + half]}]
    }
    own = pair_effects("dialogue_likert", ranking, {"mean": 60.0, "hours": 5.0}, {}, 6000)
    curve = cost_curve(ConversationMeans(first, second), 60.0, hours, rng=RNG(0))
    np.testing.assert_allclose(expected_findings(own, hours, rng=RNG(0)).share, curve.power, atol=0.04)


def test_no_method_seems_to_find_more_because_it_has_less_data():
    # Nothing to be found: what a study of ten choices a pair finds by chance must not look like power.
    rng, few, many = RNG(3), [], []
    for _ in range(20):
        few.append(expected_findings(choices(rng.binomial(10, 0.5, 6) / 10, 10), [10.0], rng=rng).share[0])
        many.append(expected_findings(choices(rng.binomial(1000, 0.5, 6) / 1000, 1000), [10.0], rng=rng).share[0])
    plug_in = np.mean([np.mean([binomial_power(100, s) for s in rng.binomial(10, 0.5, 6) / 10]) for _ in range(20)])
    assert np.mean(many) < 0.12
    assert np.mean(few) < plug_in - 0.15


def test_what_is_found_covers_the_truth():
    # Effects drawn from a population, studies of them: the promised share of pairs against the true one.
    rng, inside = RNG(4), 0
    for _ in range(60):
        true = np.clip(rng.normal(0.5, 0.15, 6), 0.05, 0.95)
        own = expected_findings(choices(rng.binomial(40, true) / 40, 40), [6.0], rng=rng, draws=300)
        truth = np.mean([binomial_power(60, share) for share in true])
        inside += own.low[0] - 1e-9 <= truth <= own.high[0] + 1e-9
    assert inside >= 52


def test_effects_shrink_to_what_pairs_have_in_common():
    own = choices([0.9, 0.5, 0.5, 0.5, 0.5, 0.5], 10)
    drawn = likely_effects(own, RNG(0), 4000)
    assert 0 < drawn[:, 0].mean() < own.effect[0]
    assert np.abs(drawn).max() <= 0.5


def found(kind, pairs, seconds=60.0):
    n = len(pairs)
    return PairEffects("m", kind, tuple(pairs), np.zeros(n), np.full(n, 0.1), np.ones(n), 1.0, seconds, 4.0)


def test_a_rating_counts_in_every_pair_and_a_choice_in_one():
    six = [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert found(CHOICES, six).annotations(np.array([6.0]))[0] == pytest.approx(60)
    assert found(RATINGS, six).annotations(np.array([6.0]))[0] == pytest.approx(180)


def test_spot_the_bots_people_cost_time():
    row = {"a": "a", "b": "b", "wins_a": 6, "wins_b": 2, "ties": 12, "n": 20, "rate_ci": [0.4, 0.95]}
    ranking = {"win_rate": {"a": 0.6}, "pairs": [row], "n": 20}
    own = pair_effects("spot_the_bot", ranking, {"mean": 30.0, "hours": 1.0}, {}, 30)
    assert own.seconds == pytest.approx(45)
    assert 0 < own.per[0] <= 8 / 20
    assert np.isnan(pair_effects("spot_the_bot", ranking, {"mean": None, "hours": None}, {}, 30).seconds)
    with pytest.raises(ValueError, match="expected the time of an annotation"):
        expected_findings(pair_effects("spot_the_bot", ranking, {}, {}, 30), [1.0], rng=RNG(0))
    assert pair_effects("acute_eval", {"pairs": []}, {}, {}, 0) is None


def test_at_equal_cost_the_quicker_method_is_ahead():
    shares = [0.7, 0.65, 0.75, 0.6, 0.7, 0.3]
    quick, slow = choices(shares, 200, 30.0), choices(shares, 200, 300.0)
    hours = common_hours([quick, slow])
    assert (hours[0], hours[-1]) == pytest.approx((0.5, 50))
    bought = [expected_findings(own, hours, rng=RNG(0)) for own in (quick, slow)]
    place = len(hours) // 2
    more, low, high = equal_cost([bought[0], type(bought[1])(**{**bought[1].__dict__, "method": "slow"})], place)[
        "acute_eval", "slow"
    ]
    assert 0 < low < more < high
    assert bought[0].half < bought[1].half
    assert (np.diff(bought[0].share) > -0.02).all()


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
