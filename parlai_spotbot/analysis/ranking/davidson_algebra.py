"""The likelihood of Davidson's model in dense K × K algebra, for any number of replicates at once.

It depends on the data through counts (K, K, 3) only, and its information matrix in the strengths is the Laplacian of a
K × K matrix, so a step of Newton's method costs the same whatever the number of judgements. Parameters are K log
strengths, log ν, log γ; those that aren't `free` are held.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN


def with_prior(counts: np.ndarray, prior: float) -> np.ndarray:
    """Counts (..., K, K, 3) with `prior` pseudo-matches more for each pair that met, half won by each side.

    Half of them in each position, so that they don't speak of the order effect.
    """
    if not prior:
        return counts
    met = counts.sum(axis=-1)
    met = (met + np.swapaxes(met, -1, -2) > 0)[..., None]
    return counts + prior / 4 * met * np.eye(3)[[WIN, LOSS]].sum(axis=0)


@dataclass(frozen=True)
class Sums:
    """What the likelihood needs: matches `n` (replicates, K, K) and sufficient statistics (replicates, K + 2)."""

    n: np.ndarray
    observed: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> Sums:
        win, tie = counts[..., WIN], counts[..., TIE]
        taken = win + tie / 2
        given = counts[..., LOSS] + tie / 2
        size = counts.shape[1]
        observed = np.empty((len(counts), size + 2))
        observed[:, :size] = taken.sum(axis=2) + given.sum(axis=1)
        observed[:, size], observed[:, size + 1] = tie.sum(axis=(1, 2)), win.sum(axis=(1, 2))
        return cls(counts.sum(axis=-1), observed)

    def __getitem__(self, rows: np.ndarray) -> Sums:
        return Sums(self.n[rows], self.observed[rows])


def shares(theta: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Chances (replicates, K, K) that bot i, as entity 0, wins against j, and that they tie."""
    size = theta.shape[1] - 2
    half = np.exp(theta[:, :size] / 2)
    nu = np.exp(theta[:, size]) * free[:, size]
    # In units of the root of the product of both strengths: the tie is ν, and no power overflows early.
    ratio = half[:, :, None] / half[:, None, :]
    win = ratio * np.exp(theta[:, size + 1])[:, None, None]
    nu = nu[:, None, None]
    scale = 1 / (win + nu + 1 / ratio)
    return win * scale, nu * scale


def derivatives(sums: Sums, theta: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient (replicates, K + 2) and information (replicates, K + 2, K + 2) of the log-likelihood.

    Parameters that aren't free have gradient 0 and information 1. The strengths' sum, which the likelihood says nothing
    about, gets a penalty of `sum_penalty`: where the sum is 0 it stays so.
    """
    size = theta.shape[1] - 2
    win, tie = shares(theta, free)
    share = win + tie / 2  # of a match that entity 0 takes, a tie being half
    won, tied, taken = sums.n * win, sums.n * tie, sums.n * share
    expected = np.empty_like(theta)
    expected[:, :size] = taken.sum(axis=2) - taken.sum(axis=1) + sums.n.sum(axis=1)
    expected[:, size], expected[:, size + 1] = tied.sum(axis=(1, 2)), won.sum(axis=(1, 2))
    information = np.zeros((len(theta), size + 2, size + 2))
    linked, places = information[:, :size, :size], np.arange(size)
    spread = won + tied / 4 - taken * share
    np.add(spread, spread.transpose(0, 2, 1), out=linked)
    degree = linked.sum(axis=2)
    linked *= -1
    linked[:, places, places] += degree
    linked += sum_penalty(degree)[:, None, None]
    for place, column in ((size, tied * (0.5 - share)), (size + 1, won * (1 - share))):
        information[:, :size, place] = column.sum(axis=2) - column.sum(axis=1)
        information[:, place, :size] = information[:, :size, place]
    information[:, size, size] = expected[:, size] - np.einsum("rij,rij->r", tied, tie)
    information[:, size + 1, size + 1] = expected[:, size + 1] - np.einsum("rij,rij->r", won, win)
    information[:, size, size + 1] = information[:, size + 1, size] = -np.einsum("rij,rij->r", tied, win)
    for place in (size, size + 1):
        held = ~free[:, place]
        information[held, place], information[held, :, place] = 0.0, 0.0
        information[held, place, place] = 1.0
    return (sums.observed - expected) * free, information


def sum_penalty(degree: np.ndarray) -> np.ndarray:
    """What is added to every entry of the Laplacian whose diagonal is `degree` (..., K)."""
    return degree.mean(axis=-1) / degree.shape[-1]


def log_likelihood(counts: np.ndarray, theta: np.ndarray, free: np.ndarray) -> float:
    """Of one set of counts (K, K, 3) at one set of parameters (K + 2,)."""
    size = len(theta) - 2
    level, tie = theta[:size], theta[size] if free[size] else -np.inf
    worth = np.empty(counts.shape)
    worth[..., WIN] = level[:, None] + theta[size + 1]
    worth[..., TIE] = tie + (level[:, None] + level) / 2
    worth[..., LOSS] = level
    seen = counts > 0
    logs = worth - np.logaddexp.reduce(worth, axis=-1, keepdims=True)
    return float(counts[seen] @ logs[seen])
