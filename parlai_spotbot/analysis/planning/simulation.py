"""Power by simulation (Card et al. 2020, EMNLP): matches from Davidson's model, conversations and workers differing.

The log strengths' difference of a match is that of the two bots, plus effects of the conversation and of the worker's
liking for either bot, all normal. Their sizes are found so that the matches have the
wished win rate, ties and correlations. Each study is tested by the contrasts of the whole pool, as data are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import logit, ndtri

from parlai_spotbot import engine
from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.power import conversations_needed, pair_power
from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.values import ArrayPair

LEAST_P = 1e-300
"""Smaller p are taken for it, and variances of 0."""

NODES = 41
"""Of the Gauss–Hermite quadrature."""


@dataclass(frozen=True)
class Latent:
    """Difference of log strengths of a pair, log ν, and standard deviations of conversations' and workers' effects on
    it."""

    gap: float
    tie: float
    conversation: float
    worker: float


def outcome_chances(gap: np.ndarray, tie: float) -> np.ndarray:
    """Chances (..., 3) of win, tie, loss by Davidson's model."""
    worth = np.exp(np.stack([gap / 2, np.full(np.shape(gap), tie), -gap / 2], axis=-1))
    return worth / worth.sum(axis=-1, keepdims=True)


def moments(latent: Latent, apart: ArrayLike = (1.0,)) -> np.ndarray:
    """Return the first pair's win rate of decided matches, and over all pairs the share of ties and the correlation of
    two matches by conversation and by worker.

    `apart` (pairs,) are the differences of the pairs' log strengths, in gaps of `latent`.
    """
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    weight = weight / weight.sum()
    effect = latent.conversation * node[:, None] + latent.worker * node[None, :]

    def of_pair(gap: float) -> np.ndarray:
        """Win rate, ties, covariances by conversation and by worker, variance; residuals as in `match_correlations`."""
        chances = outcome_chances(gap + effect, latent.tie)
        win, tie, loss = np.einsum("i,j,ijo->o", weight, weight, chances)
        lead = (win - loss) / (win + loss)
        residual = (1 - lead) * chances[..., 0] - (1 + lead) * chances[..., 2]
        shared = weight @ (residual @ weight) ** 2, weight @ (weight @ residual) ** 2
        return np.array([win / (win + loss), tie, *shared, (win + loss) * (1 - lead**2)])

    kinds, first, count = np.unique(np.abs(apart), return_index=True, return_counts=True)
    each = np.array([of_pair(kind * latent.gap) for kind in kinds])
    _, ties, *shared, variance = count @ each / count.sum()
    return np.array([each[first.argmin(), 0], ties, *(np.array(shared) / variance)])


def latent_of(rate: float, design: Design, apart: ArrayLike = (1.0,)) -> Latent:
    """Return the model under which the first pair has the win rate `rate`, and all the design's ties and correlations.

    `apart` is as of `moments`.

    Raises
    ------
    ValueError
        Where there is none.
    """
    from scipy.optimize import least_squares  # slow to load, and who doesn't plan doesn't wait for it

    if not 0 < rate < 1:
        raise ValueError(f"rate is {rate}, expected a number between 0 and 1")
    wished = np.array([rate, design.ties, design.conversation_correlation, design.worker_correlation])
    free = np.array([True, design.ties > 0, wished[2] > 0, wished[3] > 0])
    start = np.array([np.log(rate / (1 - rate)), 0.5, 1.0, 1.0])

    def of(values: np.ndarray) -> Latent:
        full = np.array([0.0, -np.inf, 0.0, 0.0])
        full[free] = values
        return Latent(*full)

    bounds = ([-20, -20, 0, 0], [20, 20, 20, 20])
    fit = least_squares(
        lambda values: (moments(of(values), apart) - wished)[free],
        start[free],
        bounds=tuple(np.array(b)[free] for b in bounds),
    )
    if np.abs(fit.fun).max() > 1e-4:
        raise ValueError(
            f"no matches have the win rate {rate}, ties {design.ties} and correlations "
            f"{design.conversation_correlation} and {design.worker_correlation}; expected smaller correlations"
        )
    return of(fit.x)


def simulate(
    latent: Latent, strength: np.ndarray, conversations: int, design: Design, rng: np.random.Generator
) -> pd.DataFrame:
    """One study of a pool: a, b (bot 0, bot 1, …), outcome, conversation_id, worker_id; nobody sees a conversation
    twice.

    `strength` (K,) are log strengths, `conversations` the number of each pair. How active people are is lognormal.
    """
    i, j = np.triu_indices(len(strength), 1)
    pair = np.repeat(np.arange(len(i)), conversations)[:, None]
    turned = rng.random(pair.shape) < 0.5
    a = np.where(turned, j[pair], i[pair])
    b = np.where(turned, i[pair], j[pair])
    chosen = _chosen(len(pair), design, rng)
    people = int(chosen.max()) + 1
    liking = latent.worker / np.sqrt(2) * rng.standard_normal((people, len(strength)))
    effect = strength[a] - strength[b] + latent.conversation * rng.standard_normal(pair.shape)
    effect = effect + liking[chosen, a] - liking[chosen, b]
    chances = outcome_chances(effect, latent.tie)
    drawn = rng.random(chosen.shape)
    outcome = (drawn < chances[..., 0]).astype(int) - (drawn >= chances[..., 0] + chances[..., 1])
    names = np.array([f"bot {place}" for place in range(len(strength))], dtype=object)
    each = np.repeat(np.arange(len(pair)), chosen.shape[1])
    return pd.DataFrame(
        {
            "a": names[a[each, 0]],
            "b": names[b[each, 0]],
            "outcome": outcome.ravel(),
            "conversation_id": each,
            "worker_id": chosen.ravel(),
        }
    )


