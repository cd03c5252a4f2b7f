"""Agreement of two orders of the same contestants: Kendall's tau-b (1945, Biometrika 33) and Spearman's rho (1904).

Scores that differ by less than rounding errors count as tied.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

DIGITS = 12
"""Scores are compared to so many decimals."""


def kendall(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tau-b (...) of scores (..., K); NaN where either ranks all alike, or a score isn't known."""
    first, second = (np.asarray(scores, dtype=float) for scores in (first, second))
    i, j = np.triu_indices(first.shape[-1], 1)
    a, b = (np.sign(np.round(scores[..., i] - scores[..., j], DIGITS)) for scores in (first, second))
    return _ratio((a * b).sum(axis=-1), np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1)))


def spearman(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rho (...) of scores (..., K), ties at their mean rank; NaN as in `kendall`."""
    first, second = (np.asarray(scores, dtype=float) for scores in (first, second))
    unknown = np.isnan(first + second).any(axis=-1)
    middle = (first.shape[-1] + 1) / 2
    a, b = (rankdata(np.round(scores, DIGITS), axis=-1) - middle for scores in (first, second))
    rho = _ratio((a * b).sum(axis=-1), np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1)))
    return np.where(unknown, np.nan, rho)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)
