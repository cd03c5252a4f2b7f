"""The test by betting: false alarms at any time, over several rechecks, and how soon a drift is found."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

from parlai_spotbot.analysis.certificate.drift import AT_THE_END, ERROR, ODDS, STAKES, drift_test, level_of


def chances(rng: np.random.Generator, items: int, firmness: float) -> np.ndarray:
    """Return how often the judge is right on each item, .85 on average; the firmer, the surer of right or wrong."""
    if firmness == 0:
        return np.full(items, 0.85)
    return rng.beta(0.85 / firmness, 0.15 / firmness, items)


def drifted(rng: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    """Return chances of which .15 less are right: some items are now answered the other way round."""
    turned = rng.random(len(chance)) < 0.15 / 0.7
    return np.where(turned, 1 - chance, chance)


def logits(rng: np.random.Generator, items: int, steadiness: float) -> np.ndarray:
    """Return how often the judge is right on each item, .85 on average: heavy-tailed on the logit scale, which is what
    no bet assumes; .01 draws each verdict anew, 50 gives the same one again."""
    size = steadiness * rng.standard_t(5, items)
    low, high = -500.0, 500.0
    for _ in range(60):
        middle = (low + high) / 2
        if expit(size + middle).mean() < 0.85:
            low = middle
        else:
            high = middle
    return expit(size + middle)


KINDS = {
    "turned": lambda rng, chance: drifted(rng, chance),
    "careless": lambda rng, chance: chance * 0.7 / 0.85,
    "other": lambda rng, chance: np.where(rng.random(len(chance)) < 0.3, 0.35, chance),
}
"""Ways of being right 15 points less: some items the other way round, all a little, some by guessing."""


def run(rng: np.random.Generator, chance: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(chance)) < chance, "a", "b")


def found(runs: list[np.ndarray], repeats: int = 0) -> int:
    labels = [["a"]] * len(runs[0])
    return drift_test(np.stack(runs, axis=1).tolist(), labels, len(runs) - 1 - repeats).found_after


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [0, 3])
@pytest.mark.parametrize("firmness", [0, 0.5, 5, 1000])
def test_an_unchanged_judge_raises_no_alarm_in_five_rechecks(firmness, repeats):
    rng = np.random.default_rng(1)
    studies = 200
    alarms = 0
    for _ in range(studies):
        chance = chances(rng, 150, firmness)
        runs = [run(rng, chance) for _ in range(6 + repeats)]
        alarms += any(found(runs[: last + 1 + repeats], repeats) for last in range(1, 6))
    assert alarms <= ERROR * studies + 2 * np.sqrt(ERROR * (1 - ERROR) * studies)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("firmness", "rechecks", "power"),
    [
        (0, 1, 0.84),
        (0.5, 1, 0.85),
        (5, 1, 0.9),
        (1000, 1, 0.95),
        (0, 2, 0.8),
        (0.5, 2, 0.87),
        (5, 2, 0.95),
        (1000, 2, 0.95),
    ],
)
def test_a_judge_that_agrees_with_15_points_less_is_found_within_150_rechecks(firmness, rechecks, power):
    rng = np.random.default_rng(2)
    times = []
    for _ in range(100):
        chance = chances(rng, 150, firmness)
        runs = [run(rng, chance) for _ in range(rechecks)]
        times.append(found([*runs, run(rng, drifted(rng, chance))]))
    assert np.mean(np.array(times) > 0) >= power


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "steadiness", "power"), [*product(KINDS, (1.2, 4, 50), [0.95]), ("turned", 0.01, 0.92)]
)
def test_a_judge_whose_verdicts_were_repeated_is_found_in_nine_of_ten_first_rechecks(kind, steadiness, power):
    rng = np.random.default_rng(3)
    studies = 100
    times = []
    for _ in range(studies):
        chance = logits(rng, 150, steadiness)
        runs = [run(rng, chance) for _ in range(5)]
        times.append(found([*runs, run(rng, KINDS[kind](rng, chance))], 4))
    assert np.mean(np.array(times) > 0) >= power


def test_verdicts_repeated_for_the_certificate_use_up_no_level_and_tell_more():
    once = drift_test([["a", "b"]] * 20, [["a"]] * 20)
    repeated = drift_test([["a", "a", "a", "a", "b"]] * 20, [["a"]] * 20)
    assert once.threshold == repeated.threshold == 1 / (level_of(1) * (1 - AT_THE_END))
    assert 0 < repeated.found_after < once.found_after


def test_the_first_recheck_bets_on_agreement_alone():
    same = drift_test([["a", "a"]] * 50, [["a"]] * 50)
    assert (same.changed, same.found_after, same.then, same.now) == (0, 0, 1, 1)
    assert np.allclose(same.wealth, 1)
    worse = drift_test([["a", "b"]] * 20, [["a"]] * 20)
    # Each item is worth 2 · odds / (1 + odds) with even chances.
    assert worse.wealth[0] == pytest.approx(STAKES @ (2 * ODDS / (1 + ODDS)))
    assert 8 <= worse.found_after <= 14
    assert worse.pvalue == pytest.approx(0.5**20)
    neither = drift_test([["b", "c"]] * 20, [["a"]] * 20)
    assert neither.found_after == 0  # as wrong as before


def test_the_second_recheck_sees_changes_that_leave_agreement_as_it_is():
    other = drift_test([["b", "b", "c"]] * 20, [["a"]] * 20, 2)
    assert 0 < other.found_after <= 13
    assert drift_test([["b", "c", "b"]] * 20, [["a"]] * 20).found_after == 0
    assert drift_test([], []).found_after == 0


def test_all_rechecks_together_hold_the_level():
    assert sum(level_of(number) for number in range(1, 60)) == pytest.approx(ERROR)


@pytest.mark.parametrize(("worse", "better"), [(12, 3), (40, 20), (9, 9), (0, 3)])
def test_of_two_verdicts_on_an_item_the_last_test_is_the_sign_test_with_ties_broken(worse, better):
    verdicts = [["a", "b"]] * worse + [["b", "a"]] * better + [["a", "a"]] * 30
    sign_test = binomtest(worse, worse + better, alternative="greater").pvalue
    none_first = [["a", "a"]] * len(verdicts) + verdicts
    assert drift_test(none_first, [["a"]] * len(none_first)).pvalue == pytest.approx(sign_test)
    further = 0.0
    if worse < worse + better:
        further = binomtest(worse + 1, worse + better, alternative="greater").pvalue
    assert further < drift_test(verdicts, [["a"]] * len(verdicts)).pvalue <= sign_test + 1e-12
    assert drift_test(verdicts, [["a"]] * len(verdicts), whole=False).pvalue == 1


def test_of_several_verdicts_each_value_is_as_frequent_as_it_says_over_which_of_them_is_the_newest():
    verdicts = [["a", "a", "b"], ["a", "b", "b", "a"], ["b", "a"], ["a", "a", "a"], ["a", "b"], ["b", "a", "b"]]
    newest = product(*(rotations(row) for row in verdicts))
    values = np.array([drift_test(rows, [["a"]] * 6).pvalue for rows in newest])
    for value in np.unique(values):
        assert np.mean(values <= value + 1e-12) == pytest.approx(value)
    given = np.array([sum(row[-1] == "b" for row in rows) for rows in product(*(rotations(row) for row in verdicts))])
    assert values[given == 2].max() < values[given == 1].min()


def rotations(row: list[str]) -> list[list[str]]:
    """Return the row with each of its verdicts last."""
    return [[*row[:place], *row[place + 1 :], row[place]] for place in range(len(row))]
