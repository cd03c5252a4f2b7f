"""Verdicts hold whoever is slow or walks away: simulated studies, by another generator than the evidence."""

import numpy as np
import pytest

from tests.sequential.absent import Absence, Simulation, found
from tests.sequential.simulated import LARGE, Crowd, Raters


def spread(strength, size, studies):
    """Return the strengths of studies in which the contestants stand at equal distances, the favourite first."""
    return np.tile(np.linspace(strength, 0, size), (studies, 1))


@pytest.mark.parametrize(("counts", "least", "most"), [("worst", 0, 0.05), ("back", 0.5, 1)])
def test_of_slow_people_only_the_worst_may_be_taken_for_granted(counts, least, most):
    simulation = Simulation(spread(0, 2, 150), 80, Crowd(items=1), Absence(0.1, counts), 1)
    wrong, _, _ = found(simulation)
    assert least <= wrong <= most


# -- simulations by another generator ----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("vanishing", [0, 0.05, 0.2])
@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize(
    ("crowd", "margin", "strength"),
    [
        (Crowd(items=5), 0, 0),
        (LARGE, 0, 0),
        (Crowd(items=5), 0.15, 0),
        (Crowd(items=5), 0.1, 0.48),
        (Raters(items=2), 0, 0),
    ],
    ids=["equal", "three times", "margin", "at the margin", "ratings"],
)
def test_verdicts_are_right_whoever_leaves(size, vanishing, crowd, margin, strength):
    """At a strength of .48 neighbours are just outside the margin of .1."""
    true = spread(strength * (size - 1), size, 500)
    wrong, _, _ = found(Simulation(true, 80, crowd, Absence(vanishing), 5, margin))
    assert wrong <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(true))
