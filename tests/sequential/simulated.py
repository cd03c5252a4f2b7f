"""Simulated studies that are served until settled, and the fixed studies beside them.

Nobody's answers come from the model of the evidence: a judge compares two normal impressions and finds them equal where
they are near, each annotator has a taste for each contestant, and each conversation goes better or worse. Where nothing
else is said these effects are as large as in the paper's data; `LARGE` is three times that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.sequential.betting import bets
from parlai_spotbot.sequential.evidence import UNASKED, Bets, Evidence, Rules, added, begin, decided, intervals

SCALE, NEAR = 0.6, 0.3
"""Impressions per logit of strength, and how near to each other two are equal."""

STEPS = np.array([-1.5, -0.5, 0.5, 1.5])
"""Impressions between which ratings lie."""

LEVEL = 0.95


@dataclass(frozen=True)
class Crowd:
    """Standard deviations, in logits, of annotators' tastes and of conversations; and items an annotator."""

    taste: float = 0.3
    conversation: float = 0.5
    items: int = 5
    leniency: float = 0.0

    def share(self, difference: np.ndarray) -> np.ndarray:
        """Return the true share of points at these differences of strength."""
        sd = np.sqrt(1 + SCALE**2 * (2 * self.taste**2 + self.conversation**2))
        low, high = (ndtr((SCALE * difference + side) / sd) for side in (-NEAR, NEAR))
        return (low + high) / 2

    def answers(self, rng: np.random.Generator, strength: np.ndarray) -> np.ndarray:
        """Return points for these differences of strength, annotators' tastes among them."""
        strength = strength + rng.normal(0, self.conversation, strength.shape)
        return self.seen(SCALE * strength + rng.normal(0, 1, strength.shape))

    def seen(self, impression: np.ndarray) -> np.ndarray:
        """Return points for these impressions."""
        return np.where(np.abs(impression) < NEAR, 0.5, (impression > 0).astype(float))

    def scores(self, true: np.ndarray) -> np.ndarray:
        """Return the true scores against all others of contestants of these strengths (S, K), or mean ratings."""
        return (self.share(true[:, :, None] - true[:, None, :]).sum(2) - 0.5) / (true.shape[1] - 1)


LARGE = Crowd(0.9, 1.5)


@dataclass(frozen=True)
class Raters(Crowd):
    """Annotators who rate one contestant after the other from 0 to 1, in five steps; some are more lenient."""

    conversation: float = 0.8
    items: int = 1
    leniency: float = 0.4

    def scores(self, true: np.ndarray) -> np.ndarray:
        sd = np.sqrt(1 + SCALE**2 * (self.taste**2 + self.conversation**2 + self.leniency**2))
        return ndtr((SCALE * true[..., None] - STEPS) / sd).mean(-1)

    def seen(self, impression: np.ndarray) -> np.ndarray:
        return (impression[..., None] > STEPS).mean(-1)


LARGE_RATERS = Raters(0.9, 2.4, leniency=1.2)


@dataclass(frozen=True)
class Served:
    """Studies after their budgets: evidence, and in which a verdict was ever wrong, (S,)."""

    evidence: Evidence
    wrong: np.ndarray

    def decided(self) -> float:
        """Return the share of pairs of which one is better."""
        verdict = self.evidence.verdict
        asked = (verdict != UNASKED) & ~np.eye(verdict.shape[-1], dtype=bool)
        return float((np.abs(verdict[asked]) == 1).mean())


