"""Plans of surveys of whole conversations, against closed forms, statsmodels and simulated studies."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_studies import study
from scipy.stats import binom, binomtest, ttest_ind
from statsmodels.stats.power import TTestIndPower

from parlai_spotbot.analysis.planning import Design, conversations_needed
from parlai_spotbot.analysis.planning.surveys import Rating, Wish, pilot_choices, pilot_ratings, plan_survey, rating_of
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means

ONE = Wish(2, correction="none")
SINGLE = Design(2, 1, 0.0, 0.0, 0.0, annotations_per_worker=1, correction="none")
EVEN = {"annotations_per_worker": 1.0, "unequal": 1.0}


@pytest.mark.parametrize("difference", [0.2, 0.3, 0.4])
def test_independent_choices_of_two_bots_need_what_the_binomial_test_needs(difference):
    plan = plan_survey(ONE, SINGLE, difference, 60)
    rejected = [wins for wins in range(plan["needed"] + 1) if binomtest(wins, plan["needed"]).pvalue <= 0.05]
    power = binom.pmf(rejected, plan["needed"], 0.5 + difference / 2).sum()
    assert power == pytest.approx(0.8, abs=0.05)


def test_ties_and_clustering_cost_choices():
    n = plan_survey(ONE, SINGLE, 0.2, 60)["needed"]
    assert plan_survey(ONE, replace(SINGLE, ties=0.5), 0.2, 60)["needed"] == pytest.approx(2 * n, rel=0.02)
    twice = replace(SINGLE, annotations_per_conversation=2, conversation_correlation=0.5)
    assert plan_survey(ONE, twice, 0.2, 60)["needed"] == pytest.approx(1.5 * n, rel=0.02)
    assert plan_survey(ONE, SINGLE, 0.0005, 60)["needed"] is None


@pytest.mark.parametrize("difference", [0.3, 0.5, 1.0])
def test_ratings_by_people_who_give_one_each_have_the_power_of_the_t_test(difference):
    like = Rating(0.5, 0.4, 0.0, 0.6, 2, **EVEN)
    assert like.variance(2) == pytest.approx(0.25 + (0.16 + 0.36) / 2)
    for wish in (ONE, Wish(5, power=0.9)):
        n, size = like.needed(difference, wish), difference / like.variance(wish.bots) ** 0.5
        assert n == pytest.approx(TTestIndPower().solve_power(size, alpha=wish.alpha, power=wish.power), abs=1.1)
        known = TTestIndPower().power(size, n, wish.alpha)
        assert like.power(difference, n, wish) == pytest.approx(known, abs=0.01)


def test_simulated_studies_of_ratings_find_what_the_plan_promises():
    rng, like = np.random.default_rng(0), Rating(0.5, 0.4, 0.0, 0.6, 2, **EVEN)
    n = like.needed(0.5, ONE)

    def talks(mean):
        annotations = rng.normal(0, 0.4, (2000, n, 2)) + rng.normal(0, 0.6, (2000, n, 2))
        return mean + rng.normal(0, 0.5, (2000, n)) + annotations.mean(axis=2)

    found = ttest_ind(talks(3.5), talks(3.0), axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)


def rated(rng, like, bots, n, difference, spread):
    """Holm's p of the two bots that differ, in a study whose people's activity is lognormal by `spread`."""
    each, talks = int(like.per_conversation), bots * n
    people = max(2 * each, round(talks * each / like.annotations_per_worker))
    active = spread * rng.standard_normal(people)
    who = np.argpartition(-(active + rng.gumbel(size=(talks, people))), each - 1, axis=1)[:, :each]
    bot = np.repeat(np.arange(bots), n)
    mean = np.zeros(bots)
    mean[:2] = difference / 2, -difference / 2
    value = (mean[bot] + like.conversations * rng.standard_normal(talks))[:, None]
    value = value + like.annotators * rng.standard_normal(people)[who]
    value = value + like.tastes * rng.standard_normal((people, bots))[who, bot[:, None]]
    value = value + like.rest * rng.standard_normal(who.shape)
    clusters = Clusters.by(np.repeat(np.arange(talks), each), who.ravel())
    return group_means(value.ravel(), np.repeat(bot, each), bots, clusters).pairs()["p_adjusted"].iloc[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "each", "mean", "unequal", "tastes", "difference"),
    [
        (2, 1, 15, 1.0, 0.0, 0.5),
        (2, 2, 15, 1.0, 0.2, 0.4),
        (4, 1, 15, 1.75, 0.2, 0.4),
        (6, 2, 30, 1.75, 0.2, 0.4),
        (4, 1, 15, 1.63, 0.35, 0.5),
        (3, 2, 30, 2.72, 0.35, 0.5),
        (2, 2, 30, 4.22, 0.2, 0.5),
    ],
)
def test_a_rating_plan_has_its_power_by_the_test_of_means(bots, each, mean, unequal, tastes, difference):
    """1,000 studies; .77 to .84 and two and a half times the Monte Carlo error, .013.

    Activity is lognormal, its sd up to 1.2; there are 15 to 75 people.
    """
    # People come to conversations by chance, which makes their numbers differ by chance, too: one more in effect.
    like = Rating(0.5, 0.5, tastes, 0.7, each, mean, max(unequal, mean / (mean - 1)))
    n, rng = like.needed(difference, Wish(bots)), np.random.default_rng(3)
    hits = sum(rated(rng, like, bots, n, difference, np.log(unequal) ** 0.5) < 0.05 for _ in range(1000))
    print(f"{n} conversations a bot: promised {like.power(difference, n, Wish(bots)):.3f}, found {hits / 1000:.3f}")
    assert 0.77 - 0.033 < hits / 1000 < 0.84 + 0.033, (n, like)


def test_what_a_plan_comes_to():
    wish = Wish(4, questions=2)
    like = Design(4, 1, 0.0, annotations_per_worker=1)
    choices = plan_survey(wish, like, 0.4, 90, wage=10)
    assert choices["needed"] == conversations_needed(0.7, like)
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
        (lambda: Rating(conversations=-1.0), "conversations is -1.0"),
        (lambda: Rating(0, 0, 0, 0), "standard deviations are 0"),
        (lambda: plan_survey(ONE, SINGLE, 1.2, 60), "difference is 1.2, expected a number above 0, up to 1"),
        (lambda: plan_survey(ONE, Rating(), 0.5, 0), "seconds is 0"),
        (lambda: plan_survey(ONE, Rating(), 0.5, 60, wage=-1), "wage is -1"),
    ],
)
def test_what_can_t_be_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_pilot_of_choices():
    """Pairs of conversations, each shown to one; the clear pair is settled, the equal one planned for what matters."""
    choices = study(np.random.default_rng(1), np.array([1.5, 0.0, 0.0]), 60, 1, 180, taste=0.0, unequal=0.0)
    choices = choices.assign(conversation_ids=[(f"x{row}", f"y{row}") for row in choices.pop("conversation_id")])
    rows, design = pilot_choices(choices, ["b0", "b1", "b2"], Design(3, 1, looks=2), 0.2)
    clear, _, even = rows
    assert (clear["status"], clear["more"], clear["had"]) == ("settled", 0, 60)
    assert (even["status"], even["difference"]) == ("close", 0.2)
    assert even["needed"] == even["had"] + even["more"] > even["had"]
    assert (design.annotations_per_conversation, design.bots) == (1, 3)


def test_a_pilot_of_ratings_goes_by_its_own_errors():
    pair = {"a": "x", "b": "y", "estimate": 0.3, "se": 0.2, "p_adjusted": 0.2}
    ranking = {"pairs": [pair], "annotations": {"x": 40, "y": 40}}
    like = rating_of(ranking, 2.0, [4] * 10 + [8] * 5, Rating())
    assert like.annotations_per_worker == pytest.approx(80 / 15)
    assert like.effective_per_worker == pytest.approx(6)
    assert 2 * like.variance(2) / 20 == pytest.approx(0.2**2)
    (row,) = pilot_ratings(ranking, like, ONE, 0.5)
    assert (row["had"], row["status"]) == (20, "close")
    assert row["more"] == like.needed(0.5, ONE) - 20
    nothing = {"pairs": [{**pair, "se": None}], "annotations": ranking["annotations"]}
    assert rating_of(nothing, 2.0, [1, 1], Rating()) == Rating(per_conversation=2.0, annotations_per_worker=1.0)
