"""Correction of p-values for many comparisons."""

import numpy as np
from numpy.typing import ArrayLike

METHODS = ("holm", "bonferroni")


def adjust(p: ArrayLike, method: str = "holm") -> np.ndarray:
    """Return adjusted p-values (m,): "holm" (Holm 1979, Scand. J. Stat. 6) or "bonferroni" (the paper's)."""
    p = np.asarray(p, dtype=float)
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"p: row {row} is {p[row]}, expected a number from 0 to 1; leave out tests that weren't made")
    if method not in METHODS:
        raise ValueError(f"method is {method!r}, expected one of {', '.join(METHODS)}")
    if method == "bonferroni":
        return np.minimum(1.0, len(p) * p)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]))
    return adjusted


def adjust_known(p: ArrayLike) -> np.ndarray:
    """Adjust the p-values that are known by Holm's method; NaN stays NaN."""
    p = np.array(p, dtype=float)
    finite = np.isfinite(p)
    p[finite] = adjust(p[finite])
    return p
