"""Cluster-robust covariances of sums of scores, for one clustering or two crossed ones, by the jackknife.

Sums of scores are those of a regression of scores on groups and strata. Its cluster-robust covariance comes from
leaving out one cluster at a time: the jackknife, known as CR3 (Bell & McCaffrey 2002, Surv. Methodol. 28; MacKinnon,
Nielsen & Webb 2023, J. Econometrics 232), which keeps its size with few clusters of differing sizes. No exchange of
labels is assumed, only that clusters are independent.
"""

import numpy as np
from scipy.special import fdtrc

from parlai_spotbot.analysis.uncertainty.clusters import Spread, effective_number
from parlai_spotbot.analysis.values import ArrayPair, ratio

TINY = float(np.finfo(float).tiny)
"""Smallest p that is reported."""


def clustered(values: np.ndarray, group: np.ndarray, stratum: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """Return the covariance (G, G) of the sums by group of rows (n,) with scores `values`.

    `group`, `stratum` and `cluster` (n,) are codes. Infinite where without one of the clusters groups can't be
    compared: nothing is known then of how clusters of that group differ.
    """
    rows = (group, stratum, cluster)
    sums = table(rows, values)
    sizes = table(rows)
    every, everybody = sums.sum(axis=-1, keepdims=True), sizes.sum(axis=-1, keepdims=True)
    (total,), (scores,) = _equations(every, everybody)
    left, without = _equations(every - sums, everybody - sizes)
    k = len(total)
    count = len(left)
    if (np.abs(np.linalg.det(without)) <= 1e-9 * np.abs(np.linalg.det(scores))).any():
        return np.full((k + 1, k + 1), np.inf)
    effects = np.linalg.solve(without, left[..., None])[..., 0]
    away = effects - np.linalg.pinv(scores, hermitian=True) @ total
    side = np.vstack([np.eye(k), -np.ones(k)]) @ scores  # the sums over all groups are 0
    return side @ (away.T @ away * ((count - 1) / count)) @ side.T


def table(codes: tuple[np.ndarray, ...], values: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the sum of values (n,) of the rows with each combination of codes (n,); by default how many there are."""
    shape = [int(code.max()) + 1 for code in codes]
    places = np.ravel_multi_index(codes, shape)
    return np.bincount(places, np.broadcast_to(values, places.shape), np.prod(shape)).reshape(shape)


def _equations(sums: np.ndarray, sizes: np.ndarray) -> ArrayPair:
    """Return of tables (G, strata, clusters) the sums of scores less those expected from the strata (clusters, G - 1),
    and their information (clusters, G - 1, G - 1)."""
    total = (sums - _shares(sizes) * sums.sum(axis=0)).sum(axis=1)
    return total[:-1].T, information(sizes, sizes)[..., :-1, :-1]


def _shares(sizes: np.ndarray) -> np.ndarray:
    """Return the share of each group in the rows of each stratum, from numbers of rows (G, strata, …)."""
    return ratio(sizes, sizes.sum(axis=0), 0.0)


def information(sizes: np.ndarray, weighted: np.ndarray) -> np.ndarray:
    """Return the covariance (…, G, G) of sums of scores when labels are exchanged between the rows of a stratum.

    `sizes` (G, strata, …) are numbers of rows, `weighted` these times the variance of a score in their stratum.
    """
    covariance = np.array([[-(share * other).sum(axis=0) for other in weighted] for share in _shares(sizes)])
    for group, own in enumerate(weighted.sum(axis=1)):
        covariance[group, group] += own
    return np.moveaxis(covariance, (0, 1), (-2, -1))


def crossed(
    values: np.ndarray, group: np.ndarray, stratum: np.ndarray, first: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """Return the covariance (G, G) with two clusterings: both less their intersections, see `Spread`."""
    both = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1].ravel()
    one, two, cut = (clustered(values, group, stratum, c) for c in (first, second, both))
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        return np.full_like(one, np.inf)
    return Spread((one, two), cut, lambda contrasts: []).covariance


def clusters_effective(group: np.ndarray, stratum: np.ndarray, cluster: np.ndarray) -> float:
    """Return the effective number of clusters: all where each has as much information, fewer where some have most.

    Satterthwaite's approximation as in Bell & McCaffrey (2002), with the covariances between clusters left out: a
    cluster with share h of the information adds h / (1 - h) to the mean of the variance's estimate.
    """
    sizes = table((group, stratum))
    groups = len(sizes)
    contrast = np.eye(groups) - _shares(sizes).T[:, None, :]
    inverse = np.linalg.pinv(information(sizes, sizes), hermitian=True)
    leverage = np.einsum("bgi,ij,bgj->bg", contrast, inverse, contrast) / (groups - 1)
    share = np.bincount(cluster, leverage[stratum, group])
    return effective_number(share / np.maximum(1.0 - share, 1e-3))


def hotelling(chi2: float, df: int, df_cluster: float) -> float:
    """Return p by Hotelling's T², the covariance known with `df_cluster` degrees of freedom."""
    df_error = max(df_cluster + 1 - df, 1.0)
    return max(float(fdtrc(df, df_error, chi2 * df_error / max(df_cluster, df_error) / df)), TINY)
