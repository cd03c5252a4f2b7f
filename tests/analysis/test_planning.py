"""Planning: closed forms, the paper's own reckoning, simulated studies, and what must rise or fall with what."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from parlai_spotbot.analysis.planning import (
    PAPER,
    Design,
    conversations_needed,
    match_correlations,
    pair_power,
    pairwise_rates,
    pilot_needs,
    plan,
    sign_test_power,
    simulated_power,
    time_efficiency,
    total,
)
from parlai_spotbot.analysis.planning.simulation import latent_of, moments, outcome_chances, simulate_pair

INDEPENDENT = Design(
    bots=2, annotations_per_conversation=1, ties=0.0, conversation_correlation=0.0, worker_correlation=0.0,
    annotations_per_worker=1,
)  # fmt: skip


@pytest.mark.parametrize(("rate", "power"), [(0.55, 0.8), (0.6, 0.8), (0.6, 0.9), (0.7, 0.95)])
def test_without_ties_and_clusters_it_is_the_sample_size_of_the_sign_test(rate, power):
    """n = ((z(alpha/2) / 2 + z(power) √(p q)) / (p - 1/2))², the textbook's normal approximation."""
    textbook = ((norm.isf(0.025) / 2 + norm.ppf(power) * np.sqrt(rate * (1 - rate))) / (rate - 0.5)) ** 2
    needed = conversations_needed(rate, replace(INDEPENDENT, power=power))
    assert needed == pytest.approx(textbook, rel=0.02, abs=3)
    assert sign_test_power(needed, rate) == pytest.approx(power, abs=0.04)


def test_sign_test_power_is_exact():
    for n, p, alpha in ((10, 0.8, 0.05), (37, 0.65, 0.05), (60, 0.5, 0.01)):
        rejected = [k for k in range(n + 1) if binomtest(k, n, 0.5).pvalue <= alpha]
        by_hand = sum(float(_binomial(n, k)) * p**k * (1 - p) ** (n - k) for k in rejected)
        assert sign_test_power(n, p, alpha) == pytest.approx(by_hand, rel=1e-9)


def _binomial(n: int, k: int) -> int:
    return int(np.prod([(n - i) / (i + 1) for i in range(k)]).round()) if k else 1


def test_ties_and_clusters_multiply_what_is_needed():
    """Many small groups: ties add 1 / (1 - ties) matches, clusters the design effect."""
    rate = 0.52  # a small difference, so that many are needed and Student's t is normal
    alone = conversations_needed(rate, INDEPENDENT)
    tied = conversations_needed(rate, replace(INDEPENDENT, ties=0.75))
    assert tied / alone == pytest.approx(4, rel=0.01)
    six = replace(INDEPENDENT, annotations_per_conversation=6, conversation_correlation=0.1, annotations_per_worker=6)
    assert six.design_effect == pytest.approx(1.5)
    assert 6 * conversations_needed(rate, six) / alone == pytest.approx(1.5, rel=0.01)
    same = replace(six, conversation_correlation=0.0, worker_correlation=0.2, annotations_per_worker=31, bots=3,
                   correction="none")  # fmt: skip
    assert same.design_effect == pytest.approx(1 + 30 / 3 * 0.2)


def test_corrections_for_pairs_and_looks():
    assert Design(bots=6).alpha == pytest.approx(0.05 / 15)
    assert Design(bots=6, looks=2, level=0.9).alpha == pytest.approx(0.1 / 30)
    assert Design(bots=6, correction="none").alpha == pytest.approx(0.05)


