"""Plans of surveys of whole conversations, against closed forms, statsmodels and simulated studies."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, ttest_ind
from statsmodels.stats.power import TTestIndPower

from parlai_spotbot.analysis.planning import sign_test_power
from parlai_spotbot.analysis.planning.surveys import (
    Choosing,
    Rating,
    Wish,
    pilot_choices,
    pilot_ratings,
    plan_survey,
    rating_of,
)

ONE = Wish(2, correction="none")


@pytest.mark.parametrize(("difference", "power"), [(0.2, 0.8), (0.4, 0.9), (0.8, 0.8)])
def test_choices_needed_have_the_exact_binomial_power_from_there_on(difference, power):
    wish, share = Wish(2, power=power, correction="none"), 0.5 + difference / 2
    n = Choosing().needed(difference, wish)
    assert all(sign_test_power(m, share) >= power for m in range(n, n + 60))
    assert sign_test_power(n - 1, share) < power


def test_choices_of_many_pairs_are_tested_at_their_share_of_the_level():
    wish = Wish(4)
    assert wish.alpha == pytest.approx(0.05 / 6)
    n = Choosing().needed(0.4, wish)
    rejected = [k for k in range(n + 1) if binomtest(k, n).pvalue < wish.alpha]
    assert binom.pmf(rejected, n, 0.7).sum() >= 0.8
    assert Choosing().power(0.4, n, wish.alpha) == pytest.approx(binom.pmf(rejected, n, 0.7).sum())


def test_ties_and_clustering_cost_choices():
    plain, tied, clustered = Choosing(), Choosing(ties=0.5), Choosing(design_effect=2.0)
    n = plain.needed(0.4, ONE)
    assert tied.needed(0.4, ONE) == pytest.approx(2 * n, rel=0.1)
    assert clustered.needed(0.4, ONE) == 2 * n
    assert plain.needed(0.0005, ONE) is None


@pytest.mark.parametrize("difference", [0.3, 0.5, 1.0])
def test_ratings_have_the_power_of_the_t_test(difference):
    like = Rating(0.5, 0.4, 0.6, 2)
    assert like.variance == pytest.approx(0.25 + (0.16 + 0.36) / 2)
    for wish in (ONE, Wish(5, power=0.9)):
        n = like.needed(difference, wish)
        other = TTestIndPower().solve_power(difference / like.variance**0.5, alpha=wish.alpha, power=wish.power)
        assert n == np.ceil(other)
        known = TTestIndPower().power(difference / like.variance**0.5, n, wish.alpha)
        assert like.power(difference, n, wish.alpha) == pytest.approx(known, abs=1e-6)


def test_simulated_studies_of_ratings_find_what_the_plan_promises():
    rng, like = np.random.default_rng(0), Rating(0.5, 0.4, 0.6, 2)
    n = like.needed(0.5, ONE)

    def talks(mean):
        annotations = rng.normal(0, 0.4, (2000, n, 2)) + rng.normal(0, 0.6, (2000, n, 2))
        return mean + rng.normal(0, 0.5, (2000, n)) + annotations.mean(axis=2)

    found = ttest_ind(talks(3.5), talks(3.0), axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def test_what_a_plan_comes_to():
    wish = Wish(4, questions=2)
    choices = plan_survey(wish, Choosing(), 0.4, 90, wage=10)
    assert choices["items"] == 6 * choices["needed"]
    assert choices["annotations"] == 2 * choices["items"]
    assert choices["cost"] == pytest.approx(choices["annotations"] * 90 / 360)
    ratings = plan_survey(wish, Rating(per_conversation=3), 0.5, 60)
    assert ratings["annotations"] == 2 * 3 * 4 * ratings["needed"]
    assert ratings["cost"] is None
    assert plan_survey(wish, Rating(), 0.0005, 60)["annotations"] is None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Wish(1), "bots is 1"),
        (lambda: Wish(3, power=1.0), "power is 1.0"),
        (lambda: Wish(3, questions=0), "questions is 0"),
        (lambda: Choosing(ties=1.0), "ties is 1.0"),
        (lambda: Rating(conversations=-1.0), "conversations is -1.0"),
        (lambda: Rating(0, 0, 0), "standard deviations are 0"),
        (lambda: plan_survey(ONE, Choosing(), 1.2, 60), "difference is 1.2, expected a number above 0, up to 1"),
        (lambda: plan_survey(ONE, Rating(), 0.5, 0), "seconds is 0"),
        (lambda: plan_survey(ONE, Rating(), 0.5, 60, wage=-1), "wage is -1"),
    ],
)
def test_what_can_t_be_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def choice(won, lost, ties=0, effective=None, p=0.5):
    decided = won + lost
    return {"a": "x", "b": "y", "wins_a": won, "wins_b": lost, "ties": ties, "n": decided + ties,
            "effective": float(decided) if effective is None else effective, "estimate": won / decided,
            "p_adjusted": p}  # fmt: skip


def test_a_pilot_of_choices():
    settled, more, close = pilot_choices(
        {"pairs": [choice(30, 2, p=1e-6), choice(14, 6, p=0.1), choice(10, 10, effective=10.0)]}, Wish(3, looks=2), 0.2
    )
    assert (settled["status"], settled["more"]) == ("settled", 0)
    assert more["status"] == "needs more"
    assert more["more"] == more["needed"] - 20 > 0
    assert more["difference"] == pytest.approx(2 * 14.5 / 21 - 1)
    assert (close["status"], close["difference"]) == ("close", 0.2)
    assert close["needed"] == Choosing(design_effect=2.0).needed(0.2, Wish(3, looks=2))


def test_a_pilot_of_ratings_goes_by_its_own_errors():
    pair = {"a": "x", "b": "y", "estimate": 0.3, "se": 0.2, "p_adjusted": 0.2}
    ranking = {"pairs": [pair], "annotations": {"x": 40, "y": 40}}
    like = rating_of(ranking, 2.0, Rating())
    assert 2 * like.variance / 20 == pytest.approx(0.2**2)
    (row,) = pilot_ratings(ranking, like, ONE, 0.5)
    assert (row["had"], row["status"]) == (20, "close")
    assert row["more"] == like.needed(0.5, ONE) - 20
    assert rating_of({"pairs": [{**pair, "se": None}], "annotations": ranking["annotations"]}, 2.0, Rating()) == Rating(
        per_conversation=2.0
    )
