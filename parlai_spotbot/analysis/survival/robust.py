"""Cluster-robust covariances of sums of scores, for one clustering or two crossed ones.

Liang & Zeger (1986, Biometrika 73) for one; Cameron, Gelbach & Miller (2011, J. Bus. Econ. Stat. 29) for two. No
exchange of labels is assumed, only that different clusters are independent: groups may differ in the clusters' sizes
and in how much rows of one cluster are alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaln, hyp2f1
from scipy.stats import f as f_distribution


def influence(values: np.ndarray, group: np.ndarray, stratum: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """What each row adds to the sums of scores: (n, G).

    `values` are scores with mean 0 in every stratum, `sizes` (B, G) the groups' weights there. A row counts with its
    group less the group's share of the stratum, since the pooled estimate is made from the same rows.
    """
    share = sizes / sizes.sum(axis=1, keepdims=True)
    result = -share[stratum]
    result[np.arange(len(group)), group] += 1.0
    return result * values[:, None]


def sandwich(parts: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """The covariance (G, G) from what rows add, summed by cluster."""
    size = int(cluster.max()) + 1
    sums = np.stack([np.bincount(cluster, column, size) for column in parts.T], axis=1)
    return sums.T @ sums * (size / max(size - 1, 1))


def two_way(parts: np.ndarray, clusters: Sequence[np.ndarray]) -> np.ndarray:
    """One clustering plus the other less that of their intersections; negative variances are set to 0."""
    first, second = clusters
    both = np.unique(first * (second.max() + 1) + second, return_inverse=True)[1]
    total = sandwich(parts, first) + sandwich(parts, second) - sandwich(parts, both)
    values, vectors = np.linalg.eigh(total)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def f_test(statistic: float, df: int, df_error: float) -> tuple[float, float]:
    """The p-value of a statistic F and its logarithm, which stays exact where the former is too small for a float."""
    pvalue = float(f_distribution.sf(statistic, df, df_error))
    if pvalue > 1e-200:
        return pvalue, float(np.log(pvalue))
    # The incomplete beta function as a power times a hypergeometric series, in logarithms.
    a, b = df_error / 2, df / 2
    log_x = -np.log1p(df * statistic / df_error)
    x = np.exp(log_x)
    log = a * log_x + b * np.log1p(-x) - np.log(a) - betaln(a, b) + np.log(hyp2f1(a + b, 1.0, a + 1, x))
    return pvalue, float(log)
