"""What contestants' means would be if all annotators were equally lenient: a linear model with random intercepts.

A rating is the contestant's level, plus its annotator's leniency, plus what its conversation has of its own, plus the
rest; the last three are normal (Bates et al. 2015, J. Stat. Softw. 67). Variances are found by restricted likelihood.
Ratings of 1 to 5 are no continuous measurements: this stands beside the raw means, and shows whether who rated whom
moves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_array

from parlai_spotbot.analysis.uncertainty.clusters import Spread
from parlai_spotbot.analysis.uncertainty.estimates import Estimates

LEAST = -12.0
"""Log variance ratios below this are none."""

FEW = 3
"""With fewer annotators there is nothing to tell leniency from."""


@dataclass(frozen=True)
class LenientFit:
    """Levels (K,) at the average annotator, standard deviations of annotators, conversations and the rest, intercepts.

    `intercepts` {annotator: how far above the average} are shrunken towards 0, the more the fewer ratings one gave.
    """

    levels: Estimates
    annotators: float
    conversations: float
    rest: float
    loglik: float
    intercepts: dict[str, float]

    @property
    def share(self) -> float:
        """The share of the variance, contestants apart, that is the annotators'."""
        total = self.annotators**2 + self.conversations**2 + self.rest**2
        return self.annotators**2 / total if total else np.nan


@dataclass(frozen=True)
class _Sums:
    """Sums of squares and products of the design [contestants, annotators], the conversations, and the ratings."""

    size: int
    contestants: int
    annotators: int
    own: np.ndarray
    cross: np.ndarray
    counts: np.ndarray
    y_own: np.ndarray
    y_cross: np.ndarray
    y_y: float

    @classmethod
    def of(cls, y: np.ndarray, group: np.ndarray, worker: np.ndarray, home: np.ndarray | None) -> _Sums:
        n, k, w = len(y), int(group.max()) + 1, int(worker.max()) + 1
        rows = np.arange(n)
        design = csr_array((np.ones(2 * n), (np.tile(rows, 2), np.concatenate([group, k + worker]))), shape=(n, k + w))
        homes = 0 if home is None else int(home.max()) + 1
        member = csr_array(
            (np.ones(n), (rows, home if home is not None else np.zeros(n, dtype=int))), shape=(n, max(homes, 1))
        )
        cross = (design.T @ member).toarray() if homes else np.zeros((k + w, 0))
        counts = np.bincount(home, minlength=homes).astype(float) if homes else np.zeros(0)
        y_cross = np.bincount(home, y, homes) if homes else np.zeros(0)
        return cls(n, k, w, (design.T @ design).toarray(), cross, counts, design.T @ y, y_cross, float(y @ y))

    def solve(self, log_ratios: Sequence[float]) -> tuple[float, float, np.ndarray, np.ndarray]:
        """Minus twice the restricted log-likelihood, residual variance, effects, and the inverse of their equations.

        `log_ratios`: of the variances of annotators and of conversations to the rest's.
        """
        annotators, conversations = np.exp(log_ratios[0]), np.exp(log_ratios[1])
        diagonal = self.counts + 1 / conversations
        matrix = self.own - (self.cross / diagonal) @ self.cross.T
        place = np.arange(self.contestants, self.contestants + self.annotators)
        matrix[place, place] += 1 / annotators
        right = self.y_own - (self.cross / diagonal) @ self.y_cross
        factor = cho_factor(matrix)
        effects = cho_solve(factor, right)
        free = self.size - self.contestants
        rest = (self.y_y - (self.y_cross**2 / diagonal).sum() - right @ effects) / free
        logdet = 2 * np.log(np.diag(factor[0])).sum() + np.log(diagonal).sum()
        logdet += self.annotators * log_ratios[0] + len(self.counts) * log_ratios[1]
        deviance = free * (np.log(2 * np.pi * max(rest, 1e-300)) + 1) + logdet
        return float(deviance), float(rest), effects, cho_solve(factor, np.eye(len(matrix)))


def fit_leniency(
    values: Sequence[float], contestants: np.ndarray, annotators: Sequence, conversations: Sequence | None = None
) -> LenientFit:
    """Fit the model to ratings (n,) of contestants (n,), numbered from 0, by annotators (n,) of conversations (n,).

    Raises
    ------
    ValueError
        Where there are fewer than `FEW` annotators, or no more ratings than contestants.
    """
    y = np.asarray(values, dtype=float)
    worker, known = pd.factorize(np.asarray(annotators, dtype=object))
    home = None if conversations is None else pd.factorize(np.asarray(conversations, dtype=object))[0]
    if len(known) < FEW:
        raise ValueError(f"annotators: {len(known)} of them, expected {FEW} or more to tell leniency from")
    if len(y) <= int(np.max(contestants)) + 1 + len(known):
        raise ValueError(f"values: {len(y)} ratings, expected more than contestants and annotators together")
    centre = float(y.mean())
    sums = _Sums.of(y - centre, np.asarray(contestants), worker, home)

    def deviance(logs: np.ndarray) -> float:
        return sums.solve((logs[0], logs[1] if home is not None else LEAST))[0]

    starts = [np.array([a, c]) for a in (-1.0, -5.0) for c in ((-1.0, -5.0) if home is not None else (LEAST,))]
    bounds = [(LEAST, 8.0), (LEAST, 8.0) if home is not None else (LEAST, LEAST)]
    fits = [minimize(deviance, start, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-12}) for start in starts]
    best = min(fits, key=lambda fit: fit.fun)
    value, rest, effects, inverse = sums.solve(best.x)
    ratios = np.where(best.x <= LEAST + 1e-6, 0.0, np.exp(best.x))
    size = sums.contestants
    levels = Estimates(
        effects[:size] + centre, Spread.known(rest * inverse[:size, :size], float(_df(home, len(y), size)))
    )
    intercepts = {str(name): float(effects[size + i]) for i, name in enumerate(known)}
    sd = np.sqrt(np.append(ratios * rest, rest))
    return LenientFit(levels, float(sd[0]), float(sd[1]), float(sd[2]), -value / 2, intercepts)


def _df(home: np.ndarray | None, n: int, size: int) -> int:
    """Of the levels: conversations, where they are known, are the sample, not ratings."""
    return max((n if home is None else int(home.max()) + 1) - size, 1)
