"""Planning: closed forms, the paper's own reckoning, simulated studies, and what must rise or fall with what."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_studies import expected_counts
from made_up_studies import study as study_of
from scipy.stats import binom, binomtest, norm
from scipy.stats import t as student

from parlai_spotbot.analysis.planning import (
    PAPER,
    Design,
    calibrated,
    conversations_needed,
    match_correlations,
    pair_power,
    pairwise_rates,
    pilot_needs,
    plan,
    simulated_power,
    time_efficiency,
    total,
)
from parlai_spotbot.analysis.planning.design import shared_annotations
from parlai_spotbot.analysis.planning.pilot import _shares, pilot_design
from parlai_spotbot.analysis.planning.pool import PlannedPool, planned_pair
from parlai_spotbot.analysis.planning.simulation import latent_of, moments, outcome_chances, simulate
from parlai_spotbot.analysis.ranking.contrasts import contrasts

INDEPENDENT = Design(
    bots=2,
    annotations_per_conversation=1,
    ties=0.0,
    conversation_correlation=0.0,
    worker_correlation=0.0,
    annotations_per_worker=1,
)


@pytest.mark.parametrize(("rate", "power"), [(0.55, 0.8), (0.6, 0.8), (0.6, 0.9), (0.7, 0.95)])
def test_without_ties_and_clusters_it_is_the_sample_size_of_the_sign_test(rate, power):
    """n = ((z(alpha/2) / 2 + z(power) √(p q)) / (p - 1/2))², the textbook's normal approximation."""
    textbook = ((norm.isf(0.025) / 2 + norm.ppf(power) * np.sqrt(rate * (1 - rate))) / (rate - 0.5)) ** 2
    needed = conversations_needed(rate, replace(INDEPENDENT, power=power))
    assert needed == pytest.approx(textbook, rel=0.03, abs=6)
    assert binomial_power(needed, rate) == pytest.approx(power, abs=0.05)


def binomial_power(n: int, share: float) -> float:
    """Return the chance that the exact two-sided sign test at .05 rejects."""
    rejected = [wins for wins in range(n + 1) if binomtest(wins, n, 0.5).pvalue <= 0.05]
    return float(binom.pmf(rejected, n, share).sum())


def test_ties_and_clusters_multiply_what_is_needed():
    """Many small groups: ties add 1 / (1 - ties) matches, clusters the design effect."""
    rate = 0.52  # a small difference, so that many are needed and Student's t is normal
    alone = conversations_needed(rate, INDEPENDENT)
    tied = conversations_needed(rate, replace(INDEPENDENT, ties=0.75))
    assert tied / alone == pytest.approx(4, rel=0.01)
    six = replace(INDEPENDENT, annotations_per_conversation=6, conversation_correlation=0.1, annotations_per_worker=1)
    assert six.design_effect == pytest.approx(1.5)
    assert 6 * conversations_needed(rate, six) / alone == pytest.approx(1.5, rel=0.01)
    same = replace(
        six,
        conversation_correlation=0.0,
        worker_correlation=0.2,
        annotations_per_worker=31,
        bots=3,
        unequal=2.0,
        correction="none",
    )
    assert same.effective_per_worker == 61
    assert same.design_effect == pytest.approx(1 + 60 / 3 * 0.2)
    by_itself = conversations_needed(rate, same, alone=True)
    assert 6 * by_itself / alone == pytest.approx(same.design_effect, rel=0.01)


def test_the_pool_helps_as_much_as_least_squares_say():
    """Without clusters a difference has 2 / K of the variance of the pair's own matches; what an annotator likes in a
    bot stays, what is of the pair alone shrinks like noise."""
    rate = 0.505
    for bots in (2, 3, 6, 12):
        plain = replace(INDEPENDENT, bots=bots, correction="none")
        ratio = conversations_needed(rate, plain) / conversations_needed(rate, plain, alone=True)
        assert ratio == pytest.approx(2 / bots, rel=0.01)
        # So many annotations a person that little but their likings counts.
        liked = replace(plain, worker_correlation=0.5, annotations_per_worker=300, taste=1.0)
        error = {
            (taste, alone): planned_error(rate, replace(liked, taste=taste), alone)
            for taste in (0.0, 1.0)
            for alone in (False, True)
        }
        assert error[0.0, False] / error[0.0, True] == pytest.approx(np.sqrt(2 / bots), rel=0.01)
        if bots == 3:
            assert error[1.0, False] / error[1.0, True] == pytest.approx(1, rel=0.02)


