"""Correction of p-values for many comparisons."""

from __future__ import annotations

import numpy as np


def adjust(p: np.ndarray, method: str = "holm") -> np.ndarray:
    """Adjusted p-values (n,): "holm" (Holm 1979, Scand. J. Stat. 6), "bonferroni" (the paper's), or "none"."""
    p = np.asarray(p, dtype=float)
    if method == "none":
        return p.copy()
    if method == "bonferroni":
        return np.minimum(1.0, p * len(p))
    if method != "holm":
        raise ValueError(f"method is {method!r}, expected holm, bonferroni or none")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, steps)
    return adjusted
