"""Power by simulation (Card et al. 2020, EMNLP): matches from Davidson's model, conversations and workers differing.

The log strengths' difference of a match is that of the two bots, plus an effect of the conversation, plus one of the
worker (who has a taste for one bot), both normal. Their sizes are found so that the matches have the wished win rate,
ties and correlations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from scipy.stats import binomtest

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.ranking.contrasts import contrasts

NODES = 41
"""Of the Gauss–Hermite quadrature."""


@dataclass(frozen=True)
class Latent:
    """Difference of log strengths, log ν, and the standard deviations of conversations' and workers' effects on it."""

    gap: float
    tie: float
    conversation: float
    worker: float


def outcome_chances(gap: np.ndarray, tie: float) -> np.ndarray:
    """Chances (..., 3) of win, tie, loss by Davidson's model."""
    worth = np.exp(np.stack([gap / 2, np.full(np.shape(gap), tie), -gap / 2], axis=-1))
    return worth / worth.sum(axis=-1, keepdims=True)


def moments(latent: Latent) -> np.ndarray:
    """Win rate of decided matches, share of ties, and correlation of two matches by conversation and by worker."""
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    weight = weight / weight.sum()
    effect = latent.gap + latent.conversation * node[:, None] + latent.worker * node[None, :]
    chances = outcome_chances(effect, latent.tie)
    win, tie, loss = np.einsum("i,j,ijo->o", weight, weight, chances)
    mean = chances[..., 0] - chances[..., 2]
    variance = win + loss - (win - loss) ** 2
    by_conversation = weight @ (mean @ weight - (win - loss)) ** 2 / variance
    by_worker = weight @ (weight @ mean - (win - loss)) ** 2 / variance
    return np.array([win / (win + loss), tie, by_conversation, by_worker])


def latent_of(rate: float, design: Design) -> Latent:
    """The model under which matches have the win rate `rate` and the design's ties and correlations.

    Raises
    ------
    ValueError
        Where there is none.
    """
    wished = np.array([rate, design.ties, design.conversation_correlation, design.worker_correlation])
    free = np.array([True, design.ties > 0, wished[2] > 0, wished[3] > 0])
    start = np.array([np.log(rate / (1 - rate)), 0.5, 1.0, 1.0]) if 0 < rate < 1 else None
    if start is None:
        raise ValueError(f"rate is {rate}, expected a number between 0 and 1")

    def of(values: np.ndarray) -> Latent:
        full = np.array([0.0, -np.inf, 0.0, 0.0])
        full[free] = values
        return Latent(*full)

    bounds = ([-20, -20, 0, 0], [20, 20, 20, 20])
    fit = least_squares(
        lambda values: (moments(of(values)) - wished)[free],
        start[free],
        bounds=tuple(np.array(b)[free] for b in bounds),
    )
    if np.abs(fit.fun).max() > 1e-4:
        raise ValueError(
            f"no matches have the win rate {rate}, ties {design.ties} and correlations "
            f"{design.conversation_correlation} and {design.worker_correlation}; expected smaller correlations"
        )
    return of(fit.x)


def simulate_pair(
    latent: Latent, conversations: int, design: Design, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One study's matches of a pair: outcome, conversation and worker (n,) each; nobody sees a conversation twice."""
    size, workers = design.annotations_per_conversation, design.workers(conversations)
    chosen = rng.random((conversations, workers)).argpartition(size - 1, axis=1)[:, :size]
    effect = latent.gap + latent.conversation * rng.standard_normal((conversations, 1))
    chances = outcome_chances(effect + latent.worker * rng.standard_normal(workers)[chosen], latent.tie)
    drawn = rng.random((conversations, size))
    outcome = (drawn < chances[..., 0]).astype(int) - (drawn >= chances[..., 0] + chances[..., 1]).astype(int)
    return outcome.ravel(), np.repeat(np.arange(conversations), size), chosen.ravel()


def simulated_power(
    rate: float,
    conversations: int,
    design: Design,
    *,
    repetitions: int = 1000,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
) -> dict:
    """Share of simulated studies in which the test of a pair finds its difference.

    Parameters
    ----------
    rate, conversations, design
        As of `pair_power`, which it checks. With ``rate=0.5`` it is the share of false alarms.
    progress : callable, optional
        Called after each study.

    Returns
    -------
    dict
        power, ci (exact 95 % interval of the Monte Carlo error), repetitions.
    """
    if repetitions < 1:
        raise ValueError(f"repetitions is {repetitions}, expected a whole number from 1 up")
    latent, rng, found = latent_of(rate, design), np.random.default_rng(seed), 0
    for _ in range(repetitions):
        outcome, talk, worker = simulate_pair(latent, conversations, design, rng)
        matches = pd.DataFrame({"a": "a", "b": "b", "outcome": outcome, "conversation_id": talk, "worker_id": worker})
        found += contrasts(matches, ["a", "b"], order=False).pairs["p"].iloc[0] < design.alpha
        if progress is not None:
            progress()
    ci = binomtest(found, repetitions).proportion_ci(method="exact")
    return {"power": found / repetitions, "ci": [float(ci.low), float(ci.high)], "repetitions": repetitions}
