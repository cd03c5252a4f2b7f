"""An additive model: each feature has a curve of its own, and a judgement is the sum of their heights.

Curves are broken straight lines with breaks at quantiles (Hastie & Tibshirani 1986, generalised additive models; the
basis is that of Friedman 1991). So the part of each feature in a judgement can be told, which products of features
would not allow.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

BOUND = 4.0
"""Values count as at most so many standard deviations from the mean: nothing is known of what lies beyond."""


class FeatureCurves(TransformerMixin, BaseEstimator):
    """Turns (n, features) with NaN where unknown into the columns of broken lines, centred and scaled.

    An unknown value has the height 0, as the average of the training data has. `owner_` (columns,) says whose a
    column is.
    """

    def __init__(self, breaks: int = 3):
        self.breaks = breaks

    def fit(self, X: np.ndarray, y: object = None) -> FeatureCurves:
        known = [column[~np.isnan(column)] for column in X.T]
        self.mean_ = np.array([column.mean() if len(column) else 0.0 for column in known])
        scale = np.array([column.std() if len(column) else 0.0 for column in known])
        self.scale_ = np.where(scale > 1e-12, scale, 1.0)
        shares = np.linspace(0, 1, self.breaks + 2)[1:-1]
        self.knots_ = [
            np.unique(np.quantile((column - m) / s, shares)) if len(column) else np.zeros(0)
            for column, m, s in zip(known, self.mean_, self.scale_, strict=True)
        ]
        columns = self._columns(X)
        self.owner_ = np.repeat(np.arange(X.shape[1]), [1 + len(knots) for knots in self.knots_])
        unknown = np.isnan(columns).all(axis=0)
        columns = np.where(unknown, 0.0, columns)
        self.middle_ = np.nanmean(columns, axis=0)
        spread = np.nanstd(columns, axis=0)
        self.spread_ = np.where(spread > 1e-12, spread, 1.0)
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        return np.nan_to_num((self._columns(X) - self.middle_) / self.spread_)

    def _columns(self, X: np.ndarray) -> np.ndarray:
        Z = np.clip((X - self.mean_) / self.scale_, -BOUND, BOUND)
        blocks = []
        for place, knots in enumerate(self.knots_):
            z = Z[:, [place]]
            blocks.append(np.hstack([z, np.maximum(z - knots, 0.0)]))
        return np.hstack(blocks)

    def heights(self, X: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """The heights (n, features) of the curves at `X`, for a linear model's `weights` (columns,)."""
        parts = self.transform(X) * weights
        return np.stack([parts[:, self.owner_ == place].sum(axis=1) for place in range(len(self.knots_))], axis=1)