def judged(evidence: Evidence, placed: Bets, rules: Rules, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> Evidence:
    """Return what is known after one more annotator's answers, with the verdicts that the wealth allows."""
    return decided(added(evidence, placed, rules, a, b, score), rules)


def strengths(spread: float, studies: int, contestants: int, seed: int = 7) -> np.ndarray:
    """Draw strengths in logits, (S, K)."""
    return np.random.default_rng(seed).normal(0, 1, (studies, contestants)) * spread


def serve(true: np.ndarray, budget: int, crowd: Crowd, seed: int, margin: float = 0.0) -> Served:
    """Serve studies of these strengths (S, K) side by side, with a look after every annotator."""
    rng, (studies, size) = np.random.default_rng(seed), true.shape
    scale = int(isinstance(crowd, Raters))
    rules, evidence = Rules(1 - LEVEL, margin, budget), begin(size + scale, (studies,), bool(scale))
    stock = to_scale(size + 1) if scale else np.inf
    upper, row = np.triu_indices(size + scale, 1), np.arange(studies)[:, None]
    difference = true[:, :, None] - true[:, None, :]
    unequal = np.abs(crowd.share(difference) - 0.5) >= margin
    wrong = np.zeros(studies, dtype=bool)
    while evidence.answers.max() < budget:
        placed = bets(evidence, rules, stock=stock)
        chances = np.cumsum(placed.chance[:, upper[0], upper[1]], 1)
        drawn = (rng.random((studies, crowd.items, 1)) * chances[:, None, -1:] > chances[:, None, :]).sum(2)
        a, b = upper[0][drawn], upper[1][drawn]
        own = true + rng.normal(0, crowd.taste, (studies, size))
        of_scale = rng.normal(0, crowd.leniency, (studies, scale))
        own = np.concatenate([own, of_scale], 1)
        evidence = judged(evidence, placed, rules, a, b, crowd.answers(rng, own[row, a] - own[row, b]))
        verdict = evidence.verdict[:, :size, :size]
        wrong |= (((verdict == 1) & (difference <= 0)) | ((verdict == 2) & unequal)).any((1, 2))
    return Served(evidence, wrong)


def to_scale(size: int) -> np.ndarray:
    """Return the stock (K, K) of contestants that are rated, the last of them the scale."""
    return 1e6 * np.logical_xor.outer(*[np.arange(size) == size - 1] * 2)


def coverage(served: Served, true: np.ndarray, crowd: Crowd) -> float:
    """Return how often the intervals of differences of scores hold the true ones."""
    a, b = np.triu_indices(true.shape[1], 1)
    scores, (found, half) = crowd.scores(true), intervals(served.evidence, LEVEL)
    return float((np.abs(found[:, a] - found[:, b] - scores[:, a] + scores[:, b]) <= half[:, a, b]).mean())


@dataclass(frozen=True)
class Fixed:
    """Answers of studies (S, n) of a size fixed before, which are packed alike: pairs (2, n), annotators and
    conversations (n,)."""

    pairs: np.ndarray
    annotators: np.ndarray
    conversations: np.ndarray
    points: np.ndarray


def packed(rng: np.random.Generator, true: np.ndarray, answers: int, crowd: Crowd, each: int) -> Fixed:
    """Return the answers to studies of these strengths (S, K), by `each` annotators a conversation."""
    pairs, talks, studies = np.array(np.triu_indices(true.shape[1], 1)), answers // each, len(true)
    talk = np.concatenate([rng.permutation(talks) for _ in range(each)])
    who = np.arange(len(talk)) // crowd.items
    a, b = met = pairs[:, np.resize(np.arange(pairs.shape[1]), talks)[talk]]
    strength = true[:, None] + rng.normal(0, crowd.taste, (studies, who[-1] + 1, true.shape[1]))
    better = rng.normal(0, crowd.conversation, (studies, talks))[:, talk]
    rest = Crowd(0, 0, crowd.items)
    return Fixed(met, who, talk, rest.answers(rng, strength[:, who, a] - strength[:, who, b] + better))


def pairs_tested(study: Fixed, count: int) -> pd.Series:
    """Return p of each pair of contestants in one such study, by the first answers so many."""
    names = [f"bot{i}" for i in range(study.pairs.max() + 1)]
    matches = {side: pd.Categorical.from_codes(at, names) for side, at in zip("ab", study.pairs, strict=True)}
    matches |= {"conversation_id": study.conversations.astype(str), "worker_id": study.annotators.astype(str)}
    matches = pd.DataFrame(matches | {"outcome": (2 * study.points[0] - 1).astype(int)})
    return contrasts(matches[:count], names, order=False).pairs["p_adjusted"]


def fixed(true: np.ndarray, answers: int, crowd: Crowd, seed: int, each: int = 1) -> float:
    """Return the share of pairs decided by studies of a size fixed before, `each` annotators a conversation."""
    rng = np.random.default_rng(seed)
    shares = [(pairs_tested(packed(rng, one[None], answers, crowd, each), answers) < 1 - LEVEL).mean() for one in true]
    return float(np.mean(shares))


def cost(true: np.ndarray, answers: int, crowd: Crowd, seed: int, each: int = 1) -> float:
    """Return the answers that decide as many pairs as a fixed study of so many, as a share of these."""
    wanted, sizes, shares = fixed(true, answers, crowd, seed, each), [], []
    for size in (0.35, 0.5, 0.65, 0.8, 0.95, 1.1, 1.3):
        sizes.append(size)
        shares.append(serve(true, int(size * answers), crowd, seed).decided())
        if shares[-1] >= wanted:
            return float(np.interp(wanted, shares, sizes))
    return np.inf
