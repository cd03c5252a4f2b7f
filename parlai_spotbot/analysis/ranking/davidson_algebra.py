"""The penalised likelihood of Davidson's model, for one set of matches and any number of hypotheses about it at once.

The likelihood depends on the data through the counts of each pair that met (a cell). Parameters are K log strengths,
then log ν of ties and log γ of order where these are estimated. Davidson's model is a multinomial logistic regression
in these parameters, so Jeffreys' prior as a penalty (Firth 1993, Biometrika 80; Kosmidis & Firth 2021, Biometrika 108)
makes all estimates finite, also where a contestant won or lost everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN
from parlai_spotbot.analysis.uncertainty.design_effects import Cells
from parlai_spotbot.analysis.values import ArrayPair

STEP = 2.0
"""Largest change of a parameter in one step of Newton's method."""

SAME = 1e-8
"""A likelihood ratio below this is rounding."""

RIDGE = 1e-10
"""Added to the information's diagonal for a step, so that a step too far can be taken back."""

ROOM = 4_000_000
"""Numbers in the largest array of cells by parameters."""

TOGETHER = 300_000
"""Numbers in the largest array when many hypotheses are fitted at once: larger ones don't fit a processor's cache."""


@dataclass(frozen=True)
class PairedCounts:
    """Counts of each pair that met, and the likelihood of Davidson's model given them.

    Attributes
    ----------
    size : int
        Number of contestants, K.
    first, second : arrays (m,)
        The two contestants of each cell. Without an order effect both orders of a pair share a cell.
    counts : array (m, 3)
        Wins of the first, ties, losses of the first.
    ties, order : bool
        Whether log ν and log γ are estimated; p = K + ties + order parameters.
    """

    size: int
    first: np.ndarray
    second: np.ndarray
    counts: np.ndarray
    ties: bool
    order: bool

    @classmethod
    def of(cls, counts: np.ndarray, order: bool) -> PairedCounts:
        """Return the cells of counts (K, K, 3), see `WinMatrix`; ties are estimated where there are any."""
        size = len(counts)
        if not order:
            counts = np.triu(np.ones((size, size)), 1)[..., None] * (counts + counts.transpose(1, 0, 2)[..., ::-1])
        first, second = np.nonzero(counts.sum(axis=-1))
        cells = counts[first, second]
        return cls(size, first, second, cells, bool(cells[:, TIE].any()), order)

    @property
    def parameters(self) -> int:
        """Number of parameters p."""
        return self.size + self.ties + self.order

    @cached_property
    def n(self) -> np.ndarray:
        """Matches of each cell (m,)."""
        return self.counts.sum(axis=1)

    @cached_property
    def _sides(self) -> np.ndarray:
        """Indicators (m, K) of the first contestant less those of the second."""
        sides = np.zeros((len(self.n), self.size))
        rows = np.arange(len(self.n))
        sides[rows, self.first], sides[rows, self.second] = 1.0, -1.0
        return sides

    def _by_contestant(self, values: np.ndarray, second: float = -1.0) -> np.ndarray:
        """Sums (..., K) of the cells' values (..., m) over the first contestants plus `second` times the others."""
        if values.ndim == 1:  # there may be 500,000 cells
            sums = np.bincount(self.first, values, self.size)
            return sums + second * np.bincount(self.second, values, self.size)
        return values @ (self._sides if second < 0 else np.abs(self._sides))

    def log_chances(self, theta: np.ndarray) -> np.ndarray:
        """Log probabilities (..., m, 3) of win, tie and loss of the first, at parameters (..., p)."""
        half = (theta[..., self.first] - theta[..., self.second]) / 2
        order = theta[..., -1:] if self.order else 0.0
        tie = theta[..., self.size, None] + 0 * half if self.ties else np.full(half.shape, -np.inf)
        worth = np.stack([half + order, tie, -half], axis=-1)
        return worth - np.logaddexp(np.logaddexp(worth[..., 0], worth[..., 2]), worth[..., 1])[..., None]

    def points(self, chances: np.ndarray) -> np.ndarray:
        """Return the mean points (..., K) of each contestant, a tie ½, where each cell is one match."""
        beyond_half = self._by_contestant((chances[..., WIN] - chances[..., LOSS]) / 2)
        return 0.5 + beyond_half / self._by_contestant(np.ones(len(self.first)), 1.0)

    def features(self, chances: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return each outcome's features less their mean: of strengths (..., m, 3), of ties, of order.

        The strengths' feature is what the first gains and the second loses: 1, ½ or 0 of a match.
        """
        features = [np.array([1.0, 0.5, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])]
        kept = [True, self.ties, self.order]
        return tuple(x - (chances @ x)[..., None] for x, keep in zip(features, kept, strict=True) if keep)

    def information(self, chances: np.ndarray) -> np.ndarray:
        """Fisher information (..., p, p), with 1 added between strengths, whose sum the likelihood leaves open."""
        features, size = self.features(chances), self.size
        information = np.zeros((*chances.shape[:-2], self.parameters, self.parameters))
        weight = self.n[:, None] * chances
        along = _over_outcomes(weight * features[0] ** 2)
        information[..., :size, :size] = 1.0
        information[..., self.first, self.second] -= along
        information[..., self.second, self.first] -= along
        information[..., np.arange(size), np.arange(size)] += self._by_contestant(along, 1.0)
        for i, x in enumerate(features[1:], size):
            information[..., :size, i] = self._by_contestant(_over_outcomes(weight * features[0] * x))
            information[..., i, :size] = information[..., :size, i]
            for j, y in enumerate(features[1:], size):
                information[..., i, j] = (weight * x * y).sum(axis=(-1, -2))
        return information

    def score(self, chances: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Gradient (..., p) of the penalised likelihood; `covariance` (..., p, p) is the inverse information.

        The penalty's part is half the third moment of the features, contracted with the covariance.
        """
        features, size = self.features(chances), self.size
        first, second = self.first, self.second
        diagonal = np.diagonal(covariance, axis1=-2, axis2=-1)
        variance = diagonal[..., first] + diagonal[..., second] - 2 * covariance[..., first, second]
        spread = variance[..., None] * features[0] ** 2
        for i, x in enumerate(features[1:], size):
            spread = spread + 2 * (covariance[..., first, i] - covariance[..., second, i])[..., None] * features[0] * x
            for j, y in enumerate(features[1:], size):
                spread = spread + covariance[..., i, j, None, None] * x * y
        residual = self.counts + self.n[:, None] * chances * (spread / 2 - 1)
        gradient = np.empty((*chances.shape[:-2], self.parameters))
        gradient[..., :size] = self._by_contestant(_over_outcomes(residual * features[0]))
        for i, x in enumerate(features[1:], size):
            gradient[..., i] = (residual * x).sum(axis=(-1, -2))
        return gradient

    def value(self, theta: np.ndarray) -> np.ndarray:
        """Penalised log-likelihood (...)."""
        logs = self.log_chances(theta)
        return self._value(logs, self.information(np.exp(logs)))

    def _value(self, logs: np.ndarray, information: np.ndarray) -> np.ndarray:
        seen = self.counts > 0
        loglik = np.where(seen, self.counts * np.where(seen, logs, 0.0), 0.0).sum(axis=(-1, -2))
        return loglik + np.linalg.slogdet(information)[1] / 2

    def maximise(self, theta: np.ndarray, fixed: np.ndarray | None = None, tolerance: float = 1e-16) -> np.ndarray:
        """Return the parameters (..., p) of the maximum, by Fisher's scoring from `theta` with halved steps.

        `fixed` (..., p) holds one linear combination of the parameters at the value that it has in `theta`.
        """
        best, base, step = np.full(theta.shape[:-1], -np.inf), theta, np.zeros_like(theta)
        for _ in range(200):
            logs = self.log_chances(theta)
            chances = np.exp(logs)
            information = self.information(chances)
            value = self._value(logs, information)
            better = value >= best - 1e-11 * np.maximum(1.0, np.abs(best))
            base = np.where(better[..., None], theta, base)
            best = np.where(better, value, best)
            covariance = np.linalg.inv(information + RIDGE * np.eye(self.parameters))
            gradient = self.score(chances, covariance)
            onward = np.einsum("...ij,...j->...i", covariance, gradient)
            if fixed is not None:
                along = np.einsum("...ij,...j->...i", covariance, fixed)
                onward = onward - along * ((onward * fixed).sum(-1) / (along * fixed).sum(-1))[..., None]
            onward = onward * np.minimum(1.0, STEP / np.maximum(np.abs(onward).max(axis=-1, keepdims=True), 1e-300))
            if better.all() and np.abs((gradient * onward).sum(axis=-1)).max(initial=0.0) < tolerance:
                return theta + onward
            step = np.where(better[..., None], onward, step / 2)
            theta = base + step
        return base

    def likelihood_ratios(self, theta: np.ndarray, contrasts: np.ndarray) -> np.ndarray:
        """Twice the loss of penalised log-likelihood (q,) where each contrast (q, p) is 0 instead of as in the maximum.

        Both fits use the information of the full model (Heinze & Schemper 2002, Stat. Med. 21).
        """
        best, empty = self.value(theta), np.empty(len(contrasts))
        for part, restricted in self.restricted(theta, contrasts):
            empty[part] = 2 * (best - self.value(restricted))
        return np.where(empty > SAME, empty, 0.0)

    def restricted(self, theta: np.ndarray, contrasts: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the maxima (k, p) under which each contrast (q, p) is 0, with their places among the contrasts."""
        covariance = np.linalg.inv(self.information(np.exp(self.log_chances(theta))))
        along = contrasts @ covariance
        start = theta - along * ((contrasts @ theta) / (along * contrasts).sum(axis=1))[:, None]
        many = max(1, TOGETHER // (3 * len(self.n) + self.parameters**2))
        for place in range(0, len(contrasts), many):
            part = slice(place, place + many)
            yield part, self.maximise(start[part], contrasts[part], 1e-12)

    def efficient_scores(self, theta: np.ndarray, contrasts: np.ndarray) -> ArrayPair:
        """Return the scores (q, m, 3) of each cell's outcomes about contrasts (q, p) at parameters (q, p), the other
        parameters profiled out, and each row's information about them (q, m)."""
        chances = np.exp(self.log_chances(theta))
        direction = np.linalg.solve(self.information(chances), contrasts[..., None])[..., 0]
        direction = direction / (direction * contrasts).sum(axis=-1, keepdims=True)
        features = self.features(chances)
        sides = direction[..., self.first] - direction[..., self.second]
        score = features[0] * sides[..., None]
        for place, feature in enumerate(features[1:], self.size):
            score = score + feature * direction[..., place, None, None]
        return score, _over_outcomes(chances * score**2)

    def kinds(self, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> np.ndarray:
        """Return the place (n,), among all cells' outcomes, of each match."""
        cell = np.full((self.size, self.size), -1)
        cell[self.first, self.second] = np.arange(len(self.n))
        forth, back = cell[a, b], cell[b, a]
        return np.where(forth < 0, 3 * back + LOSS - outcome, 3 * forth + outcome)

    def row_scores(self, chances: np.ndarray) -> csr_array:
        """Return the scores (3 m, p) of a match of each of the `kinds`."""
        features = self.features(chances)
        places = [
            self.first,
            self.second,
            *(np.full(len(self.n), place) for place in range(self.size, self.parameters)),
        ]
        columns = np.repeat(np.stack(places, axis=1), 3, axis=0)
        values = np.stack([features[0], -features[0], *features[1:]], axis=-1)
        starts = np.arange(0, columns.size + 1, columns.shape[1])
        return csr_array((values.ravel(), columns.ravel(), starts), (len(columns), self.parameters))

    def cells(self, theta: np.ndarray, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> Cells:
        """Return the scores of matches (n,) and the information of each cell, for `DesignEffects`."""
        chances = np.exp(self.log_chances(theta))
        information = self.information(chances)
        information[: self.size, : self.size] -= 1.0
        kinds = self.kinds(a, b, outcome)
        scores = self.row_scores(chances)
        roots = None
        if 3 * len(self.n) * len(theta) <= ROOM:
            roots = np.sqrt(chances)[..., None] * scores.toarray().reshape(len(self.n), 3, len(theta))
        return Cells(scores[kinds], kinds // 3, roots, information)


def _over_outcomes(values: np.ndarray) -> np.ndarray:
    """Sums (...) over the last axis, of three outcomes, which NumPy takes three times as long for."""
    return values[..., 0] + values[..., 1] + values[..., 2]
