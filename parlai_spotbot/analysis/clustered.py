"""The mean of values that come in clusters: annotations of one conversation, and by one annotator, are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy.stats import t as t_distribution


@dataclass(frozen=True)
class ClusteredMean:
    """A mean with its standard error, interval (low, high) and two-sided p of being 0; NaN where clusters are too few.

    `df`: degrees of freedom, one less than the smaller number of clusters.
    """

    estimate: float
    se: float
    ci: tuple[float, float]
    df: int
    p: float

    def to_dict(self) -> dict:
        return asdict(self)


def clustered_mean(
    values: Sequence[float], clusterings: Sequence[Sequence], *, total: float | None = None, level: float = 0.95
) -> ClusteredMean:
    """Mean of `values` (n,) and what is known of it, where the values of one cluster hang together.

    Parameters
    ----------
    clusterings : one or two sequences (n,)
        The cluster of each value, as its conversation; with two, crossed ones (conversation and annotator).
    total : float, optional
        What the sum is divided by; by default n.

    Notes
    -----
    The variance with two clusterings is the sum of both less that of their intersections (Cameron, Gelbach & Miller
    2011, J. Bus. Econ. Stat. 29), and never less than either alone: that difference can come out too small.
    """
    values = np.asarray(values, dtype=float)
    if not 1 <= len(clusterings) <= 2:
        raise ValueError(f"clusterings has {len(clusterings)} entries, expected one or two")
    codes = [pd.factorize(np.asarray(c, dtype=object))[0] for c in clusterings]
    for place, code in enumerate(codes):
        if len(code) != len(values):
            raise ValueError(f"clusterings[{place}] has {len(code)} entries, expected one for each of {len(values)}")
    total = float(len(values)) if total is None else float(total)
    if not len(values) or total <= 0:
        return ClusteredMean(np.nan, np.nan, (np.nan, np.nan), 0, np.nan)
    estimate = float(values.sum() / total)
    df = min(int(code.max()) + 1 for code in codes) - 1
    if df < 1:
        return ClusteredMean(estimate, np.nan, (np.nan, np.nan), df, np.nan)
    residuals = values - values.mean()
    variances = [_variance(residuals, code) for code in codes]
    if len(codes) == 2:
        both = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()
        variances.append(variances[0] + variances[1] - _variance(residuals, both))
    se = float(np.sqrt(max(variances)) / total)
    half = float(t_distribution.ppf((1 + level) / 2, df)) * se
    p = float(2 * t_distribution.sf(abs(estimate) / se, df)) if se > 0 else float(estimate == 0)
    return ClusteredMean(estimate, se, (estimate - half, estimate + half), df, p)


def _variance(residuals: np.ndarray, code: np.ndarray) -> float:
    """The variance of the sum of residuals (n,) that are independent between clusters."""
    sums = np.bincount(code, residuals)
    return float((sums**2).sum() * len(sums) / max(len(sums) - 1, 1))
