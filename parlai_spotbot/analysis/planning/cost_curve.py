"""The chance that a comparison of two contestants comes out significant, by hours of annotators' time.

What was found in a study is taken for the truth, and studies of other sizes are drawn from it *with replacement*: a
curve from subsamples without replacement reaches 1 at the study's own size whatever the truth is, because its last
study is the study itself. Where choices are independent the chance has a closed form and nothing is drawn. Only a
pair's own data are drawn, whole conversations at a time: what annotators of ratings have in common is left out, so that
ratings by few people promise too much, and what other pairs tell of a pair, so that choices promise too little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as t_distribution

from parlai_spotbot.analysis.uncertainty.shares import binomial_power

ALPHA = 0.05
POWER = 0.8
POINTS = 12


@dataclass(frozen=True)
class ChoiceCounts:
    """Independent choices between two: how many were for the first, for the second, and for neither."""

    won: int
    lost: int
    ties: int = 0


@dataclass(frozen=True)
class ConversationMeans:
    """Mean ratings of the conversations of each of two contestants, and how many annotations a conversation took."""

    first: np.ndarray
    second: np.ndarray
    annotations: float = 1.0


PairData = ChoiceCounts | ConversationMeans


@dataclass(frozen=True)
class CostCurve:
    """The chance of a significant result at each of `hours`; `low`, `high` at the ends of the effect's interval.

    `annotations` at each of them; `needed`: hours for a chance of `POWER`, None where the effect never gives it within
    `hours`; `effect`, `interval`: win share of the decided, or difference of means.
    """

    hours: np.ndarray
    annotations: np.ndarray
    power: np.ndarray
    low: np.ndarray
    high: np.ndarray
    effect: float
    interval: tuple[float, float]
    needed: float | None
    seconds: float

    def to_dict(self) -> dict:
        return {key: getattr(self, key) for key in self.__dataclass_fields__}


def hour_grid(spent: float, points: int = POINTS) -> np.ndarray:
    """Hours from a tenth of what was spent to ten times it, evenly on a log scale."""
    if not spent > 0:
        raise ValueError(f"spent is {spent}, expected hours above 0")
    return spent * np.logspace(-1, 1, points)


def cost_curve(
    sample: PairData,
    seconds: float,
    hours: Sequence[float],
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    alpha: float = ALPHA,
    interval: tuple[float, float] | None = None,
) -> CostCurve:
    """The chance of a two-sided p below `alpha` after so many `hours`, each annotation taking `seconds` on average.

    Parameters
    ----------
    sample : ChoiceCounts or ConversationMeans
        What was found. Choices are tested by the exact binomial test of the decided, ratings by Welch's t-test of the
        conversations' means, both contestants with the same number of conversations.
    interval : pair, optional
        Of the effect (win share of the decided, or difference of means), for `low` and `high`: the chance if the
        truth is at its nearer and at its farther end. Where it holds "no difference", the nearer end is that.

    Raises
    ------
    ValueError
        Names the argument that can't be.
    """
    hours = np.asarray(hours, dtype=float)
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}, expected a mean time above 0")
    if not (len(hours) and (hours > 0).all()):
        raise ValueError("hours: expected numbers above 0")
    number = np.maximum(1, np.floor(hours * 3600 / seconds)).astype(int)
    effect, none = _effect(sample), 0.0 if isinstance(sample, ConversationMeans) else 0.5
    ends = (effect, effect) if interval is None or not np.isfinite(interval).all() else interval
    away = sorted(ends, key=lambda end: abs(end - none))
    nearer = none if min(ends) <= none <= max(ends) else away[0]
    curves = [_power(sample, end, number, rng, replicates, alpha) for end in (effect, nearer, away[1])]
    reached = np.flatnonzero(curves[0] >= POWER)
    needed = None
    if len(reached) and (curves[0][reached[0] :] >= POWER - 0.05).all():
        needed = float(hours[reached[0]])
    low, high = np.minimum(curves[1], curves[2]), np.maximum(curves[1], curves[2])
    return CostCurve(
        hours,
        number,
        curves[0],
        np.minimum(low, curves[0]),
        np.maximum(high, curves[0]),
        effect,
        (float(ends[0]), float(ends[1])),
        needed,
        float(seconds),
    )


def _effect(sample: PairData) -> float:
    if isinstance(sample, ConversationMeans):
        return float(np.mean(sample.first) - np.mean(sample.second))
    decided = sample.won + sample.lost
    return sample.won / decided if decided else 0.5


def _power(
    sample: PairData, effect: float, number: np.ndarray, rng: np.random.Generator, replicates: int, alpha: float
) -> np.ndarray:
    if isinstance(sample, ChoiceCounts):
        total = sample.won + sample.lost + sample.ties
        decided = (sample.won + sample.lost) / total if total else 1.0
        return np.array([binomial_power(int(n), effect, decided, alpha) for n in number])
    return np.array([_rating_power(sample, effect, int(n), rng, replicates, alpha) for n in number])


def _rating_power(
    sample: ConversationMeans, effect: float, n: int, rng: np.random.Generator, replicates: int, alpha: float
) -> float:
    """Conversations of each contestant with replacement, n annotations in all; Welch's t-test."""
    m = max(2, round(n / (2 * sample.annotations)))
    first = np.asarray(sample.first, dtype=float) + (effect - _effect(sample))
    second, found = np.asarray(sample.second, dtype=float), 0
    for x, y in zip(_batches(first, m, rng, replicates), _batches(second, m, rng, replicates), strict=True):
        a, b = x.var(axis=1, ddof=1) / m, y.var(axis=1, ddof=1) / m
        df = np.divide((a + b) ** 2 * (m - 1), a**2 + b**2, out=np.full(len(a), m - 1.0), where=(a + b) > 0)
        found += _beyond(x.mean(axis=1) - y.mean(axis=1), np.sqrt(a + b), df, alpha).sum()
    return float(found / replicates)


def _beyond(mean: np.ndarray, se: np.ndarray, df: np.ndarray | float, alpha: float) -> np.ndarray:
    """Which are significant; without any spread nothing is said of the truth, so such a study is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * t_distribution.sf(np.abs(mean) / se, df)
    return (se > 0) & (p < alpha)


def _batches(values: np.ndarray, m: int, rng: np.random.Generator, replicates: int):
    """Draws (some, m) with replacement, at most two million numbers at a time."""
    step = max(1, 2_000_000 // m)
    for start in range(0, replicates, step):
        yield rng.choice(values, size=(min(step, replicates - start), m))