def planned_error(rate: float, design: Design, alone: bool, conversations: int = 100_000) -> float:
    return planned_pair(rate, design, alone).error(conversations)[0]


def test_more_of_one_pair_is_the_pool_with_that_much_more():
    rng = np.random.default_rng(0)
    talks = rng.integers(3, 20, (5, 5)).astype(float)
    talks = np.triu(talks, 1) + np.triu(talks, 1).T
    pool = PlannedPool(rng.normal(0, 0.7, 5), talks, Design(5))
    grown = talks.copy()
    grown[1, 3] = grown[3, 1] = talks[1, 3] + 17
    expected = PlannedPool(pool.strength, grown, pool.design).pair(1, 3).error()
    error, df = pool.pair(1, 3).error(more=17)
    assert error == pytest.approx(expected[0], rel=1e-9)
    assert df == pytest.approx(expected[1], rel=0.2)  # the weights' proportions stay, but for third bots' own
    twice = PlannedPool(pool.strength, 2 * talks, pool.design).pair(0, 4)
    np.testing.assert_allclose(pool.pair(0, 4).error(times=2), twice.error(), rtol=1e-9)


def test_corrections_for_pairs_and_looks():
    assert Design(bots=6).alpha == pytest.approx(0.05 / 15)
    assert Design(bots=6, looks=2, level=0.9).alpha == pytest.approx(0.1 / 30)
    assert Design(bots=6, correction="none").alpha == pytest.approx(0.05)


designs = st.builds(
    Design,
    bots=st.integers(2, 8),
    annotations_per_conversation=st.integers(1, 8),
    ties=st.floats(0, 0.8),
    conversation_correlation=st.floats(0, 0.4),
    worker_correlation=st.floats(0, 0.4),
    taste=st.floats(0, 1),
    unequal=st.floats(1, 4),
    annotations_per_worker=st.floats(1, 30),
    power=st.floats(0.5, 0.95),
)


@settings(max_examples=60, deadline=None)
@given(designs, st.floats(0.55, 0.75), st.integers(50, 300))
def test_power_rises_with_data_and_difference_and_falls_with_clustering(design, rate, conversations):
    power = pair_power(rate, conversations, design)
    assert 0 <= power <= 1
    assert pair_power(rate, conversations + 1, design) >= power - 1e-3
    assert pair_power(rate, conversations, design) == pytest.approx(pair_power(1 - rate, conversations, design))
    further = replace(design, conversation_correlation=design.conversation_correlation + 0.2)
    for harder in (further, replace(design, looks=3), replace(design, bots=design.bots, level=0.99)):
        assert pair_power(rate, conversations, harder) <= max(power, 0.5) + 1e-9
    assert pair_power(rate, conversations, replace(design, unequal=design.unequal + 2)) <= max(power, 0.5) + 1e-9
    assert pair_power(rate, conversations, design, alone=True) <= max(power, 0.5) + 1e-9
    needed = conversations_needed(rate, design)
    assert pair_power(rate, needed, design) >= design.power
    assert needed == 2 or pair_power(rate, needed - 1, design) < design.power


def test_no_difference_is_out_of_reach():
    assert conversations_needed(0.5, Design(bots=2)) is None
    assert plan(Design(bots=2), difference=0.001)["conversations_per_pair"] is None


def test_totals_are_what_they_multiply_to():
    design = Design(bots=5, annotations_per_conversation=6, annotations_per_worker=60, people=1 / 3)
    found = total(45, design, seconds=40, wage=15)
    assert (found["conversations"], found["annotations_per_pair"]) == (450, 270)
    assert found["annotations"] == 3600
    assert found["workers"] == 45
    assert found["hours"] == pytest.approx(40)
    assert found["cost"] == pytest.approx(600)


