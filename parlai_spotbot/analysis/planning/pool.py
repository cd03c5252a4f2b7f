"""How sure a difference of two bots will be when all matches of a pool tell of it, as `ranking.contrasts` tests it.

In a pool where every pair meets, the bots that both have met help: with K bots a difference has 2 / K of the variance
that the pair's own matches would give. Matches of a conversation are all of one pair, so the design effect multiplies
that; an annotator's liking for single bots enters all of their matches, and doesn't shrink with K. The variance is the
expected sandwich (Cameron, Gelbach & Miller 2011), with Student's t by effective conversations and annotators. It
takes the expected error for that of every study; where few people do very unequally much, `simulation.calibrated`
corrects it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit, logit
from scipy.stats import nct
from scipy.stats import t as student

from parlai_spotbot.analysis.planning.design import Design, fewest, shared_annotations
from parlai_spotbot.analysis.uncertainty.clusters import FEW, OWN

LEAST = 0.7
"""Of a statistic's slope: beyond that an exact test is the floor."""


@dataclass(frozen=True)
class PlannedPool:
    """K bots of log strengths `strength` (K,), and how many conversations each two have: `talks` (K, K), symmetric."""

    strength: np.ndarray
    talks: np.ndarray
    design: Design

    @classmethod
    def even(cls, strength: np.ndarray, design: Design) -> PlannedPool:
        """Each pair has one conversation; `PlannedPair.power` takes any number of times as many."""
        return cls(np.asarray(strength, dtype=float), 1.0 - np.eye(len(strength)), design)

    @cached_property
    def weight(self) -> np.ndarray:
        """What the matches of one conversation tell of the difference of two strengths (K, K), were they independent:
        ties tell nothing, a decided one p (1 - p)."""
        rate = expit(self.strength[:, None] - self.strength[None, :])
        decided = self.design.annotations_per_conversation * (1 - self.design.ties)
        return decided * rate * (1 - rate) * (1 - np.eye(len(rate)))

    @cached_property
    def spread(self) -> np.ndarray:
        """How much a taste for one of two bots moves the matches of one conversation: (K, K)."""
        return np.sqrt(self.weight * self.design.annotations_per_conversation)

    @cached_property
    def inverse(self) -> np.ndarray:
        """Of the information about strengths: (K, K)."""
        return np.linalg.pinv(_laplacian(self.talks * self.weight))

    @cached_property
    def pulled(self) -> np.ndarray:
        return _laplacian(self.talks * self.spread)

    def pair(self, a: int, b: int, gap: float | None = None) -> PlannedPair:
        """What is to be found of two bots that are `gap` apart in log strength, by default as in the pool."""
        return PlannedPair(self, a, b, abs(self.strength[a] - self.strength[b] if gap is None else gap))


