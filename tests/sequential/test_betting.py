"""Weights of matches with third contestants, by hand."""

import numpy as np
import pytest
from scipy.special import expit

from parlai_spotbot.sequential.betting import shares


def test_no_match_moves_a_sum_by_more_than_one_of_the_two_themselves_does():
    """Contestants 0 and 1 always beat contestant 2, who meets 0 in one draw of ten and 1 in four of ten."""
    chance = np.array([[0, 0.5, 0.1], [0.5, 0, 0.4], [0.1, 0.4, 0]])
    centre, weight, most, variance = shares(chance, np.array([40.0, 40.0, 0.0]))
    assert centre[0, 1, 2] == pytest.approx(1)
    # A match of 0 with 2 would count .4 / .5 = .8 and is cut to .5; one of 1 with 2 is cut by the same factor.
    assert weight[0, 1, 2] == pytest.approx(0.5)
    assert weight[1, 0, 2] == pytest.approx(0.2 * 0.5 / 0.8)
    assert most[0, 1, 2] == most[1, 0, 2] == pytest.approx(0.5)
    assert variance[0, 1] == pytest.approx(0.5 / 4)  # matches with 2 are certain


def test_what_moves_a_sum_by_less_is_not_cut():
    chance = (1 - np.eye(3)) / 3
    centre, weight, most, variance = shares(chance, np.zeros(3))
    assert centre[0, 1, 2] == expit(0)
    assert weight[0, 1, 2] == pytest.approx(0.5)
    assert most[0, 1, 2] == pytest.approx(0.25)
    assert weight[0, 1, 0] == weight[0, 1, 1] == 0  # the two themselves are no third contestant
    assert variance[0, 1] == pytest.approx(1 / 3 / 4 + 0.5 / 3 / 4)
