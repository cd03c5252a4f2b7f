"""Cost curves against SciPy's tests, simulated studies, and what a curve must not do."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, ttest_ind
from statsmodels.stats.power import TTestIndPower

from parlai_spotbot.analysis.planning.cost_curve import ChoiceCounts, ConversationMeans, cost_curve, hour_grid
from parlai_spotbot.analysis.uncertainty.shares import binomial_power

RNG = np.random.default_rng


@pytest.mark.parametrize(("n", "share"), [(1, 0.9), (6, 0.9), (20, 0.7), (57, 0.6), (57, 0.5), (100, 0.35)])
def test_the_power_of_choices_is_that_of_scipys_test(n, share):
    every = sum(binom.pmf(k, n, share) for k in range(n + 1) if binomtest(k, n).pvalue < 0.05)
    assert binomial_power(n, share) == pytest.approx(every, abs=1e-9)


def test_ties_cost_choices():
    rng, n = RNG(0), 60
    decided = rng.binomial(n, 0.5, 4000)
    won = rng.binomial(decided, 0.75)
    simulated = np.mean([binomtest(w, d).pvalue < 0.05 for w, d in zip(won, decided, strict=True)])
    assert binomial_power(n, 0.75, 0.5) == pytest.approx(simulated, abs=0.03)


def test_a_curve_of_choices():
    curve = cost_curve(ChoiceCounts(28, 12), 90.0, [0.25, 1, 2, 4], rng=RNG(0), interval=(0.54, 0.83))
    assert curve.annotations.tolist() == [10, 40, 80, 160]
    np.testing.assert_allclose(curve.power, [binomial_power(n, 0.7) for n in curve.annotations])
    assert (curve.low <= curve.power).all()
    assert (curve.power <= curve.high).all()
    np.testing.assert_allclose(curve.high, [binomial_power(n, 0.83) for n in curve.annotations])
    assert curve.needed == 2


def test_no_difference_never_becomes_significant_with_more_hours():
    # Drawn without replacement it would: at its own size every study repeats the result that was found.
    won, n = 33, 54
    assert binomtest(won, n).pvalue > 0.05
    curve = cost_curve(ChoiceCounts(27, 27), 60.0, hour_grid(1.0), rng=RNG(0), interval=(0.4, 0.6))
    assert (curve.power <= 0.05).all()
    assert curve.needed is None
    same = RNG(1).normal(3, 1, 40)
    flat = cost_curve(ConversationMeans(same, same), 60.0, hour_grid(1.0, 5), rng=RNG(0), replicates=400)
    assert (flat.power < 0.10).all()


def test_at_its_own_size_a_study_that_just_made_it_has_half_a_chance():
    n = 100
    won = next(k for k in range(50, 100) if binomtest(k, n).pvalue < 0.05)
    curve = cost_curve(ChoiceCounts(won, n - won), 36.0, [1.0], rng=RNG(0))
    assert curve.annotations[0] == n
    assert 0.4 < curve.power[0] < 0.65


def test_ratings_as_the_t_tests_power():
    rng = RNG(2)
    first, second = rng.normal(0.6, 1, 2000), rng.normal(0, 1, 2000)
    curve = cost_curve(ConversationMeans(first, second), 60.0, [1.0], rng=rng, replicates=2000)
    size = (first.mean() - second.mean()) / np.sqrt((first.var() + second.var()) / 2)
    assert curve.power[0] == pytest.approx(TTestIndPower().power(size, 30, 0.05), abs=0.04)
    few = ConversationMeans(first[:15], second[:12], annotations=2.0)
    drawn = [
        ttest_ind(rng.choice(few.first, 15), rng.choice(few.second, 15), equal_var=False).pvalue < 0.05
        for _ in range(2000)
    ]
    again = cost_curve(few, 60.0, [1.0], rng=rng, replicates=2000)
    assert again.power[0] == pytest.approx(np.mean(drawn), abs=0.04)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"seconds is 0"):
        cost_curve(ChoiceCounts(1, 1), 0, [1.0], rng=RNG(0))
    with pytest.raises(ValueError, match="hours: expected"):
        cost_curve(ChoiceCounts(1, 1), 5, [0.0], rng=RNG(0))
    with pytest.raises(ValueError, match="spent is 0"):
        hour_grid(0)
