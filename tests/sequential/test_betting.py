"""What matches with third contestants are worth: by hand, and by loops over contestants."""

import itertools

import numpy as np
import pytest
from scipy.special import expit

from parlai_spotbot.sequential import betting
from parlai_spotbot.sequential.betting import bets, bought
from parlai_spotbot.sequential.evidence import Rules, against_third, begin, moves, worst


def test_no_match_moves_a_sum_by_more_than_one_of_the_two_themselves_does():
    """Contestants 0 and 1 always beat contestant 2, who meets 0 in one draw of ten and 1 in four of ten."""
    chance = np.array([[0, 0.5, 0.1], [0.5, 0, 0.4], [0.1, 0.4, 0]])
    centre, cut = against_third(chance[0, 2], chance[1, 2], np.exp(-40.0))
    assert centre == pytest.approx(1)
    # A match of 0 with 2 would count .4 / .5 = .8 and is cut to .5; one of 1 with 2 is cut by the same factor.
    assert cut * chance[1, 2] == pytest.approx(0.5)
    assert cut * chance[0, 2] == pytest.approx(0.2 * 0.5 / 0.8)
    assert bought(chance, np.array([40.0, 40.0, 0.0]))[0, 1] == pytest.approx(0.5 / 4)  # matches with 2 are certain


def test_what_moves_a_sum_by_less_is_not_cut():
    chance = (1 - np.eye(3)) / 3
    centre, cut = against_third(chance[0, 2], chance[1, 2], 1.0)
    assert centre == expit(0)
    assert cut / 3 == pytest.approx(0.5)
    assert bought(chance, np.zeros(3))[0, 1] == pytest.approx(1 / 3 / 4 + 0.5 / 3 / 4)


def one_after_the_other(chance, strengths, gain):
    """Variance, and what is gained through others, by loops."""
    variance = chance / 4
    through = np.zeros_like(chance)
    for a, b, c in itertools.permutations(range(len(chance)), 3):
        centre, cut = against_third(
            chance[a, c], chance[b, c], np.exp(strengths[c] - (strengths[a] + strengths[b]) / 2)
        )
        weight = cut * chance[b, c]
        either = cut * (chance[a, c] + chance[b, c])
        variance[a, b] += either * weight * chance[a, c] * centre * (1 - centre)
        through[a, c] += gain[a, b] * weight**2
    return variance, through


@pytest.mark.parametrize(("size", "together"), [(2, 1), (3, 1), (5, 1), (5, 50), (5, 1 << 15)])
def test_groups_of_contestants_are_worth_what_one_after_the_other_is(monkeypatch, size, together):
    monkeypatch.setattr(betting, "TOGETHER", together)
    rng = np.random.default_rng(size)
    strengths = rng.normal(0, 2, size)
    weights = np.triu(rng.exponential(size=(size, size)), 1)
    chance = (weights + weights.T) / weights.sum()
    gain = rng.random((size, size)) * (1 - np.eye(size))
    gain += gain.T
    variance, through = one_after_the_other(chance, strengths, gain)
    assert bought(chance, strengths) == pytest.approx(variance)
    off = ~np.eye(size, dtype=bool)
    assert betting._through_third(chance, strengths, gain)[off] == pytest.approx(through[off])


@pytest.mark.parametrize("rated", [False, True])
def test_compiled_loops_are_worth_what_numpys_are(monkeypatch, rated):
    size = betting.MANY
    rng = np.random.default_rng(1)
    strengths = rng.normal(0, 3, size)
    weights = np.triu(rng.exponential(size=(size, size)) ** 3, 1)
    if rated:
        weights[:, :-1] = 0
    chance = (weights + weights.T) / weights.sum()
    gain = np.triu(rng.random((size, size)), 1)
    gain += gain.T
    variance = bought(chance, strengths)
    through = betting._through_third(chance, strengths, gain)
    monkeypatch.setattr(betting, "MANY", size + 1)
    assert variance == pytest.approx(bought(chance, strengths), rel=1e-12, abs=1e-15)
    off = ~np.eye(size, dtype=bool)
    assert through[off] == pytest.approx(betting._through_third(chance, strengths, gain)[off], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("studies", [(), (2,)])
def test_answers_move_wealth_by_the_same_weights(studies):
    """One match of 0 with 2: a third contestant's for the pairs of 0 and of 2 with 1."""
    placed = bets(begin(3, studies), Rules(0.05, 0.0, 100))
    matches = np.zeros((*studies, 3, 3))
    matches[..., 0, 2] = matches[..., 2, 0] = 1
    points = np.zeros_like(matches)
    points[..., 0, 2] = 1
    moved, most = moves(placed, points, matches)
    assert moved.reshape(-1, 3, 3)[-1] == pytest.approx(np.array([[0, 0.25, 0.5], [-0.25, 0, 0.25], [-0.5, -0.25, 0]]))
    assert most.reshape(-1, 3, 3)[-1] == pytest.approx(np.array([[0, 0.25, 0.5], [0.25, 0, 0.25], [0.5, 0.25, 0]]))
    shown = np.zeros((*studies, 1), dtype=int)
    least, _ = worst(placed, Rules(0.05, 0.0, 100), shown, shown + 2)
    assert (least <= np.log1p(placed.better * moved)).all()
