"""Davidson's (1970) model of paired comparisons with ties, and an order effect (Davidson & Beaver 1977).

With strengths π, a tie parameter ν and an order effect γ, bot i as entity 0 beats bot j in proportion to γπᵢ, loses
in proportion to πⱼ, and ties in proportion to ν√(πᵢπⱼ).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm

from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN, WinMatrix


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
    _check_connected(matrix)
    if not matrix.wins.sum():
        raise ValueError("matrix: not one match was decided, expected wins; the tie parameter is infinite")
    met = counts.sum(axis=-1)
    met = np.triu(met + met.T, 1) > 0
    # Half of a pair's pseudo-matches in each position, so that they don't speak of the order effect.
    counts[..., WIN] += prior / 4 * (met | met.T)
    counts[..., LOSS] += prior / 4 * (met | met.T)
    _check_finite(matrix.names, counts)
    model = _Design(counts, order)
    theta, loglik, information = model.fit()
    return _result(matrix, model, theta, loglik, information, prior, level)


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


class _Design:
    """The log-linear form: log of each outcome's proportion is a row of `rows` times the parameters.

    Parameters: K - 1 strengths (the last bot's is minus their sum), log ν where there are ties, log γ on request.
    """

    def __init__(self, counts: np.ndarray, order: bool):
        size = len(counts)
        first, second = np.nonzero(counts.sum(axis=-1))
        self.counts = counts[first, second]
        self.has_ties = bool(self.counts[:, TIE].sum() > 0)
        self.has_order = order
        basis = np.vstack([np.eye(size - 1), -np.ones(size - 1)])
        self.basis = basis
        columns = size - 1 + self.has_ties + order
        rows = np.zeros((len(first), 3, columns))
        rows[:, WIN, : size - 1] = basis[first]
        rows[:, LOSS, : size - 1] = basis[second]
        rows[:, TIE, : size - 1] = (basis[first] + basis[second]) / 2
        if self.has_ties:
            rows[:, TIE, size - 1] = 1
        if order:
            rows[:, WIN, -1] = 1
        self.rows = rows
        self.outcomes = np.array([True, self.has_ties, True])

    def evaluate(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Log-likelihood, gradient, and information (minus the Hessian) at `theta`."""
        score = np.where(self.outcomes, self.rows @ theta, -np.inf)
        top = score.max(axis=1, keepdims=True)
        logp = score - top - np.log(np.exp(score - top).sum(axis=1, keepdims=True))
        p = np.exp(logp)
        n = self.counts.sum(axis=1)
        mean = np.einsum("po,poc->pc", p, self.rows)
        gradient = np.einsum("po,poc->c", self.counts, self.rows) - n @ mean
        second = np.einsum("p,po,poc,pod->cd", n, p, self.rows, self.rows)
        information = second - np.einsum("p,pc,pd->cd", n, mean, mean)
        seen = self.counts > 0
        return float(self.counts[seen] @ logp[seen]), gradient, information

    def fit(self) -> tuple[np.ndarray, float, np.ndarray]:
        theta = np.zeros(self.rows.shape[-1])
        loglik, gradient, information = self.evaluate(theta)
        for _ in range(100):
            step = np.linalg.lstsq(information, gradient, rcond=None)[0]
            if gradient @ step < 1e-12:
                return self._finite(theta, information), loglik, information
            scale = 1.0
            while True:
                trial = self.evaluate(theta + scale * step)
                if trial[0] >= loglik or scale < 1e-10:
                    break
                scale /= 2
            theta = theta + scale * step
            loglik, gradient, information = trial
        raise ValueError("matrix: the likelihood has no finite maximum; try order=False or prior > 0")

    @staticmethod
    def _finite(theta: np.ndarray, information: np.ndarray) -> np.ndarray:
        if np.linalg.matrix_rank(information, hermitian=True) < len(theta) or np.abs(theta).max(initial=0) > 15:
            raise ValueError(
                "matrix: strengths and order effect can't be told apart, or have no finite maximum; expected pairs "
                "that were played in both orders, or order=False"
            )
        return theta


def _result(
    matrix: WinMatrix,
    model: _Design,
    theta: np.ndarray,
    loglik: float,
    information: np.ndarray,
    prior: float,
    level: float,
) -> DavidsonFit:
    covariance = np.linalg.pinv(information, hermitian=True)
    z = norm.ppf((1 + level) / 2)
    size = len(matrix.names)
    strength = model.basis @ theta[: size - 1]
    error = np.sqrt(np.diag(model.basis @ covariance[: size - 1, : size - 1] @ model.basis.T))

    def single(place: int, there: bool) -> tuple[float, tuple[float, float]]:
        if not there:
            return np.nan, (np.nan, np.nan)
        half = z * np.sqrt(covariance[place, place])
        return float(theta[place]), (float(theta[place] - half), float(theta[place] + half))

    tie, tie_ci = single(size - 1, model.has_ties)
    order, order_ci = single(-1, model.has_order)
    ci = np.stack([strength - z * error, strength + z * error], axis=-1)
    return DavidsonFit(matrix.names, strength, ci, tie, tie_ci, order, order_ci, loglik, prior)
