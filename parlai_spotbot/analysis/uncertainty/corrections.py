"""Correction of p-values for many comparisons."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

METHODS = ("holm", "bonferroni", "none")


def adjust(p: np.ndarray, method: str = "holm") -> np.ndarray:
    """Return adjusted p-values (m,): "holm" (Holm 1979, Scand. J. Stat. 6), "bonferroni" (the paper's), or "none".

    See `adjust_log` where p-values are too small for a float.
    """
    p = np.asarray(p, dtype=float)
    wrong = np.isnan(p) | (p < 0) | (p > 1)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"p: row {row} is {p[row]}, expected a number from 0 to 1; leave out tests that weren't made")
    factor = _factor(p, method)
    return p.copy() if method == "none" else np.minimum(1.0, _rising(p, factor * p, method))


def adjust_known(p: Sequence[float], method: str = "holm") -> np.ndarray:
    """Adjust the p-values that are known; NaN stays NaN."""
    p = np.array(p, dtype=float)
    finite = np.isfinite(p)
    p[finite] = adjust(p[finite], method)
    return p


def adjust_log(log_p: np.ndarray, method: str = "holm") -> np.ndarray:
    """Adjust, as `adjust`, from and to natural logarithms of p-values."""
    log_p = np.asarray(log_p, dtype=float)
    wrong = np.isnan(log_p) | (log_p > 0)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"log_p: row {row} is {log_p[row]}, expected the logarithm of a number from 0 to 1")
    return np.minimum(0.0, _rising(log_p, log_p + np.log(_factor(log_p, method)), method))


def _factor(p: np.ndarray, method: str) -> np.ndarray:
    """Return the factor of each p-value."""
    if method not in METHODS:
        raise ValueError(f"method is {method!r}, expected holm, bonferroni or none")
    if method == "none":
        return np.ones(len(p))
    if method == "bonferroni":
        return np.full(len(p), float(len(p)))
    factor = np.empty(len(p))
    factor[np.argsort(p, kind="stable")] = np.arange(len(p), 0, -1)
    return factor


def _rising(p: np.ndarray, adjusted: np.ndarray, method: str) -> np.ndarray:
    """Holm's adjusted p-values never fall as p rises."""
    if method != "holm":
        return adjusted
    order = np.argsort(p, kind="stable")
    result = np.empty_like(adjusted)
    result[order] = np.maximum.accumulate(adjusted[order])
    return result
