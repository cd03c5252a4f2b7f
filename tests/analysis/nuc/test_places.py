"""Places among candidates: a bias of known size is found, none is found where there is none."""

import numpy as np
import pytest

from parlai_spotbot.analysis.nuc.places import place_bias
from parlai_spotbot.analysis.uncertainty.clusters import Clusters


def answers(rng, people, each, n, skill, bias):
    """(chosen, true, clusters): with the chance `bias` people take the first place, else the true one with `skill`."""
    count = people * each
    true = rng.integers(0, n, count)
    other = (true + rng.integers(1, n, count)) % n
    chosen = np.where(rng.random(count) < skill, true, other)
    chosen = np.where(rng.random(count) < bias, 0, chosen)
    return chosen, true, Clusters.by(np.tile(np.arange(each), people), np.repeat(np.arange(people), each))


@pytest.mark.parametrize("skill", [0.2, 0.7])
def test_a_bias_to_the_first_place_has_the_size_that_it_should(skill):
    chosen, true, clusters = answers(np.random.default_rng(0), 200, 100, 5, skill, 0.1)
    found = place_bias(chosen, true, 5, clusters)
    assert found[0]["difference"] == pytest.approx(0.1 * 0.8, abs=0.01)
    assert found[0]["p_adjusted"] < 0.001
    for row in found[1:]:
        assert row["difference"] == pytest.approx(-0.1 / 5, abs=0.01)
    assert sum(row["difference"] for row in found) == pytest.approx(0)
    assert found[2]["chosen"] == pytest.approx(np.mean(chosen == 2))
    assert found[2]["true"] == pytest.approx(np.mean(true == 2))


@pytest.mark.slow
def test_without_a_bias_a_study_is_called_biased_in_one_of_twenty():
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(300):
        found = place_bias(*answers(rng, 20, 30, 5, rng.uniform(0.2, 0.9), 0.0)[:2], 5, CLUSTERS)
        alarms += min(row["p_adjusted"] for row in found) < 0.05
    assert alarms / 300 < 0.08


CLUSTERS = Clusters.by(np.tile(np.arange(30), 20), np.repeat(np.arange(20), 30))


def test_a_place_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="chosen: places from 0 to 5, expected 0 to 4"):
        place_bias([0, 5], [0, 1], 5, Clusters.by([0, 1], [0, 1]))