def test_win_rates_of_a_pool():
    rates = pairwise_rates(np.array([0.8, 0.5, 0.2]))
    np.testing.assert_allclose(rates + rates.T, 1)
    np.testing.assert_allclose((rates.sum(axis=1) - 0.5) / 2, [0.8, 0.5, 0.2], atol=1e-6)
    assert rates[0, 2] == pytest.approx(rates[0, 1] ** 2 / (rates[0, 1] ** 2 + rates[1, 0] ** 2))  # odds multiply
    np.testing.assert_allclose(pairwise_rates(np.array([0.7, 0.3])), [[0.5, 0.7], [0.3, 0.5]], atol=1e-6)
    found = plan(Design(bots=3), win_rates=[0.8, 0.5, 0.2], difference=0.2)
    assert len(found["pairs"]) == 3
    assert found["conversations_per_pair"] == max(row["conversations"] for row in found["pairs"])
    assert min(row["power"] for row in found["pairs"]) >= 0.8
    near = plan(Design(bots=3), win_rates=[0.52, 0.5, 0.48], difference=0.05)
    assert [row["asked"] for row in near["pairs"]] == [False, True, False]


def test_the_papers_time_efficiency():
    """Section 5.3: 40 annotations of 24 s are 16 minutes a pair; 100 dialogues of 4 minutes 400 a system, not 2,000;
    footnote 12's 51 systems follow from 400."""
    found = time_efficiency(5, PAPER["annotations_per_pair"], PAPER["seconds"])
    assert found["annotation_minutes_per_pair"] == 16
    assert found["annotation_hours"] * 60 == pytest.approx(160)
    assert found["conversation_minutes_per_bot"] == 400
    assert found["ratio"] == pytest.approx(2000 / 160)
    assert found["break_even_bots"] == pytest.approx(51)
    at = time_efficiency(51, PAPER["annotations_per_pair"], PAPER["seconds"])
    assert at["ratio"] == pytest.approx(1)
    real = time_efficiency(6, 266, 53)  # the annotations a pair that the release holds, at their mean
    assert real["annotation_minutes_per_pair"] / 60 == pytest.approx(3.9, abs=0.05)
    assert real["ratio"] < 1


