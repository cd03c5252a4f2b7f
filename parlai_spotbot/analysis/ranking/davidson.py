"""Davidson's (1970) model of paired comparisons with ties, and an order effect (Davidson & Beaver 1977).

With strengths π, a tie parameter ν and an order effect γ, bot i as entity 0 beats bot j in proportion to γπᵢ, loses
in proportion to πⱼ, and ties in proportion to ν√(πᵢπⱼ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from parlai_spotbot.analysis.ranking.davidson_algebra import Sums, derivatives, log_likelihood, with_prior
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN, WinMatrix

LARGEST = 10.0
"""Log parameters beyond this are on their way to infinity: odds of 22,000 to 1 against the mean bot."""


@dataclass(frozen=True)
class DavidsonFit:
    """Log strengths (K,) that sum to 0, log ν and log γ, each with a (low, high) interval; NaN where not estimated.

    `prior` is the number of pseudo-matches that was added to each pair (0: maximum likelihood).
    """

    names: tuple[str, ...]
    strength: np.ndarray
    ci: np.ndarray
    tie: float
    tie_ci: tuple[float, float]
    order: float
    order_ci: tuple[float, float]
    loglik: float
    prior: float


def davidson(matrix: WinMatrix, *, order: bool = True, prior: float = 0.0, level: float = 0.95) -> DavidsonFit:
    """Fit the model by maximum likelihood (Newton), with intervals from the observed information.

    They take matches as independent; those of `contrasts` don't.

    Parameters
    ----------
    order : bool
        Whether entity 0 may have an advantage.
    prior : float
        Pseudo-matches added to each pair that met, half won by each side: makes estimates finite where a bot
        never wins or never loses.

    Raises
    ------
    ValueError
        Where no finite maximum exists: bots that never met, even through others; bots that won or lost everything
        (and `prior` is 0); not one decided match.
    """
    counts = np.asarray(matrix.counts, dtype=float)
    if counts.ndim != 3 or len(counts) < 2:
        raise ValueError(f"matrix: counts of shape {counts.shape}, expected (K, K, 3) with two bots or more")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise ValueError(
            "matrix: counts hold a number that is below 0 or isn't finite, expected how often each happened"
        )
    if not (np.isfinite(prior) and prior >= 0):
        raise ValueError(f"prior is {prior}, expected a number from 0 up")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1")
    _check_connected(matrix)
    if not matrix.wins.sum():
        raise ValueError("matrix: not one match was decided, expected wins; the tie parameter is infinite")
    counts = with_prior(counts, prior)
    _check_finite(matrix.names, counts)
    free = np.ones(len(counts) + 2, dtype=bool)
    free[-2:] = counts[..., TIE].any(), order
    theta, loglik, information = _fit(counts, free)
    return _result(tuple(matrix.names), theta, free, loglik, information, prior, level)


def _check_connected(matrix: WinMatrix) -> None:
    met = matrix.counts.sum(axis=-1)
    parts, label = connected_components(met + met.T, directed=False)
    if parts > 1:
        groups = [", ".join(n for n, own in zip(matrix.names, label, strict=True) if own == g) for g in range(parts)]
        raise ValueError(
            f"matrix: these groups of bots never met: {' | '.join(groups)}; expected a pool in which every two "
            "bots are linked by matches"
        )


def _check_finite(names: tuple[str, ...], counts: np.ndarray) -> None:
    wins = counts[..., WIN] + counts[..., LOSS].T
    ties = counts[..., TIE] + counts[..., TIE].T
    parts, label = connected_components(wins + ties, directed=True, connection="strong")
    if parts > 1:
        groups = [", ".join(n for n, own in zip(names, label, strict=True) if own == g) for g in range(parts)]
        raise ValueError(
            f"matrix: between the groups {' | '.join(groups)} one side won every match, so strengths are infinite; "
            "expected wins or ties both ways, or prior > 0"
        )


def _fit(counts: np.ndarray, free: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
    """Parameters (K + 2,), log-likelihood and information at the maximum, by Newton's method with halved steps."""
    sums = Sums.of(counts[None])
    theta = np.zeros(len(counts) + 2)
    loglik = log_likelihood(counts, theta, free)
    for _ in range(100):
        gradient, information = (of[0] for of in derivatives(sums, theta[None], free[None]))
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        if gradient @ step < 1e-12 * max(1.0, abs(loglik) * 1e-3):
            _check_estimable(theta, information, free)
            return theta, loglik, information
        scale, before = min(1.0, LARGEST / float(np.abs(step).max(initial=1e-300))), loglik
        while (loglik := log_likelihood(counts, theta + scale * step, free)) < before and scale > 1e-10:
            scale /= 2
        theta = theta + scale * step
        if np.abs(theta).max() > 5 * LARGEST:
            break
    raise ValueError("matrix: the likelihood has no finite maximum; try order=False or prior > 0")


def _check_estimable(theta: np.ndarray, information: np.ndarray, free: np.ndarray) -> None:
    # Scaled to a unit diagonal, so that what is rare isn't taken for what can't be told.
    scale = 1 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    if np.linalg.eigvalsh(information * scale * scale[:, None])[0] < 1e-10 or np.abs(theta[free]).max() > LARGEST:
        raise ValueError(
            "matrix: strengths and order effect can't be told apart, or have no finite maximum; expected pairs "
            "that were played in both orders, or order=False"
        )


def _result(
    names: tuple[str, ...],
    theta: np.ndarray,
    free: np.ndarray,
    loglik: float,
    information: np.ndarray,
    prior: float,
    level: float,
) -> DavidsonFit:
    size = len(names)
    covariance = np.linalg.inv(information)
    # The penalty on the strengths' sum gives that sum a variance, which isn't the data's.
    penalty = information[:size, :size].sum() / size**2
    variance = np.diag(covariance).copy()
    variance[:size] -= 1 / (penalty * size**2)
    half = np.where(free, norm.ppf((1 + level) / 2) * np.sqrt(np.maximum(variance, 0.0)), np.nan)
    theta = np.where(free, theta, np.nan)
    ci = np.stack([theta - half, theta + half], axis=-1)
    tie_ci, order_ci = (tuple(ends) for ends in ci[size:].tolist())
    tie, order = theta[size:].tolist()
    return DavidsonFit(names, theta[:size], ci[:size], tie, tie_ci, order, order_ci, loglik, prior)
