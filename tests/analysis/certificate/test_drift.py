"""The test by betting: false alarms at any time, over several rechecks, and how soon a drift is found."""

import numpy as np
import pytest

from parlai_spotbot.analysis.certificate.drift import ERROR, drift_test


def chances(rng: np.random.Generator, items: int, firmness: float) -> np.ndarray:
    """Return how often the judge is right on each item, .85 on average; the firmer, the surer of right or wrong."""
    if firmness == 0:
        return np.full(items, 0.85)
    return rng.beta(0.85 / firmness, 0.15 / firmness, items)


def drifted(rng: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    """Return chances of which .15 less are right: some items are now answered the other way round."""
    turned = rng.random(len(chance)) < 0.15 / 0.7
    return np.where(turned, 1 - chance, chance)


def run(rng: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(chance)) < chance, "a", "b")


def found(runs: list[np.ndarray]) -> int:
    labels = [["a"]] * len(runs[0])
    return drift_test(np.stack(runs, axis=1).tolist(), labels, len(runs) - 1).found_after


@pytest.mark.slow
@pytest.mark.parametrize("firmness", [0, 0.5, 5, 1000])
def test_an_unchanged_judge_raises_no_alarm_in_five_rechecks(firmness):
    rng = np.random.default_rng(1)
    studies = 200
    alarms = 0
    for _ in range(studies):
        chance = chances(rng, 150, firmness)
        runs = [run(rng, chance) for _ in range(6)]
        alarms += any(found(runs[: last + 1]) for last in range(1, 6))
    assert alarms <= ERROR * studies + 2 * np.sqrt(ERROR * (1 - ERROR) * studies)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("firmness", "rechecks", "power"), [(5, 1, 0.85), (1000, 1, 0.9), (0.5, 2, 0.8), (5, 2, 0.9), (1000, 2, 0.9)]
)
def test_a_judge_that_agrees_with_15_points_less_is_found_within_150_rechecks(firmness, rechecks, power):
    rng = np.random.default_rng(2)
    times = []
    for _ in range(100):
        chance = chances(rng, 150, firmness)
        runs = [run(rng, chance) for _ in range(rechecks)]
        times.append(found([*runs, run(rng, drifted(rng, chance))]))
    assert np.mean(np.array(times) > 0) >= power


def test_the_first_recheck_bets_on_agreement_alone():
    same = drift_test([["a", "a"]] * 50, [["a"]] * 50)
    assert (same.changed, same.found_after, same.then, same.now) == (0, 0, 1, 1)
    assert np.allclose(same.wealth, 1)
    worse = drift_test([["a", "b"]] * 20, [["a"]] * 20)
    # Each item is worth 2 · odds / (1 + odds) with even chances.
    assert worse.wealth[0] == pytest.approx(np.mean([2 * odds / (1 + odds) for odds in (2, 3, 6, 16)]))
    assert worse.threshold == 40
    assert worse.found_after == 8
    neither = drift_test([["b", "c"]] * 20, [["a"]] * 20)
    assert neither.found_after == 0  # as wrong as before


def test_the_second_recheck_sees_changes_that_leave_agreement_as_it_is():
    other = drift_test([["b", "b", "c"]] * 20, [["a"]] * 20, 2)
    assert 0 < other.found_after <= 9
    assert drift_test([["b", "c", "b"]] * 20, [["a"]] * 20).found_after == 0
    assert drift_test([], []).found_after == 0