@pytest.mark.parametrize("rate", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("correlations", [(0.0, 0.0), (0.1, 0.0), (0.12, 0.08)])
def test_simulated_matches_have_the_wished_moments(rate, correlations):
    design = Design(
        bots=2,
        ties=0.65,
        conversation_correlation=correlations[0],
        worker_correlation=correlations[1],
        annotations_per_worker=40,
    )
    latent = latent_of(rate, design)
    np.testing.assert_allclose(moments(latent), [rate, 0.65, *correlations], atol=1e-4)
    matches = simulate(latent, np.array([0.5, -0.5]) * latent.gap, 6000, design, np.random.default_rng(1))
    assert not matches.duplicated(["conversation_id", "worker_id"]).any()
    outcome = np.where(matches["a"] == "bot 0", 1, -1) * matches["outcome"]
    assert (outcome > 0).sum() / (outcome != 0).sum() == pytest.approx(rate, abs=0.035)
    assert (outcome == 0).mean() == pytest.approx(0.65, abs=0.02)
    found = match_correlations(matches)
    assert found["conversation"] == pytest.approx(correlations[0], abs=0.02)
    assert found["worker"] == pytest.approx(correlations[1], abs=0.03)
    number = matches.groupby("worker_id").size()
    assert number.mean() == pytest.approx(40, rel=0.01)
    assert (number**2).sum() / number.sum() == pytest.approx(design.effective_per_worker, rel=0.1)


@pytest.mark.parametrize("taste", [0.0, 0.4, 1.0])
def test_what_annotators_like_in_bots_is_told_from_what_is_of_a_pair(taste):
    design = Design(bots=4, ties=0.3, worker_correlation=0.2, taste=taste)
    found = match_correlations(simulate(latent_of(0.5, design), np.zeros(4), 3000, design, np.random.default_rng(0)))
    assert found["worker"] == pytest.approx(0.2, abs=0.02)
    assert found["taste"] == pytest.approx(taste * 0.2, abs=0.02)


def test_outcomes_follow_davidsons_model():
    win, tie, loss = outcome_chances(np.log(np.array(3.0)), np.log(0.5))
    assert win / loss == pytest.approx(3)
    assert tie / np.sqrt(win * loss) == pytest.approx(0.5)


def test_simulation_agrees_with_the_formula():
    design = Design(bots=4, annotations_per_worker=40)
    needed = conversations_needed(0.75, design)
    found = simulated_power(0.75, needed, design, repetitions=60, seed=1)
    assert found["power"] == pytest.approx(pair_power(0.75, needed, design), abs=0.12)
    assert found == simulated_power(0.75, needed, design, repetitions=60, seed=1)


def latent_preferences(rng, design, gap, people, conversations, **how):
    """Matches of `tests/analysis/studies.py`: probit with a threshold for ties, tastes crossed with conversations."""
    theta = np.zeros(design.bots)
    theta[:2] = gap / 2, -gap / 2
    return study_of(rng, theta, conversations, design.annotations_per_conversation, people, order=0.0, **how)


POOLS = [
    # bots, annotations a conversation, mean annotations a person, sd of the logarithm of activity, taste, latent gap
    (2, 6, 40, 0.75, 0.25, 0.4),
    (2, 2, 20, 1.0, 0.25, 0.6),
    (3, 2, 60, 0.7, 0.35, 0.6),
    (4, 3, 30, 1.0, 0.2, 0.5),
    (4, 6, 100, 1.2, 0.2, 0.5),
    (6, 6, 60, 0.75, 0.15, 0.5),
    (6, 2, 60, 0.0, 0.15, 0.5),
    (6, 6, 100, 1.0, 0.15, 0.6),
    (12, 2, 40, 1.0, 0.2, 0.6),
]


@pytest.mark.slow
@pytest.mark.parametrize(("bots", "each", "mean", "spread", "taste", "gap"), POOLS)
def test_planned_studies_have_their_power_under_another_model(bots, each, mean, spread, taste, gap):
    """Planned power .80 is .77 to .83 in 2,000 studies of another model, on average over pilots.

    One pilot of 400 people estimates the correlation of two matches by one annotator with an error of 15 %, which moves
    the planned number of conversations by 10 % and the power by .03 to .04. The average over 5 pilots leaves half of
    that; each plan is calibrated by 300 simulated studies and tried by 400.
    """
    how, names = {"talk": 0.5, "taste": taste, "unequal": spread}, [f"b{place}" for place in range(bots)]
    chances = expected_counts(np.array([gap, 0.0]), order=0.0, talk=0.5, taste=taste)[0, 1]
    rate, asked = chances[0] / (chances[0] + chances[2]), Design(bots, each)
    power, planned = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        pilot = latent_preferences(rng, asked, gap, 400, max(2, 400 * mean // (asked.pairs * each)), **how)
        design = calibrated(pilot_design(pilot, names, asked), 100, difference=2 * rate - 1, seed=seed)
        needed = conversations_needed(rate, design)
        people = max(each, round(design.pairs * needed * each / mean))
        studies = (latent_preferences(rng, design, gap, people, needed, **how) for _ in range(400))
        power.append(np.mean([contrasts(study, names).pairs["p_adjusted"].iloc[0] < 0.05 for study in studies]))
        planned.append(needed)
    print(f"{bots} bots, {planned} conversations: power {np.mean(power):.3f} (error .009), by pilot {power}")
    assert 0.77 < np.mean(power) < 0.83


def test_a_pool_that_is_simulated_is_on_average_as_designed():
    """Pairs that are nearer tie more often and hang together more; the design speaks of all of them."""
    design = Design(6, 4, ties=0.5, conversation_correlation=0.15, worker_correlation=0.0)
    strength, (i, j) = np.append([0.5, -0.5], np.zeros(4)), np.triu_indices(6, 1)
    apart = strength[i] - strength[j]
    latent = latent_of(0.85, design, apart)
    np.testing.assert_allclose(moments(latent, apart), [0.85, 0.5, 0.15, 0.0], atol=1e-4)
    assert moments(latent)[1] < 0.48 < 0.5 < moments(latent, [0.0])[1]
    matches = simulate(latent, strength * latent.gap, 400, design, np.random.default_rng(0))
    assert (matches["outcome"] == 0).mean() == pytest.approx(0.5, abs=0.01)
    assert match_correlations(matches)["conversation"] == pytest.approx(0.15, abs=0.015)


@pytest.mark.parametrize("people", [10, 40, 200])
@pytest.mark.parametrize("spread", [0.0, 0.7, 1.0, 1.2])
def test_few_people_are_less_unequal_than_many(people, spread):
    """Σ m² / Σ m beside lognormal activity, of which the mean is 30, in 20,000 studies."""
    active = np.exp(spread * np.random.default_rng(0).standard_normal((20_000, people)))
    drawn = 30 * (people * (active**2).sum(axis=1) / active.sum(axis=1) ** 2).mean()
    expected = shared_annotations(30, 30 * np.exp(spread**2), 10**9, 30 * people)
    assert expected == pytest.approx(drawn, rel=0.08)
    assert shared_annotations(30, 30 * np.exp(spread**2), 30, 30 * people) == pytest.approx(30)  # one of each


def test_a_plan_is_calibrated_by_what_simulated_studies_find():
    design = Design(3, 2, annotations_per_worker=20, unequal=2.5)
    twice = replace(design, calibration=2.0)
    assert planned_error(0.6, twice, False, 50) == pytest.approx(2 * planned_error(0.6, design, False, 50))
    assert conversations_needed(0.6, twice) > 3 * conversations_needed(0.6, design)
    # A standard error that is half of what it should be is brought back, by the same studies for the same seed.
    made = calibrated(replace(design, calibration=0.5), 20, difference=0.6)
    assert made.calibration > 0.7
    assert made == calibrated(replace(design, calibration=0.5), 20, difference=0.6)
    assert calibrated(design, 20, difference=0.3, win_rates=[0.75, 0.5, 0.25]).calibration != 1
    assert calibrated(Design(2), 10, difference=0.001) == Design(2)  # out of reach


def study(chances: dict[str, tuple[float, float, float]], conversations: int, seed: int = 0) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for (a, b), p in chances.items():
        for c in range(conversations):
            workers = rng.choice(20, 4, replace=False)
            rows += [(a, b, int(rng.choice([1, 0, -1], p=p)), f"{a}{b}{c}", f"w{w}") for w in workers]
    return pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_id", "worker_id"])


def test_a_pilot_says_which_pairs_need_more():
    chances = {"ab": (0.6, 0.3, 0.1), "ac": (0.5, 0.3, 0.2), "bc": (0.25, 0.5, 0.25)}
    table, design = pilot_needs(study(chances, 40), list("abc"), Design(bots=3, looks=2), difference=0.1)
    rows = {row["a"] + row["b"]: row for row in table.to_dict(orient="records")}
    assert rows["ab"]["status"] == "settled"
    assert rows["ab"]["more_conversations"] == rows["ab"]["more_annotations"] == 0
    assert rows["bc"]["status"] in ("close", "needs more")
    assert rows["bc"]["needed"] == rows["bc"]["more_conversations"] + 40
    assert rows["bc"]["more_annotations"] == 4 * rows["bc"]["more_conversations"]
    assert rows["bc"]["more_conversations"] > 0
    assert design.annotations_per_conversation == 4
    assert design.annotations_per_worker == pytest.approx(480 / 20)
    assert design.ties == pytest.approx(0.43, abs=0.05)
    assert design.conversation_correlation < 0.05
    assert design.effective_per_worker == pytest.approx(26, abs=3)  # people come to conversations by chance
    assert rows["bc"]["alone"] > rows["bc"]["needed"]


def test_a_pair_nearer_than_what_is_of_interest_is_planned_for_that():
    even = pd.DataFrame(
        [("a", "b", o, f"c{i}", f"w{i % 7}") for i, o in enumerate([1, -1, 0] * 20)],
        columns=["a", "b", "outcome", "conversation_id", "worker_id"],
    )
    table, design = pilot_needs(even, ["a", "b"], Design(bots=2), difference=0.3)
    row = table.iloc[0]
    assert (row["status"], row["difference"]) == ("close", 0.3)
    # By the formula for an even pool, but for how often two that are as good win by chance.
    assert row["needed"] == pytest.approx(conversations_needed(0.65, replace(design, ties=1 / 3)), rel=0.1)


def test_correlations_by_hand():
    """Two conversations of two matches each by four workers: residuals ±1, products of couples all 1."""
    rows = [
        ("a", "b", 1, "c1", "w1"),
        ("b", "a", -1, "c1", "w2"),
        ("a", "b", -1, "c2", "w3"),
        ("a", "b", -1, "c2", "w4"),
    ]
    found = match_correlations(pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_id", "worker_id"]))
    assert found["conversation"] == pytest.approx(1)
    assert (found["n_conversation"], found["n_worker"]) == (2, 0)
    assert np.isnan(found["worker"])
    # The same worker twice in one conversation is no couple of either kind.
    twice = match_correlations(
        pd.DataFrame([(*r[:4], "w") for r in rows], columns=["a", "b", "outcome", "conversation_id", "worker_id"])
    )
    assert (twice["n_conversation"], twice["n_worker"]) == (0, 4)
    assert twice["worker"] == pytest.approx(-1)


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_correlations_of_the_released_data(released, domain):
    """Those behind the defaults: of the decided share, so less than of raw outcomes (.05 and .13 in conversations)."""
    from parlai_spotbot.analysis.frames import matches_frame

    found = match_correlations(matches_frame(released(domain)).reset_index(drop=True))
    expected = {"dailydialog": (0.017, 0.042, -0.010), "empathetic": (0.093, 0.012, 0.015)}[domain]
    assert [found[name] for name in ("conversation", "worker", "taste")] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
def test_the_variance_that_is_planned_with_is_that_of_the_contrasts_of_the_released_data(released, domain):
    from parlai_spotbot.analysis.frames import matches_frame
    from parlai_spotbot.analysis.planning.pilot import count_talks

    matches = matches_frame(released(domain)).reset_index(drop=True)
    names = tuple(sorted(set(matches["a"]) | set(matches["b"])))
    found, design = contrasts(matches, names), pilot_design(matches, names, Design(len(names)))
    assert design.annotations_per_worker == pytest.approx({"dailydialog": 49, "empathetic": 77}[domain], abs=0.5)
    assert design.effective_per_worker == pytest.approx({"dailydialog": 76, "empathetic": 131}[domain], abs=0.5)
    pool = PlannedPool(found.strength, count_talks(matches, names), design)
    planned = [pool.pair(a, b).error() for a, b in itertools.combinations(range(len(names)), 2)]
    assert np.mean([error for error, _ in planned]) == pytest.approx(found.pairs["se"].mean(), rel=0.15)
    reach = [student.ppf(0.975, np.mean(df)) for df in ([df for _, df in planned], found.pairs["df"])]
    assert reach[0] == pytest.approx(reach[1], rel=0.02)


BAD = [
    ({"bots": 1}, "bots is 1"),
    ({"ties": 1.0}, "ties is 1.0"),
    ({"power": 0}, "power is 0"),
    ({"level": 1}, "level is 1"),
    ({"correction": "holm"}, "correction is 'holm'"),
    ({"worker_correlation": -0.1}, "worker_correlation is -0.1"),
    ({"annotations_per_worker": 0.5}, "annotations_per_worker is 0.5"),
    ({"calibration": 0.0}, "calibration is 0.0"),
]


@pytest.mark.parametrize(("change", "said"), BAD)
def test_designs_that_cannot_be_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        Design(**{"bots": 3, **change})


def test_what_cannot_be_planned_is_said():
    for call, said in (
        (lambda: plan(Design(bots=3), difference=0), "difference is 0"),
        (lambda: plan(Design(bots=3), win_rates=[0.5, 0.5]), "win_rates has 2 entries"),
        (lambda: plan(Design(bots=3), win_rates=[0.5, 0.5, 0.5]), "no two bots differ by 0.2"),
        (lambda: plan(Design(bots=3), win_rates=[0.9, 0.9, 0.9]), "expected .5"),
        (lambda: plan(Design(bots=3), seconds=0), "seconds is 0"),
        (lambda: plan(Design(bots=3), wage=-1), "wage is -1"),
        (lambda: pair_power(1.5, 10, INDEPENDENT), "rate is 1.5"),
        (lambda: time_efficiency(1, 40, 24), "bots is 1"),
        (lambda: time_efficiency(5, 0, 24), "annotations_per_pair is 0"),
        (lambda: simulated_power(1.0, 5, Design(bots=3)), "rate is 1.0"),
        (lambda: pairwise_rates(np.array([0.99, 0.99, 0.01, 0.01])), "no strengths give"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


def test_every_pair_of_a_pool_is_counted():
    for bots in range(2, 9):
        assert Design(bots=bots).pairs == len(list(itertools.combinations(range(bots), 2)))


@pytest.mark.parametrize("flipped", [False, True])
def test_shares_of_a_pilot_are_exact_either_way_round(flipped):
    """9 of 11, and 2 of 11, not 1 less a rounded 2 of 11; whichever of the two a match names first."""
    rows = [("x", "y", 1)] * 9 + [("y", "x", 1)] * 2 + [("x", "y", 0)]
    rows = [(b, a, -outcome) for a, b, outcome in rows] if flipped else rows
    found = _shares(pd.DataFrame(rows, columns=["a", "b", "outcome"]))
    assert found["x", "y"] == {"annotations": 12, "rate": 9 / 11}
    assert found["y", "x"] == {"annotations": 12, "rate": 2 / 11}
