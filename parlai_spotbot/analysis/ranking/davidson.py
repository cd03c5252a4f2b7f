"""Davidson's (1970) model of paired comparisons with ties, and an order effect (Davidson & Beaver 1977).

With strengths π, a tie parameter ν and an order effect γ, bot i as entity 0 beats bot j in proportion to γπᵢ, loses
in proportion to πⱼ, and ties in proportion to ν√(πᵢπⱼ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from parlai_spotbot.analysis.ranking.davidson_algebra import STEP, PairedCounts
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
    if prior:  # half of the pseudo-matches in each order, so that they say nothing of the order effect
        met = counts.sum(axis=-1)
        counts = counts + prior / 4 * (met + met.T > 0)[..., None] * np.eye(3)[[WIN, LOSS]].sum(axis=0)
    _check_finite(matrix.names, counts)
    return _result(tuple(matrix.names), PairedCounts.of(counts, order, penalty=0.0), prior, level)


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


def _maximum(model: PairedCounts) -> tuple[np.ndarray, float, np.ndarray]:
    """Return parameters (p,), log-likelihood and information at the maximum, by Newton's method with halved steps."""
    theta = np.zeros(model.parameters)
    loglik = float(model.value(theta))
    for _ in range(100):
        chances = np.exp(model.log_chances(theta))
        information = model.information(chances)
        gradient = model.score(chances, np.zeros_like(information))
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        if gradient @ step < 1e-12 * max(1.0, abs(loglik) * 1e-3):
            _check_estimable(theta, information)
            return theta, loglik, information
        scale, before = min(1.0, 5 * STEP / float(np.abs(step).max(initial=1e-300))), loglik
        while (loglik := float(model.value(theta + scale * step))) < before and scale > 1e-10:
            scale /= 2
        theta = theta + scale * step
        if np.abs(theta).max() > 5 * LARGEST:
            break
    raise ValueError("matrix: the likelihood has no finite maximum; try order=False or prior > 0")


def _check_estimable(theta: np.ndarray, information: np.ndarray) -> None:
    # Scaled to a unit diagonal, so that a rare outcome isn't taken for one that can't be estimated.
    scale = 1 / np.sqrt(np.maximum(np.diag(information), 1e-300))
    if np.linalg.eigvalsh(information * scale * scale[:, None])[0] < 1e-10 or np.abs(theta).max() > LARGEST:
        raise ValueError(
            "matrix: strengths and order effect can't be told apart, or have no finite maximum; expected pairs "
            "that were played in both orders, or order=False"
        )


def _result(names: tuple[str, ...], model: PairedCounts, prior: float, level: float) -> DavidsonFit:
    theta, loglik, information = _maximum(model)
    size = len(names)
    variance = np.diag(np.linalg.inv(information)).copy()
    variance[:size] -= 1 / size**2  # of the strengths' sum, which is 0 by definition and not by the data
    half = norm.ppf((1 + level) / 2) * np.sqrt(np.maximum(variance, 0.0))
    ci = np.stack([theta - half, theta + half], axis=-1)
    unknown = (np.nan, np.array([np.nan, np.nan]))
    tie = (theta[size], ci[size]) if model.ties else unknown
    order = (theta[-1], ci[-1]) if model.order else unknown
    return DavidsonFit(
        names,
        theta[:size],
        ci[:size],
        float(tie[0]),
        tuple(tie[1].tolist()),
        float(order[0]),
        tuple(order[1].tolist()),
        loglik,
        prior,
    )
