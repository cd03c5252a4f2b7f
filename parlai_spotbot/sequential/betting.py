"""Draws for the next annotator, and stakes on their answers: see `evidence`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
from scipy.special import expit, log_ndtr, ndtri

from parlai_spotbot.sequential.evidence import (
    EQUAL_UPDATES,
    STEPS,
    TINY,
    Bets,
    Evidence,
    Rules,
    against_third,
    design_effect,
    differences,
    thresholds,
    wealth,
    with_floor,
)

AIM = 2.0
"""Bets aim at so many times the wealth that settles a pair, since those that aim at it reach it only at the end."""

TOGETHER = 1 << 15
"""Numbers of contestants, pairs or triples, that are worked on together."""

MANY = 64
"""Contestants from which on the loops are compiled, where numba is installed: it takes a second to start."""

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
    variance = bought(chance, evidence.strengths)
    lasting = np.minimum(chance, stock / left)
    to_come = variance
    if (lasting < chance).any():
        to_come = bought(lasting, evidence.strengths)
    apart = differences(evidence.strengths)
    doubt = CAUTION * np.sqrt(evidence.variance)
    stake = _stake(evidence.better - need[0] - np.log(2 * AIM), left * to_come * effect, (apart - doubt) / effect)
    below = np.zeros_like(stake)
    if rules.margin:
        near = (4 * (rules.margin - expit(apart) + 0.5) - doubt) / effect
        below = _stake(evidence.below - need[1] - np.log(AIM), left * lasting / 4 * effect, near)
    return Bets(chance, evidence.strengths, stake, below, variance, expit(apart))


def _left(evidence: Evidence, rules: Rules, drawn: np.ndarray | float) -> np.ndarray:
    """Return how many answers to plan for, (..., 1, 1): those left, after the budget a tenth of those given."""
    used = evidence.answers + drawn
    return np.where(rules.budget > used, np.maximum(rules.budget - used, 1), 0.1 * used)[..., None, None]


def bought(chance: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Return the variance (..., a, b) of one answer, by matches of the two and of either with third contestants."""
    if _many(strengths):
        from parlai_spotbot.sequential.compiled import variance_by_thirds

        return chance / 4 + variance_by_thirds(chance, strengths)
    variance = np.zeros(chance.shape)
    for a, behind, (centre, cut) in _groups(chance, strengths):
        of_a = chance[..., a, None, :]
        of_b = chance[..., None, behind, :]
        more = (cut**2 * (of_a + of_b) * (of_a * of_b) * (centre - centre**2)).sum(-1)
        variance[..., a, behind] = more
        variance[..., behind, a] = np.swapaxes(more, -1, -2)
    return chance / 4 + variance * (1 - np.eye(chance.shape[-1]))


def _through_third(chance: np.ndarray, strengths: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Return what a match of a with c (..., a, c) gains for pairs of a and others, whose gain (..., a, b) is known."""
    if _many(strengths):
        from parlai_spotbot.sequential.compiled import gain_through_thirds

        return gain_through_thirds(chance, strengths, gain)
    through = np.zeros(chance.shape)
    for a, behind, (_, cut) in _groups(chance, strengths):
        later = slice(a.stop, None)
        of_b = (cut * chance[..., None, behind, :]) ** 2
        of_a = (cut[..., a.stop - a.start :, :] * chance[..., a, None, :]) ** 2
        through[..., a, :] += (gain[..., a, behind, None] * of_b).sum(-2)
        through[..., later, :] += (gain[..., a, later, None] * of_a).sum(-3)
    return through


def _many(strengths: np.ndarray) -> bool:
    """Return True if compiled loops take the place of NumPy's."""
    return strengths.ndim == 1 and len(strengths) >= MANY and find_spec("numba") is not None


def _groups(chance: np.ndarray, strengths: np.ndarray) -> Iterator[tuple[slice, slice, tuple[np.ndarray, ...]]]:
    """Return `against_third` of each few contestants a with themselves and those behind them: (..., a, b, c).

    A pair's numbers serve both ways round, and no array is larger than the processor's cache where there are many.
    """
    size = strengths.shape[-1]
    worth = np.exp(-strengths / 2)
    wins = np.exp(strengths)[..., None, None, :]
    step = max(1, TOGETHER // size**2)
    for first in range(0, size, step):
        a = slice(first, min(first + step, size))
        behind = slice(first, size)
        against = worth[..., a, None, None] * worth[..., None, behind, None] * wins
        yield a, behind, against_third(chance[..., a, None, :], chance[..., None, behind, :], against)


def _improved(
    evidence: Evidence, rules: Rules, need: tuple[np.ndarray, np.ndarray], left: np.ndarray, effect: np.ndarray
) -> np.ndarray:
    """Move the chances towards the pairs whose matches raise most the number of pairs expected to be settled."""
    chance = evidence.chance
    variance = bought(chance, evidence.strengths)
    either, lower = wealth(evidence, rules)
    gap = np.abs(differences(evidence.strengths))

    def gain_of(short: np.ndarray, drift: np.ndarray, variance: np.ndarray) -> np.ndarray:
        gain = _gain(short, drift, evidence.variance, np.sqrt(left * variance / effect))
        return np.where(evidence.open, gain / np.maximum(variance, TINY), 0)

    gain = gain_of(either - need[0], gap, variance)
    through = _through_third(chance, evidence.strengths, gain)
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
