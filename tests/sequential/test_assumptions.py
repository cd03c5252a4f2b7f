"""Worlds in which verdicts don't hold are told by the answers: drift, circles, one side first."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED
from parlai_spotbot.sequential.assumptions import probes
from tests.sequential.simulated import Crowd

SIZE, PEOPLE, ITEMS = 4, 80, 5


def levels(rng, advantage, late=1.0, first=0.5, gain=0.0):
    """Return the probes' levels by name; `advantage` (K, K) in logits of a over b, times `late` in the second half.

    The lower contestant is shown first in this share of answers, which gains so many logits.
    """
    person = np.repeat(np.arange(PEOPLE), ITEMS)
    low, high = np.array(np.triu_indices(SIZE, 1))[:, rng.integers(6, size=len(person))]
    turned = rng.random(len(person)) >= first
    a, b = np.where(turned, high, low), np.where(turned, low, high)
    mean = advantage[a, b] * np.where(person < PEOPLE / 2, 1, late) + gain
    taste = rng.normal(0, 0.3, (PEOPLE, SIZE))
    score = Crowd().answers(rng, mean + taste[person, a] - taste[person, b])
    names = [f"bot{number}" for number in range(SIZE)]
    matches = pd.DataFrame({"unit": person, "a": np.take(names, a), "b": np.take(names, b), "result": score})
    matches["item"] = [f"item {number}" for number in range(len(matches))]
    return {probe.name: probe.level for probe in probes(matches, names, 0, PEOPLE, True, False)}


def around():
    """Return advantages by which each beats the next one, and the last one the first."""
    advantage = np.roll(np.eye(SIZE), 1, 1)
    return advantage - advantage.T


@pytest.mark.parametrize(
    ("world", "red"),
    [
        ({"advantage": np.zeros((SIZE, SIZE))}, None),
        ({"advantage": np.subtract.outer([1.5, 1, 0.5, 0], [1.5, 1, 0.5, 0])}, None),
        ({"advantage": around()}, "circle"),
        ({"advantage": np.subtract.outer([1.0, 0, 0, -1], [1.0, 0, 0, -1]), "late": -1}, "drift"),
        ({"advantage": np.zeros((SIZE, SIZE)), "first": 1.0, "gain": 0.5}, "order"),
    ],
    ids=["equal", "apart", "circle", "drift", "order"],
)
def test_what_verdicts_take_for_granted(world, red):
    found = [levels(np.random.default_rng(seed), **world) for seed in range(40)]
    shares = {name: np.mean([one[name] == RED for one in found]) for name in ("drift", "circle", "order")}
    assert shares[red] >= 0.8 if red else max(shares.values()) <= 0.1


def test_units_that_never_came_back_are_named_where_they_are_many():
    matches = pd.DataFrame({"unit": [0, 1, 2], "item": ["1", "2", "3"], "a": "ann", "b": "", "result": 0.5})
    for lost, level in ((1, GREEN), (2, AMBER)):
        assert probes(matches, ["ann", "bob"], lost, 20, False, True)[-1].level == level
