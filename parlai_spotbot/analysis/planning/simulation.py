"""Power by simulation (Card et al. 2020, EMNLP): matches from Davidson's model, conversations and workers differing.

The log strengths' difference of a match is that of the two bots, plus effects of the conversation, of the worker's
liking for either bot, and of the worker and the pair, all normal. Their sizes are found so that the matches have the
wished win rate, ties and correlations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import least_squares
from scipy.special import logit
from scipy.stats import binomtest

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.ranking.contrasts import contrasts

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


def moments(latent: Latent) -> np.ndarray:
    """Win rate of decided matches, share of ties, and correlation of two matches by conversation and by worker."""
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    weight = weight / weight.sum()
    effect = latent.gap + latent.conversation * node[:, None] + latent.worker * node[None, :]
    chances = outcome_chances(effect, latent.tie)
    win, tie, loss = np.einsum("i,j,ijo->o", weight, weight, chances)
    lead = (win - loss) / (win + loss)
    residual = (1 - lead) * chances[..., 0] - (1 + lead) * chances[..., 2]  # of the decided, see `match_correlations`
    variance = (win + loss) * (1 - lead**2)
    by_conversation = weight @ (residual @ weight) ** 2 / variance
    by_worker = weight @ (weight @ residual) ** 2 / variance
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
    a, b = np.where(turned, j[pair], i[pair]), np.where(turned, i[pair], j[pair])
    chosen = _chosen(len(pair), design, rng)
    people = int(chosen.max()) + 1
    liking = np.sqrt(design.taste / 2) * latent.worker * rng.standard_normal((people, len(strength)))
    own = np.sqrt(1 - design.taste) * latent.worker * rng.standard_normal((people, len(i)))
    effect = strength[a] - strength[b] + latent.conversation * rng.standard_normal(pair.shape)
    effect = effect + liking[chosen, a] - liking[chosen, b] + np.where(turned, -1, 1) * own[chosen, pair]
    chances, drawn = outcome_chances(effect, latent.tie), rng.random(chosen.shape)
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
    """Who annotates each of `talks` conversations: (talks, annotations a conversation), nobody one twice.

    How much people do is lognormal, with the design's mean and Σ m² / Σ m.
    """
    size, mean = design.annotations_per_conversation, design.annotations_per_worker
    annotations = talks * size
    people = max(size, round(annotations / mean))
    weight = np.exp(np.sqrt(np.log(max(1.0, design.effective_per_worker / mean))) * rng.standard_normal(people))
    ends = np.round(np.cumsum(weight / weight.sum()) * annotations).astype(int)
    numbers = np.minimum(np.diff(ends, prepend=0), talks)
    while numbers.sum() < annotations:  # what is too much for one goes to those who have least
        place = np.argsort(numbers, kind="stable")[: annotations - int(numbers.sum())]
        numbers[place] += 1
    # Dealt in turn, so that a person's annotations lie on different conversations.
    dealt = np.repeat(np.arange(people), numbers).reshape(size, talks)
    return dealt.T[rng.permutation(talks)]


def simulated_power(
    rate: float,
    conversations: int,
    design: Design,
    *,
    strength: np.ndarray | None = None,
    pair: tuple[int, int] = (0, 1),
    repetitions: int = 1000,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
) -> dict:
    """Share of simulated studies in which the contrasts of the whole pool find the difference of a pair.

    Parameters
    ----------
    rate, conversations, design
        As of `pair_power`, which it checks. With ``rate=0.5`` it is the share of false alarms.
    strength, pair : optional
        Log strengths (K,), and of which two the difference is asked for; by default the others stand half way between.
    progress : callable, optional
        Called after each study.

    Returns
    -------
    dict
        power (with Holm's correction, or none, as the design says), ci (exact 95 % interval of the Monte Carlo error),
        repetitions.
    """
    if repetitions < 1:
        raise ValueError(f"repetitions is {repetitions}, expected a whole number from 1 up")
    latent, rng, found = latent_of(rate, design), np.random.default_rng(seed), 0
    if strength is None:
        strength = np.append([0.5, -0.5], np.zeros(design.bots - 2)) * latent.gap
    else:  # effects of conversations and people draw win rates towards .5
        strength = np.asarray(strength, dtype=float) * latent.gap / logit(rate)
    place = int(np.flatnonzero((np.transpose(np.triu_indices(design.bots, 1)) == np.sort(pair)).all(axis=1))[0])
    names = [f"bot {place}" for place in range(design.bots)]
    column = "p_adjusted" if design.correction == "bonferroni" else "p"
    for _ in range(repetitions):
        pairs = contrasts(simulate(latent, strength, conversations, design, rng), names).pairs
        found += pairs[column].iloc[place] * (design.looks if column == "p_adjusted" else 1) < 1 - design.level
        if progress is not None:
            progress()
    ci = binomtest(int(found), repetitions).proportion_ci(method="exact")
    return {"power": found / repetitions, "ci": [float(ci.low), float(ci.high)], "repetitions": repetitions}
