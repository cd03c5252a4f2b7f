"""One order from many choices: strengths by Bradley and Terry's model (1952, Biometrika 39), with clustered errors.

The chance that i is chosen over j is π_i / (π_i + π_j); what decides nothing ("neither") says nothing of it. A
contestant's score is its share of wins if it met every other one equally often, so that who met whom doesn't count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from parlai_spotbot.analysis.ranking.clusters import cluster_places, rank_ranges
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates

STEPS = 100


@dataclass(frozen=True)
class Ordering:
    """`names` with log strengths (K,) that sum to 0 and their covariance, scores (K,), and what replicates say of them.

    `prior`: pseudo-choices added to each pair that met; `why` says why there was need of them, or why there is no
    order.
    """

    names: tuple[str, ...]
    strengths: Estimates
    score: np.ndarray
    score_ci: np.ndarray
    ranges: np.ndarray
    places: np.ndarray
    draws: np.ndarray
    prior: float
    why: str = ""

    @property
    def order(self) -> list[str]:
        """Best first; equal ones as they stand in `names`."""
        return [self.names[i] for i in np.argsort(-self.score, kind="stable")]


def bradley_terry(wins: np.ndarray, prior: float = 0.0) -> np.ndarray:
    """Log strengths (..., K) that sum to 0, from how often i won against j: (..., K, K); Newton's method.

    `prior` pseudo-choices are added to each pair that met, half for each side. Leading axes are replicates. Values that
    run to infinity, because some win or lose everything, stop where the gradient is small; see `unbeaten`.
    """
    wins = np.asarray(wins, dtype=float)
    games = wins + np.swapaxes(wins, -1, -2)
    wins = wins + prior / 2 * (games > 0)
    games = wins + np.swapaxes(wins, -1, -2)
    size = wins.shape[-1]
    strength = np.zeros(wins.shape[:-1])
    for _ in range(STEPS):
        chance = expit(strength[..., :, None] - strength[..., None, :])
        gradient = (wins - games * chance).sum(axis=-1)
        information = -games * chance * (1 - chance)
        information[..., np.arange(size), np.arange(size)] = -information.sum(axis=-1)
        information = information + 1.0  # holds the sum at 0
        step = np.linalg.solve(information + 1e-9 * np.eye(size), gradient[..., None])[..., 0]
        step *= np.minimum(1.0, 2.0 / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        strength = strength + step
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return strength - strength.mean(axis=-1, keepdims=True)


def unbeaten(wins: np.ndarray) -> bool:
    """Whether strengths are infinite or can't be compared: some group never lost to, or never met, the others."""
    return connected_components(np.asarray(wins) > 0, directed=True, connection="strong")[0] > 1


def expected_shares(strength: np.ndarray) -> np.ndarray:
    """The share of wins (..., K) against every other contestant equally often."""
    chance = expit(strength[..., :, None] - strength[..., None, :])
    size = strength.shape[-1]
    return (chance.sum(axis=-1) - 0.5) / max(size - 1, 1)


def win_counts(choices: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """How often i was chosen over j: (K, K)."""
    place = {name: i for i, name in enumerate(names)}
    first, second = (choices[column].map(place).to_numpy(dtype=int) for column in ("a", "b"))
    outcome = choices["outcome"].to_numpy()
    wins = np.zeros((len(names), len(names)))
    np.add.at(wins, (first[outcome > 0], second[outcome > 0]), 1)
    np.add.at(wins, (second[outcome < 0], first[outcome < 0]), 1)
    return wins


def ordering(
    choices: pd.DataFrame,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    crossed: bool = True,
    resample: str = "conversations_workers",
    level: float = 0.95,
) -> Ordering:
    """Order `names` by the choices (a, b, outcome, conversation_ids, worker_id) between different ones.

    Intervals and ranks come from replicates that are drawn from the estimates' clustered covariance; those whose rank
    ranges overlap share places. Without a link between all contestants there is no order: `why` says so.
    """
    names = tuple(names)
    choices = choices[(choices["a"] != choices["b"]) & (choices["outcome"] != 0)]
    wins = win_counts(choices, names)
    size = len(names)
    groups, label = connected_components(wins + wins.T > 0, directed=False)
    if size < 2 or groups > 1:
        parts = [", ".join(n for n, own in zip(names, label, strict=True) if own == g) for g in range(groups)]
        return _without_order(names, replicates, f"these were never compared with each other: {' | '.join(parts)}")
    prior = 1.0 if unbeaten(wins) else 0.0
    strength = bradley_terry(wins, prior)
    estimates = Estimates(strength, *_uncertainty(choices, names, strength, wins, prior, crossed, resample))
    draws = expected_shares(estimates.draws(replicates, rng))
    known = np.isfinite(draws).all()
    score = expected_shares(strength)
    ranges = rank_ranges(draws, level) if known else np.tile([1, size], (size, 1))
    why = "one side won everything between some of them, so one pseudo-choice was added to each pair" if prior else ""
    return Ordering(names, estimates, score, percentile_interval(draws, level), ranges, cluster_places(ranges), draws,
                    prior, why)  # fmt: skip


def _uncertainty(
    choices: pd.DataFrame,
    names: tuple[str, ...],
    strength: np.ndarray,
    wins: np.ndarray,
    prior: float,
    crossed: bool,
    resample: str,
) -> tuple[np.ndarray, float]:
    """The clustered covariance of the log strengths, and its degrees of freedom."""
    size = len(names)
    games = wins + wins.T
    games = games + prior * (games > 0)
    chance = expit(strength[:, None] - strength[None, :])
    information = -games * chance * (1 - chance)
    information[np.arange(size), np.arange(size)] -= information.sum(axis=1)
    bread = np.linalg.pinv(information, hermitian=True)
    place = {name: i for i, name in enumerate(names)}
    first, second = (choices[column].map(place).to_numpy(dtype=int) for column in ("a", "b"))
    residual = (choices["outcome"].to_numpy() > 0) - chance[first, second]
    scores = residual[:, None] * (bread[first] - bread[second])
    clusters = frame_clusters(choices, crossed, resample)
    return clusters.covariance(scores), clusters.effective - 1


def _without_order(names: tuple[str, ...], replicates: int, why: str) -> Ordering:
    size = len(names)
    nothing = Estimates(np.full(size, np.nan), np.full((size, size), np.nan), 0.0)
    ranges = np.tile([1, max(size, 1)], (size, 1))
    return Ordering(names, nothing, np.full(size, np.nan), np.full((size, 2), np.nan), ranges, ranges,
                    np.full((replicates, size), np.nan), 0.0, why)  # fmt: skip