designs = st.builds(
    Design,
    bots=st.integers(2, 8), annotations_per_conversation=st.integers(1, 8), ties=st.floats(0, 0.8),
    conversation_correlation=st.floats(0, 0.4), worker_correlation=st.floats(0, 0.4),
    annotations_per_worker=st.floats(1, 100), power=st.floats(0.5, 0.95),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(designs, st.floats(0.55, 0.95), st.integers(2, 300))
def test_power_rises_with_data_and_difference_and_falls_with_clustering(design, rate, conversations):
    power = pair_power(rate, conversations, design)
    assert 0 <= power <= 1
    assert pair_power(rate, conversations + 1, design) >= power - 1e-12
    assert pair_power(rate, conversations, design) == pytest.approx(pair_power(1 - rate, conversations, design))
    further = replace(design, conversation_correlation=design.conversation_correlation + 0.2)
    for harder in (further, replace(design, looks=3), replace(design, bots=design.bots, level=0.99)):
        assert pair_power(rate, conversations, harder) <= max(power, 0.5) + 1e-9
    needed = conversations_needed(rate, design)
    assert pair_power(rate, needed, design) >= design.power
    assert needed == 2 or pair_power(rate, needed - 1, design) < design.power
    assert conversations_needed((rate + 1) / 2, design) <= needed


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
    design = Design(bots=2, ties=0.65, conversation_correlation=correlations[0], worker_correlation=correlations[1],
                    annotations_per_worker=40)  # fmt: skip
    latent = latent_of(rate, design)
    np.testing.assert_allclose(moments(latent), [rate, 0.65, *correlations], atol=1e-4)
    outcome, conversation, worker = simulate_pair(latent, 6000, design, np.random.default_rng(1))
    assert len(set(zip(conversation, worker, strict=True))) == len(outcome)  # nobody sees a conversation twice
    assert (outcome > 0).sum() / (outcome != 0).sum() == pytest.approx(rate, abs=0.035)
    assert (outcome == 0).mean() == pytest.approx(0.65, abs=0.02)
    found = match_correlations(pd.DataFrame({
        "a": "A", "b": "B", "outcome": outcome, "conversation_id": conversation, "worker_id": worker,
    }))  # fmt: skip
    assert found["conversation"] == pytest.approx(correlations[0], abs=0.02)
    assert found["worker"] == pytest.approx(correlations[1], abs=0.02)


def test_outcomes_follow_davidsons_model():
    win, tie, loss = outcome_chances(np.log(np.array(3.0)), np.log(0.5))
    assert win / loss == pytest.approx(3)
    assert tie / np.sqrt(win * loss) == pytest.approx(0.5)


def test_simulation_agrees_with_the_formula():
    design = Design(bots=4, annotations_per_worker=40)
    needed = conversations_needed(0.75, design)
    found = simulated_power(0.75, needed, design, repetitions=500, seed=1)
    assert found["power"] == pytest.approx(pair_power(0.75, needed, design), abs=0.07)
    assert found == simulated_power(0.75, needed, design, repetitions=500, seed=1)
    assert simulated_power(0.5, 60, design, repetitions=500)["power"] <= 0.03  # alpha is .0083


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "design"),
    [
        (0.65, Design(bots=3)),
        (0.7, Design(bots=6, annotations_per_worker=100, power=0.9)),
        (0.65, Design(bots=2, ties=0.3, conversation_correlation=0.25, worker_correlation=0.02)),
        (0.75, Design(bots=5, annotations_per_conversation=2, worker_correlation=0.15)),
    ],
)
def test_a_planned_study_reaches_its_power(rate, design):
    needed = conversations_needed(rate, design)
    found = simulated_power(rate, needed, design, repetitions=2000, seed=3)
    assert found["power"] == pytest.approx(design.power, abs=0.06)
    false_alarms = simulated_power(0.5, needed, design, repetitions=2000, seed=4)
    assert false_alarms["ci"][0] < 1.6 * design.alpha


def study(chances: dict[str, tuple[float, float, float]], conversations: int, seed: int = 0) -> pd.DataFrame:
    rng, rows = np.random.default_rng(seed), []
    for (a, b), p in chances.items():
        for c in range(conversations):
            workers = rng.choice(20, 4, replace=False)
            rows += [(a, b, int(rng.choice([1, 0, -1], p=p)), f"{a}{b}{c}", f"w{w}") for w in workers]
    return pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_id", "worker_id"])


def test_a_pilot_says_which_pairs_need_more():
    chances = {"ab": (0.6, 0.3, 0.1), "ac": (0.3, 0.5, 0.2), "bc": (0.25, 0.5, 0.25)}
    table, design = pilot_needs(study(chances, 40), list("abc"), Design(bots=3, looks=2), difference=0.1)
    rows = {row["a"] + row["b"]: row for row in table.to_dict(orient="records")}
    assert rows["ab"]["status"] == "settled"
    assert rows["ab"]["more_conversations"] == rows["ab"]["more_annotations"] == 0
    assert rows["bc"]["status"] in ("close", "needs more")
    assert rows["bc"]["needed"] == rows["bc"]["more_conversations"] + 40
    assert rows["bc"]["more_annotations"] == 4 * rows["bc"]["more_conversations"]
    assert rows["bc"]["more_conversations"] > rows["ab"]["needed"]
    assert design.annotations_per_conversation == 4
    assert design.annotations_per_worker == pytest.approx(480 / 20)
    assert design.ties == pytest.approx(0.43, abs=0.05)
    assert design.conversation_correlation < 0.05


def test_a_pair_nearer_than_what_is_of_interest_is_planned_for_that():
    even = pd.DataFrame([("a", "b", o, f"c{i}", f"w{i % 7}") for i, o in enumerate([1, -1, 0] * 20)],
                        columns=["a", "b", "outcome", "conversation_id", "worker_id"])  # fmt: skip
    table, design = pilot_needs(even, ["a", "b"], Design(bots=2), difference=0.3)
    row = table.iloc[0]
    assert (row["status"], row["difference"]) == ("close", 0.3)
    assert row["needed"] == conversations_needed(0.65, replace(design, ties=1 / 3))


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
    """By another estimator about .05 (DD) and .13 (ED) within conversations."""
    from parlai_spotbot.analysis.frames import matches_frame

    found = match_correlations(matches_frame(released(domain)).reset_index(drop=True))
    assert found["conversation"] == pytest.approx({"dailydialog": 0.05, "empathetic": 0.13}[domain], abs=0.015)
    assert 0.03 < found["worker"] < 0.12


BAD = [
    ({"bots": 1}, "bots is 1"),
    ({"ties": 1.0}, "ties is 1.0"),
    ({"power": 0}, "power is 0"),
    ({"level": 1}, "level is 1"),
    ({"correction": "holm"}, "correction is 'holm'"),
    ({"worker_correlation": -0.1}, "worker_correlation is -0.1"),
    ({"annotations_per_worker": 0.5}, "annotations_per_worker is 0.5"),
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
