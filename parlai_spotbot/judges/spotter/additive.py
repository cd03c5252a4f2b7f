"""Piecewise linear basis of an additive model: each feature has a curve of its own.

The breaks are at quantiles (Hastie & Tibshirani 1986, generalised additive models; the basis is that of Friedman 1991).
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

BREAKS = 3
"""Of each curve."""

BOUND = 4.0
"""Values are clipped to this many standard deviations from the mean."""


class FeatureCurves(TransformerMixin, BaseEstimator):
    """Transform (n, features) with NaN where unknown into centred and scaled columns of piecewise linear curves.

    An unknown value becomes 0, the mean of the training data.
    """

    def fit(self, X: np.ndarray, y: object = None) -> FeatureCurves:
        shares = np.linspace(0, 1, BREAKS + 2)[1:-1]
        self.mean_ = np.zeros(X.shape[1])
        self.scale_ = np.ones(X.shape[1])
        self.knots_ = [np.zeros(0)] * X.shape[1]
        for place, column in enumerate(X.T):
            finite = column[~np.isnan(column)]
            if not len(finite):
                continue
            self.mean_[place] = finite.mean()
            if finite.std() > 1e-12:
                self.scale_[place] = finite.std()
            self.knots_[place] = np.unique(np.quantile((finite - self.mean_[place]) / self.scale_[place], shares))
        columns = self._columns(X)
        columns = np.where(np.isnan(columns).all(axis=0), 0.0, columns)
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
