"""Strengths by Bradley and Terry's model (1952, Biometrika 39) from how often each was chosen over each.

The chance that i is chosen over j is π_i / (π_i + π_j); what decides nothing ("neither") says nothing of it. The order
that a report shows is that of `ranking.contrasts`, which ties inform, too.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

STEPS = 100


def bradley_terry(wins: np.ndarray) -> np.ndarray:
    """Log strengths (..., K) that sum to 0, from how often i won against j: (..., K, K); Newton's method.

    Leading axes are replicates. Values that run to infinity, because some win or lose everything, stop where the
    gradient is small; see `unbeaten`.
    """
    wins = np.asarray(wins, dtype=float)
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
    """Return whether strengths are infinite or can't be compared: some group never lost to, or never met, the
    others."""
    return connected_components(np.asarray(wins) > 0, directed=True, connection="strong")[0] > 1
