"""What is drawn for the next annotator, and what is staked on their answers: see `evidence`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit, log_ndtr, ndtri

from parlai_spotbot.sequential.evidence import (
    EQUAL_UPDATES,
    STEPS,
    TINY,
    Bets,
    Evidence,
    Rules,
    design_effect,
    differences,
    thresholds,
    wealth,
    with_floor,
)

AIM = 2.0
"""Bets aim at so many times the wealth that settles a pair, since those that aim at it reach it only at the end."""

CAUTION = 0.5
"""A pair counts as clear as it is estimated to be, less so many standard errors."""


def bets(evidence: Evidence, rules: Rules, drawn: np.ndarray | float = 0, stock: np.ndarray | float = np.inf) -> Bets:
    """Return what to draw for the next annotator, and what to stake on it.

    Parameters
    ----------
    drawn : array (...)
        Answers that are out, to be counted with those that are in.
    stock : array (K, K), optional
        How often each pair can still be drawn; without it as often as one likes.
    """
    left = _left(evidence, rules, drawn)
    effect = design_effect(evidence)
    need = thresholds(evidence, rules)
    improved = _improved(evidence, rules, need, left, effect)
    chance = with_floor(improved, stock > 0)
    centre, weight, most, variance = shares(chance, evidence.strengths)
    lasting = np.minimum(chance, stock / left)
    to_come = shares(lasting, evidence.strengths)[-1]
    apart = differences(evidence.strengths)
    doubt = CAUTION * np.sqrt(evidence.variance)
    stake = _stake(evidence.better - need[0] - np.log(2 * AIM), left * to_come * effect, (apart - doubt) / effect)
    below = np.zeros_like(stake)
    if rules.margin:
        near = (4 * (rules.margin - expit(apart) + 0.5) - doubt) / effect
        below = _stake(evidence.below - need[1] - np.log(AIM), left * lasting / 4 * effect, near)
    return Bets(chance, centre, weight, most, stake, below, variance, expit(apart))


def _left(evidence: Evidence, rules: Rules, drawn: np.ndarray | float) -> np.ndarray:
    """Return how many answers to plan for, (..., 1, 1): those left, after the budget a tenth of those given."""
    used = evidence.answers + drawn
    return np.where(rules.budget > used, np.maximum(rules.budget - used, 1), 0.1 * used)[..., None, None]


def shares(chance: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return centre, weight, most (..., a, b, c) and variance (..., a, b) of matches with third contestants.

    Of the matches of a or b with c, each is of a with the chance of (a, c) over that of both; weighted with the other's
    share, those of a and of b cancel in expectation where both score alike against c. Weights are cut so that no match
    moves the sum by more than ½, as a match of the two themselves does.
    """
    of_a = chance[..., :, None, :]
    of_b = chance[..., None, :, :]
    both = of_a + of_b
    share = of_b / np.maximum(both, TINY)
    middle = (strengths[..., :, None, None] + strengths[..., None, :, None]) / 2 - strengths[..., None, None, :]
    centre = expit(middle)
    reach = np.maximum(centre, 1 - centre) * np.maximum(share, 1 - share)
    other = 1 - np.eye(strengths.shape[-1])
    cut = other[:, :, None] * other[:, None, :] * other[None] * np.minimum(1, 0.5 / np.maximum(reach, TINY))
    weight = cut * share
    bought = cut**2 * share * of_a * centre * (1 - centre)
    return centre, weight, cut * reach, chance / 4 + bought.sum(-1)


def _improved(
    evidence: Evidence, rules: Rules, need: tuple[np.ndarray, np.ndarray], left: np.ndarray, effect: np.ndarray
) -> np.ndarray:
    """Move the chances towards the pairs whose matches raise most the number of pairs expected to be settled."""
    chance = evidence.chance
    _, weight, _, variance = shares(chance, evidence.strengths)
    either, lower = wealth(evidence, rules)
    gap = np.abs(differences(evidence.strengths))

    def gain_of(short: np.ndarray, drift: np.ndarray, bought: np.ndarray) -> np.ndarray:
        gain = _gain(short, drift, evidence.variance, np.sqrt(left * bought / effect))
        return np.where(evidence.open, gain / np.maximum(bought, TINY), 0)

    gain = gain_of(either - need[0], gap, variance)
    through = (gain[..., :, :, None] * weight**2).sum(-2)
    value = gain + through + np.swapaxes(through, -1, -2)
    if rules.margin:
        near = 4 * (rules.margin - np.abs(expit(gap) - 0.5))
        value = value + gain_of(lower - need[1], near, chance / 4) / 4
    begun = evidence.annotators[..., None, None] >= EQUAL_UPDATES
    return np.where(begun, chance * value, chance)


def _gain(short: np.ndarray, drift: np.ndarray, variance: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return how fast the chance to reach the threshold rises with information, times the information.

    `short`: logarithm of wealth over threshold; `drift` with its `variance`, per unit of `scale`, which is the root of
    the information that is left to be had.
    """
    quantile = _quantile(short)
    widened = np.sqrt(1 + variance * scale**2)
    density = np.exp(-(((quantile + drift * scale) / widened) ** 2) / 2)
    return np.maximum(density * (drift - quantile * variance * scale) / widened**3 * scale, 0)


def _quantile(short: np.ndarray) -> np.ndarray:
    """Return the normal quantile of a share of wealth, given by its logarithm."""
    return ndtri(np.exp(np.clip(short, -600, -1e-9)))


def _stake(short: np.ndarray, variance: np.ndarray, drift: np.ndarray) -> np.ndarray:
    """Return the stake that reaches the goal most probably, while the sum gets this variance (Browne 1999).

    Where more is sure to be there, it is what lets wealth grow fastest: the `drift`, per unit of variance (Kelly 1956).
    """
    quantile = _quantile(short)
    ratio = np.exp(-(quantile**2) / 2 - log_ndtr(quantile)) / np.sqrt(2 * np.pi)
    return np.where(short >= 0, 0, np.maximum(ratio / np.sqrt(np.maximum(variance, TINY)), drift))


def converged(evidence: Evidence, rules: Rules) -> np.ndarray:
    """Return the chances (K, K) that suit this evidence best, however those of the last draw were."""
    for _ in range(STEPS):
        evidence = replace(evidence, chance=bets(evidence, rules).chance)
    return evidence.chance
