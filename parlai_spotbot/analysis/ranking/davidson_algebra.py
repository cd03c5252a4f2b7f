"""The penalised likelihood of Davidson's model, for one set of matches and any number of hypotheses about it at once.

The likelihood depends on the data through the counts of each pair that met (a cell). Parameters are K log strengths,
then log ν of ties and log γ of order where these are estimated. Davidson's model is a multinomial logistic regression
in these parameters, so Jeffreys' prior as a penalty (Firth 1993, Biometrika 80; Kosmidis & Firth 2021, Biometrika 108)
makes all estimates finite, also where a contestant won or lost everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

ROUNDING = 1e-19
"""A step that gains less, as a share of a likelihood of many matches, is rounding."""

RIDGE = 1e-10
"""Added to the information's diagonal for a step, so that a step too far can be taken back."""

ROOM = 4_000_000
"""Numbers in the largest array of cells by parameters."""

TOGETHER = 60_000
"""Numbers in the largest array when many hypotheses are fitted at once: larger ones don't fit a processor's cache."""


OUTCOMES = np.array([[1.0, 0.0, 0.0, 1.0], [0.5, 0.5, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
"""Features of win, tie and loss of the first of two: its points, those of the second, a tie, the first one's win."""


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
    def from_counts(cls, counts: np.ndarray, order: bool) -> PairedCounts:
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
    def _features(self) -> np.ndarray:
        """The features (3, k) of win, tie and loss that have a parameter, see `OUTCOMES`."""
        return OUTCOMES[:, [True, True, self.ties, self.order]]

    @cached_property
    def _places(self) -> np.ndarray:
        """The parameters (m, k) of each cell's features."""
        shared = np.tile(np.arange(self.size, self.parameters), (len(self.first), 1))
        return np.column_stack([self.first, self.second, shared])

    @cached_property
    def _columns(self) -> csr_array:
        """Indicators (m · k, p) of the parameters of all features."""
        return _indicators(self._places, self.parameters)

    @cached_property
    def _products(self) -> csr_array:
        """Indicators (m · k · k, p · p) of the parameters of all products of two features of a cell."""
        pairs = self._places[:, :, None] * self.parameters + self._places[:, None, :]
        return _indicators(pairs, self.parameters**2)

    def log_chances(self, theta: np.ndarray) -> np.ndarray:
        """Log probabilities (..., m, 3) of win, tie and loss of the first, at parameters (..., p)."""
        worth = theta[..., self._places] @ self._features.T
        if not self.ties:
            worth[..., TIE] = -np.inf
        return worth - np.logaddexp(np.logaddexp(worth[..., WIN], worth[..., LOSS]), worth[..., TIE])[..., None]

    def points(self, chances: np.ndarray) -> np.ndarray:
        """Return the mean points (..., K) of each contestant, a tie ½, where each cell is one match."""
        expected = (chances @ self._features).reshape(*chances.shape[:-2], -1) @ self._columns
        matches = np.bincount(self._places.ravel(), minlength=self.parameters)
        return (expected / matches)[..., : self.size]

    def residuals(self, chances: np.ndarray) -> np.ndarray:
        """Return the features (..., m, 3, k) of each outcome less their mean; the first are the first one's points."""
        return self._features - (chances @ self._features)[..., None, :]

    def information(self, chances: np.ndarray, residuals: np.ndarray | None = None) -> np.ndarray:
        """Fisher information (..., p, p), which says nothing of the sum of all strengths; `residuals` where they are
        known."""
        if residuals is None:
            residuals = self.residuals(chances)
        weighted = residuals * (self.n[:, None] * chances)[..., None]
        products = np.swapaxes(weighted, -1, -2) @ residuals
        sums = products.reshape(*chances.shape[:-2], -1) @ self._products
        return sums.reshape(*chances.shape[:-2], self.parameters, self.parameters)

    def invertible(self, chances: np.ndarray, residuals: np.ndarray | None = None) -> np.ndarray:
        """Fisher information (..., p, p), with 1 added between strengths, whose sum the likelihood leaves open."""
        information = self.information(chances, residuals)
        information[..., : self.size, : self.size] += 1.0
        return information

    def score(self, chances: np.ndarray, features: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Gradient (..., p) of the penalised likelihood.

        `features` are the `residuals`, and `covariance` (..., p, p) is the inverse information.

        The penalty's part is half the third moment of the features, contracted with the covariance.
        """
        of_cells = covariance[..., self._places[:, :, None], self._places[:, None, :]]
        spread = np.einsum("...oj,...oj->...o", features @ of_cells, features)
        residual = self.counts + self.n[:, None] * chances * (spread / 2 - 1)
        gradient = np.einsum("...o,...oj->...j", residual, features)
        return gradient.reshape(*chances.shape[:-2], -1) @ self._columns

    def value(self, theta: np.ndarray) -> np.ndarray:
        """Penalised log-likelihood (...)."""
        logs = self.log_chances(theta)
        return self._value(logs, self.invertible(np.exp(logs)))

    def _value(self, logs: np.ndarray, information: np.ndarray) -> np.ndarray:
        loglik = (self.counts * np.nan_to_num(logs, neginf=0.0)).sum(axis=(-1, -2))
        return loglik + np.linalg.slogdet(information)[1] / 2

    def maximise(self, theta: np.ndarray, fixed: np.ndarray | None = None, tolerance: float = 1e-16) -> np.ndarray:
        """Return the parameters (..., p) of the maximum, by Fisher's scoring from `theta` with halved steps.

        `fixed` (..., p) holds one linear combination of the parameters at the value that it has in `theta`.
        """
        best = np.full(theta.shape[:-1], -np.inf)
        base = theta
        step = np.zeros_like(theta)
        for _ in range(200):
            logs = self.log_chances(theta)
            chances = np.exp(logs)
            residuals = self.residuals(chances)
            information = self.invertible(chances, residuals)
            value = self._value(logs, information)
            better = value >= best - 1e-11 * np.maximum(1.0, np.abs(best))
            base = np.where(better[..., None], theta, base)
            best = np.where(better, value, best)
            covariance = np.linalg.inv(information + RIDGE * np.eye(self.parameters))
            gradient = self.score(chances, residuals, covariance)
            onward = np.einsum("...ij,...j->...i", covariance, gradient)
            if fixed is not None:
                along = np.einsum("...ij,...j->...i", covariance, fixed)
                onward = onward - along * ((onward * fixed).sum(-1) / (along * fixed).sum(-1))[..., None]
            onward = onward * np.minimum(1.0, STEP / np.maximum(np.abs(onward).max(axis=-1, keepdims=True), 1e-300))
            if better.all() and _is_small(onward, information, tolerance, value):
                return theta + onward
            step = np.where(better[..., None], onward, step / 2)
            theta = base + step
        return base

    def restricted(self, theta: np.ndarray, contrasts: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the maxima (k, p) under which each contrast (q, p) is 0, with their places among the contrasts."""
        covariance = np.linalg.inv(self.invertible(np.exp(self.log_chances(theta))))
        along = contrasts @ covariance
        start = theta - along * ((contrasts @ theta) / (along * contrasts).sum(axis=1))[:, None]
        many = max(1, TOGETHER // (3 * len(self.n) + self.parameters**2))
        for place in range(0, len(contrasts), many):
            part = slice(place, place + many)
            yield part, self.maximise(start[part], contrasts[part], 1e-12)

    def likelihood_ratios(self, theta: np.ndarray, restricted: Sequence[tuple[slice, np.ndarray]]) -> np.ndarray:
        """Twice the loss of penalised log-likelihood (q,) at the `restricted` maxima instead of the maximum.

        Both fits use the information of the full model (Heinze & Schemper 2002, Stat. Med. 21).
        """
        loss = 2 * (self.value(theta) - np.concatenate([self.value(part) for _, part in restricted]))
        return np.where(loss > SAME, loss, 0.0)

    def efficient_scores(self, theta: np.ndarray, contrasts: np.ndarray) -> ArrayPair:
        """Return the scores (q, 3 m) of a match of each of the `kinds` about contrasts (q, p) at parameters (q, p), the
        other parameters profiled out, and its information about them (q, 3 m)."""
        chances = np.exp(self.log_chances(theta))
        direction = np.linalg.solve(self.invertible(chances), contrasts[..., None])[..., 0]
        direction = direction / (direction * contrasts).sum(axis=-1, keepdims=True)
        score = (self.residuals(chances) @ direction[..., self._places][..., None])[..., 0]
        information = (chances * score**2).sum(axis=-1)
        return score.reshape(len(score), -1), np.repeat(information, 3, axis=1)

    def kinds(self, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> np.ndarray:
        """Return the place (n,), among all cells' outcomes, of each match."""
        cell = np.full((self.size, self.size), -1)
        cell[self.first, self.second] = np.arange(len(self.n))
        forth = cell[a, b]
        back = cell[b, a]
        return np.where(forth < 0, 3 * back + LOSS - outcome, 3 * forth + outcome)

    def row_scores(self, chances: np.ndarray) -> csr_array:
        """Return the scores (3 m, p) of a match of each of the `kinds`."""
        columns = np.repeat(self._places, 3, axis=0)
        starts = np.arange(0, columns.size + 1, columns.shape[1])
        return csr_array((self.residuals(chances).ravel(), columns.ravel(), starts), (len(columns), self.parameters))

    def cells(self, theta: np.ndarray, a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> Cells:
        """Return the scores of matches (n,) and the information of each cell, for `DesignEffects`."""
        chances = np.exp(self.log_chances(theta))
        kinds = self.kinds(a, b, outcome)
        scores = self.row_scores(chances)
        roots = None
        if 3 * len(self.n) * len(theta) <= ROOM:
            roots = np.sqrt(chances)[..., None] * scores.toarray().reshape(len(self.n), 3, len(theta))
        return Cells(scores[kinds], kinds // 3, roots, self.information(chances))


def _is_small(step: np.ndarray, information: np.ndarray, tolerance: float, value: np.ndarray) -> bool:
    """Return True if no step (..., p) gains more than the tolerance, or than what is rounding of the likelihood's
    `value` (...); the gain is a sum of squares, no difference of large numbers."""
    gain = np.einsum("...i,...ij,...j->...", step, information, step)
    return bool((gain < np.maximum(tolerance, ROUNDING * np.abs(value))).all())


def _indicators(places: np.ndarray, count: int) -> csr_array:
    """Return which of `count` columns each of the places (...) is: a row each, with a single 1."""
    return csr_array((np.ones(places.size), places.ravel(), np.arange(places.size + 1)), (places.size, count))
