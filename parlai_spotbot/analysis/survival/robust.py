"""Cluster-robust covariances of sums of scores, for one clustering or two crossed ones, by the jackknife.

Sums of scores are those of a regression of scores on groups within strata. Its cluster-robust covariance (Liang & Zeger
1986, Biometrika 73) is taken from residuals as if each had been predicted without its own cluster: the jackknife over
clusters (Bell & McCaffrey 2002, Surv. Methodol. 28; MacKinnon, Nielsen & Webb 2023, J. Econometrics 232), which keeps
its size with few clusters of differing sizes. No exchange of labels is assumed, only that clusters are independent.
Throughout, K = G - 1 groups are enough, for the sums over all G groups are 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betaln, hyp2f1
from scipy.stats import f as f_distribution


def contrasts(group: np.ndarray, stratum: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Each row's group less the groups' shares of its stratum: (n, K); `sizes` (B, G) are the weights."""
    share = sizes / sizes.sum(axis=1, keepdims=True)
    result = -share[stratum, :-1]
    first = group < sizes.shape[1] - 1
    result[np.flatnonzero(first), group[first]] += 1.0
    return result


def jackknife(parts: np.ndarray, information: np.ndarray) -> np.ndarray:
    """The covariance (…, G, G) from sums of contrast times score (…, C, K) by cluster, and squares (…, C, K, K).

    It is infinite where one cluster holds all of a group, so that nothing is known of how clusters differ.
    """
    total = information.sum(axis=-3)
    inverse = np.linalg.pinv(total, hermitian=True)
    effect = inverse @ parts.sum(axis=-2)[..., None]
    residual = parts - (information @ effect[..., None, :, :])[..., 0]
    size = parts.shape[-2]
    if parts.shape[-1] == 1:
        left = 1.0 - information[..., 0] * inverse[..., None, :, 0]
        alone = left < 1e-9
        away = residual / np.where(alone, 1.0, left)
    else:
        left = np.eye(parts.shape[-1]) - information @ inverse[..., None, :, :]
        alone = np.abs(np.linalg.det(left)) < 1e-9
        left[alone] = np.eye(parts.shape[-1])
        away = np.linalg.solve(left, residual[..., None])[..., 0]
        alone = alone[..., None]
    covariance = np.swapaxes(away, -1, -2) @ away * ((size - 1) / size)
    covariance[alone.any(axis=(-1, -2))] = np.inf
    return expand(covariance)


def expand(covariance: np.ndarray) -> np.ndarray:
    """From K groups (…, K, K) to all (…, G, G)."""
    side = np.vstack([np.eye(covariance.shape[-1]), -np.ones(covariance.shape[-1])])
    known = np.isfinite(covariance).all(axis=(-1, -2), keepdims=True)
    return np.where(known, side @ np.where(known, covariance, 0.0) @ side.T, np.inf)


def clustered(contrast: np.ndarray, values: np.ndarray, weights: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """The covariance (G, G) with one clustering of rows (n,), given their contrasts (n, K), scores and weights."""
    size, k = int(cluster.max()) + 1, contrast.shape[1]
    weighted = contrast * weights[:, None]
    parts = np.stack([np.bincount(cluster, column * values, size) for column in weighted.T], axis=1)
    information = np.empty((size, k, k))
    for i in range(k):
        for j in range(k):
            information[:, i, j] = np.bincount(cluster, weighted[:, i] * contrast[:, j], size)
    return jackknife(parts, information)


def crossed(
    contrast: np.ndarray, values: np.ndarray, weights: np.ndarray, clusters: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Covariances with two clusterings: the two-way one, and each alone.

    The two-way one is the sum of both less that of their intersections (Cameron, Gelbach & Miller 2011, J. Bus. Econ.
    Stat. 29). It can come out too small, or negative; who takes the one that says least of the three is safe.
    """
    first, second = clusters
    both = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1].ravel()
    one, two, cut = (clustered(contrast, values, weights, c) for c in (first, second, both))
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        return [np.full_like(one, np.inf)]
    return [one + two - (cut if np.isfinite(cut).all() else 0.0), one, two]


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