def _chosen(talks: int, design: Design, rng: np.random.Generator) -> np.ndarray:
    """Return who annotates each of `talks` conversations: (talks, annotations a conversation), nobody one twice.

    Who is more active is drawn more often, by weights that are lognormal, with the design's mean and Σ m² / Σ m.
    """
    size = design.annotations_per_conversation
    mean = design.annotations_per_worker
    people = max(size, round(talks * size / mean))
    active = np.sqrt(np.log(max(1.0, (design.effective_per_worker - 1) / mean))) * rng.standard_normal(people)
    waits = rng.standard_exponential((talks, people)) * np.exp(-active)  # the first to come are drawn by weight
    return np.argpartition(waits, size - 1, axis=1)[:, :size]


def _first_pairs(
    rate: float, conversations: int, design: Design, repetitions: int, seed: int, progress: Callable[[], object]
) -> ArrayPair:
    """Return the p (repetitions,) of the first pair in simulated studies, corrected for pairs and looks, 1 where
    it isn't known; and its estimated difference (repetitions,) of log strengths."""
    if repetitions < 1:
        raise ValueError(f"repetitions is {repetitions}, expected a whole number from 1 up")
    strength = np.append([0.5, -0.5], np.zeros(design.bots - 2))
    i, j = np.triu_indices(design.bots, 1)
    latent = latent_of(rate, design, strength[i] - strength[j])
    strength = strength * latent.gap
    rng = np.random.default_rng(seed)
    names = [f"bot {place}" for place in range(design.bots)]
    studies = (simulate(latent, strength, conversations, design, rng) for _ in range(repetitions))
    p, difference = np.array(engine.map(partial(_first_pair, names), studies, progress)).T
    return np.fmin(p * design.looks, 1.0), difference


def _first_pair(names: Sequence[str], matches: pd.DataFrame) -> tuple[float, float]:
    """Return p, corrected for all pairs, and the difference of log strengths of the first pair."""
    pair = contrasts(matches, names).pairs.iloc[0]
    return float(pair["p_adjusted"]), float(pair["difference"])


def _beyond(p: np.ndarray, difference: np.ndarray, gap: float, level: float) -> tuple[float, float]:
    """Return by how many of its standard deviations the mean statistic of studies is beyond the threshold of the test,
    and the variance of that.

    It is the probit of the power where statistics are normal, and known from far fewer studies than the share of small
    `p` (n,): most of a statistic's variance is that of its `difference` (n,), whose mean `gap` is known (a control
    variate).
    """
    statistic = -np.sign(difference) * ndtri(np.maximum(p, LEAST_P) / 2)
    covariance = np.cov(statistic, difference)
    slope = covariance[0, 1] / max(covariance[1, 1], LEAST_P)
    mean = statistic.mean() - slope * (difference.mean() - gap)
    beyond = float((mean + ndtri((1 - level) / 2)) / max(np.sqrt(covariance[0, 0]), LEAST_P))
    left = 1 - slope * covariance[0, 1] / max(covariance[0, 0], LEAST_P)
    return beyond, (left + beyond**2 / 2) / len(p)


def calibrated(
    design: Design, rate: float, rounds: Sequence[int], *, seed: int = 0, progress: Callable[[], object] = int
) -> tuple[Design, float]:
    """Return the design with the `calibration` that gives its plan for `rate` the power which simulated studies find,
    and the standard error of the logarithm of that.

    Each of `rounds` plans, simulates `rounds` studies of that size (from 2 up), and multiplies the closed form's
    standard error by what explains their statistics; the geometric mean over all studies is taken. The design is
    unchanged where the power is out of reach. Of 160 studies the power of the plan has a Monte Carlo error of .02.
    """
    limit = -ndtri(design.alpha / 2)
    factors: list[float] = []
    variances: list[float] = []
    for number, studies in enumerate(rounds):
        needed = conversations_needed(rate, design)
        if needed is None:
            break
        p, difference = _first_pairs(rate, needed, design, studies, seed + number, progress)
        expected = limit + ndtri(pair_power(rate, needed, design))
        beyond, variance = _beyond(p, difference, abs(float(logit(rate))), design.level)
        seen = np.clip(limit + beyond, limit / 4, 4 * limit)
        factors.append(np.log(design.calibration * expected / seen))
        variances.append(variance / seen**2)
        design = replace(design, calibration=float(np.exp(np.average(factors, weights=rounds[: number + 1]))))
    weight = np.array(rounds[: len(factors)]) / max(1, sum(rounds[: len(factors)]))
    return design, float(np.sqrt(weight**2 @ np.array(variances)))
