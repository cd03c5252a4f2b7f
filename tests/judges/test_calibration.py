"""Calibration on simulated judges: one that means what it says, one that exaggerates, one that says nothing."""

import numpy as np
import pytest

from parlai_spotbot.judges.calibration import calibration

N = 4000


def simulated(rng, stretch=1.0, n=N, per_conversation=2):
    """A judge whose true log-odds are stretched: people and bots half and half, conversations of two entities."""
    logit = rng.normal(0, 1.5, n)
    human = rng.random(n) < 1 / (1 + np.exp(-logit))
    said = 1 / (1 + np.exp(-stretch * logit))
    return said, human, [f"c{i // per_conversation}" for i in range(n)], np.abs(said - 0.5) < 0.1


def test_a_calibrated_judge_is_found_to_be_one():
    found = calibration(*simulated(np.random.default_rng(0)))
    assert found["expected_calibration_error"] < 0.03
    assert found["expected_calibration_error"] < 2.5 * found["if_calibrated"]
    covered = [b["ci"][0] <= b["mean_probability"] <= b["ci"][1] for b in found["bins"]]
    assert len(covered) == 10
    assert sum(covered) >= 8  # 95 % intervals, ten of them
    assert sum(b["n"] for b in found["bins"]) == found["n"] == N
    assert found["sure"]["n"] + found["unsure"]["n"] == N


def test_one_that_exaggerates_is_unmasked():
    found = calibration(*simulated(np.random.default_rng(0), stretch=4.0))
    low = found["expected_calibration_error_ci"][0]
    assert low > 0.1
    assert found["expected_calibration_error"] > 5 * found["if_calibrated"]
    first, last = found["bins"][0], found["bins"][-1]
    assert first["ci"][0] > first["mean_probability"]
    assert last["ci"][1] < last["mean_probability"]


def test_it_is_less_often_right_where_it_is_unsure():
    found = calibration(*simulated(np.random.default_rng(0)))
    assert found["unsure"]["ci"][1] < found["sure"]["ci"][0]
    assert found["unsure"]["share"] == pytest.approx(found["unsure"]["n"] / N, abs=0.02)


def test_by_hand():
    # Two people (.8, .6) and four bots (.6, .1, .1, .3): people and bots weigh alike.
    found = calibration(
        np.array([0.8, 0.6, 0.6, 0.1, 0.1, 0.3]),
        np.array([True, True, False, False, False, False]),
        ["a", "a", "b", "b", "c", "c"],
        np.array([False, True, True, False, False, False]),
    )
    assert found["brier"] == pytest.approx(((0.04 + 0.16) / 2 + (0.36 + 0.01 + 0.01 + 0.09) / 4) / 2)
    shares = {b["low"]: b["share_human"] for b in found["bins"]}
    assert shares == {0.1: 0, 0.3: 0, 0.6: pytest.approx(2 / 3, abs=1e-6), 0.8: 1}
    # |weighed people - weighed probability| by bin: .1: .025, .3: .0375, .6: |.25 - .225|, .8: |.25 - .2|
    assert found["expected_calibration_error"] == pytest.approx(0.025 + 0.0375 + 0.025 + 0.05, abs=1e-6)
    assert found["sure"]["balanced_accuracy"] == 1
    assert found["unsure"]["balanced_accuracy"] == 0.5


def test_entities_of_one_conversation_are_one_piece_of_evidence():
    rng = np.random.default_rng(1)
    said, human, conversations, unsure = simulated(rng, n=400)
    apart = calibration(said, human, conversations, unsure)
    fewer = calibration(*(np.tile(v, 4) for v in (said, human)), conversations * 4, np.tile(unsure, 4))
    assert fewer["brier"] == pytest.approx(apart["brier"])
    assert fewer["brier_ci"] == pytest.approx(apart["brier_ci"])


def test_people_or_bots_alone_tell_nothing():
    assert calibration(np.array([0.2, 0.7]), np.array([True, True]), ["a", "b"], np.array([False, False])) == {}


def test_the_same_seed_gives_the_same_figures():
    data = simulated(np.random.default_rng(2), n=200)
    assert calibration(*data, seed=3) == calibration(*data, seed=3)
    assert calibration(*data, seed=3) != calibration(*data, seed=4)
