"""Generalized log-rank tests for interval-censored data (section 3.3 of the paper).

Every observation gets a score under the pooled NPMLE: Sun's (1996), whose sum is the statistic of Zhao & Sun (2004), or
Finkelstein's (1986). The statistic is the sum of a group's scores; its covariance is that of a random relabelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2 as chi2_distribution

from parlai_spotbot.analysis.survival.intervals import innermost
from parlai_spotbot.analysis.survival.turnbull import TurnbullFit, turnbull


@dataclass(frozen=True)
class LogrankTest:
    """`statistic` (G,) and `covariance` (G, G) of the groups `names`; positive: spotted more than expected.

    The null hypothesis is that all groups have the same distribution; `df` is G - 1.
    """

    names: tuple
    statistic: np.ndarray
    covariance: np.ndarray
    chi2: float
    df: int
    pvalue: float
    backend: str


def logrank(left: Sequence, right: Sequence, group: Sequence, score: str = "sun", backend: str = "auto") -> LogrankTest:
    """Test whether groups are spotted alike; groups in the order in which they occur.

    The covariance is that of permuting rows, in closed form: it takes rows as independent, which annotations of one
    conversation are not.

    Parameters
    ----------
    left, right, group : sequences (n,)
        Intervals (left, right] and the group of each.
    score : str
        "sun" or "finkelstein".
    backend : str
        Where the pooled NPMLE comes from: "native", "icenreg", or "auto".
    """
    if score not in ("sun", "finkelstein"):
        raise ValueError(f"score is {score!r}, expected sun or finkelstein")
    fit = turnbull(left, right, backend=backend)
    codes, names = pd.factorize(np.asarray(group, dtype=object))
    if len(codes) != len(np.asarray(left)):
        raise ValueError(f"group: {len(codes)} values, expected one for every observation ({len(np.asarray(left))})")
    if (codes < 0).any():
        raise ValueError(f"group: row {int(np.flatnonzero(codes < 0)[0])} is missing, expected a group")
    if len(names) < 2:
        raise ValueError(f"group: only {list(names)}, expected at least two groups")
    scores = _scores(fit, left, right, score)
    scores = scores - scores.mean()  # 0 but for rounding, where the estimate is exact
    statistic = np.bincount(codes, scores)
    size = np.bincount(codes).astype(float)
    n = len(codes)
    variance = scores @ scores / max(n - 1, 1)
    covariance = variance * (np.diag(size) - np.outer(size, size) / n)
    chi2 = float(statistic @ np.linalg.pinv(covariance, hermitian=True) @ statistic)
    df = len(names) - 1
    pvalue = float(chi2_distribution.sf(chi2, df)) if variance > 0 else 1.0
    return LogrankTest(tuple(names), statistic, covariance, chi2, df, pvalue, fit.backend)


def _scores(fit: TurnbullFit, left: Sequence, right: Sequence, score: str) -> np.ndarray:
    """The score of every observation: the mean of h over its interval, with h the derivative by the group effect."""
    data = innermost(left, right)
    survival = np.append(1.0, np.clip(1.0 - np.cumsum(fit.mass), 0.0, 1.0))
    survival[-1] = 0.0
    if score == "sun":
        risk = np.divide(fit.mass, survival[:-1], out=np.zeros(len(fit.mass)), where=survival[:-1] > 0)
        hazard = np.append(0.0, np.cumsum(risk))
        log_survival = -hazard
    else:
        log_survival = np.log(survival, out=np.zeros(len(survival)), where=survival > 0)
    product = np.where(survival > 0, survival * log_survival, 0.0)
    low, high = data.first, data.last + 1
    return (product[low] - product[high]) / (survival[low] - survival[high])