@dataclass(frozen=True)
class PlannedPair:
    """The difference of two bots of a pool.

    Numbers are of a study that has `times` as many conversations of all pairs as the pool, and `more` of this pair.
    """

    pool: PlannedPool
    a: int
    b: int
    gap: float

    @cached_property
    def _weights(self) -> np.ndarray:
        return self.pool.inverse[self.a] - self.pool.inverse[self.b]

    @cached_property
    def _parts(self) -> tuple[float, ...]:
        """At one time the pool: its variance without clusters; sums over annotators' tastes and over pairs; and of the
        information by conversation, its sum and its square's."""
        pool, weights = self.pool, self._weights
        own = weights[:, None] - weights[None, :]
        square = weights**2
        met = pool.talks.sum(axis=1)
        return (
            float(weights[self.a] - weights[self.b]),
            float(np.square(pool.pulled @ weights).sum()),
            float(np.square(pool.talks * pool.spread * own).sum() / 2),
            float(met @ square),
            float(met @ square**2 + square @ pool.talks @ square),
        )

    def error(self, times: float = 1.0, more: float = 0.0) -> tuple[float, float]:
        """Expected standard error, and degrees of freedom."""
        pool, design = self.pool, self.pool.design
        alone, liked, own, held, squared = self._parts
        weight, spread = (values[self.a, self.b] for values in (pool.weight, pool.spread))
        # One more conversation of the pair changes the inverse by Sherman and Morrison's formula: weights only shrink.
        grown = 1 + more * weight * alone / times
        further = more * spread * alone / times
        at = pool.pulled @ self._weights
        liked += 2 * further * float(at[self.a] - at[self.b]) + 2 * further**2
        before = pool.talks[self.a, self.b] * spread * alone
        own += (before + further) ** 2 - before**2
        talks = times * pool.talks.sum() / 2 + more
        annotations = talks * design.annotations_per_conversation
        mean, effective = design.annotations_per_worker, design.effective_per_worker
        together = shared_annotations(mean, effective, talks, annotations) - 1
        tastes = design.taste * liked / 2 + (1 - design.taste) * own
        chance = alone / times / grown
        talked = chance * (1 + (design.annotations_per_conversation - 1) * design.conversation_correlation)
        worked = chance + design.worker_correlation * together / annotations * tastes / grown**2
        here = float(self._weights[self.a] ** 2 + self._weights[self.b] ** 2)
        held, squared = times * held + more * here, times * squared + more * here**2
        clusters = [held**2 / squared, annotations / (together + squared * talks / held**2)]
        shared = OWN**2 + (1 - OWN**2) / (len(pool.strength) - 1)
        dfs = np.maximum(np.array(clusters) - 1, 1e-9) / shared
        variance, noise = talked + worked - chance, talked**2 / dfs[0] + worked**2 / dfs[1]
        df = 0.0 if min(clusters) < FEW else max(variance**2 / noise, float(dfs.min()))
        return design.calibration * math.sqrt(variance), df

    def power(self, times: float = 1.0, more: float = 0.0, found: int = 0) -> float:
        """Chance that the test finds the difference.

        Under Holm's correction it is a lower limit, unless so many other differences as `found` are surely found.
        """
        error, df = self.error(times, more)
        return t_power(self.gap / error, df, self.pool.design.alpha_after(found), self._slope)

    @property
    def _slope(self) -> float:
        """How much the statistic moves with the estimate: a larger gap is less sure, for both then win less often by
        chance. Others are taken to stand half way between."""
        size = len(self.pool.strength)
        own, others = np.tanh(self.gap / 2) * 2 / size, np.tanh(self.gap / 4) * (size - 2) / size / 2
        return max(LEAST, 1 - self.gap / 2 * (own + others))

    def needed(self, found: int = 0) -> int | None:
        """Times the pool's conversations, from 2 up; None beyond a million."""
        if not self.gap > 0:
            return None
        return fewest(lambda times: self.power(times, found=found) >= self.pool.design.power)


def t_power(shift: float, df: float, alpha: float, slope: float = 1.0) -> float:
    """The chance that a two-sided t-test rejects, whose statistic is non-central by `shift`, and has a standard
    deviation of `slope` times the usual one."""
    if df <= 0:
        return 0.0
    limit = student.isf(alpha / 2, df)
    right, wrong = limit + (shift - limit) / slope, (shift + limit) / slope - limit  # by the side of the difference
    if right > limit + 8 and df > 4:  # where the distribution function underflows
        return 1.0
    return float(np.nan_to_num(nct.sf(limit, df, right), nan=1.0) + np.nan_to_num(nct.cdf(-limit, df, wrong)))


def pair_power(rate: float, conversations: int, design: Design, alone: bool = False) -> float:
    """Chance that the test of a pair finds its difference.

    Parameters
    ----------
    rate : float
        Share of its decided matches that the better bot wins (the paper's pairwise win rate).
    conversations : int
        Of each pair.
    alone : bool
        Whether only the pair's own matches tell of it, not those of both with the pool's others, which are taken to
        stand half way between the two.
    """
    return planned_pair(rate, design, alone).power(conversations)


def conversations_needed(rate: float, design: Design, alone: bool = False) -> int | None:
    """Fewest conversations of each pair that reach the design's power; None where no number up to a million does. See
    `pair_power`."""
    return planned_pair(rate, design, alone).needed()


def planned_pair(rate: float, design: Design, alone: bool) -> PlannedPair:
    """The two bots of `pair_power`, in a pool of one conversation a pair."""
    if not 0 < rate < 1:
        raise ValueError(f"rate is {rate}, expected a share of decided matches between 0 and 1")
    strength = np.zeros(2 if alone else design.bots)
    strength[0] = logit(rate) / 2
    strength[1] = -strength[0]
    if alone:  # annotators do other pairs, too
        design = replace(design, annotations_per_worker=1 + (design.annotations_per_worker - 1) / design.pairs)
    return PlannedPool.even(strength, design).pair(0, 1)


def _laplacian(weights: np.ndarray) -> np.ndarray:
    return np.diag(weights.sum(axis=1)) - weights
