"""Shares: exact and score intervals, and tests of one half, of choices that may be correlated.

Where each choice stands alone the exact binomial test and Clopper and Pearson's interval (1934, Biometrika 26) hold.
Where conversations or annotators recur, the interval is that of as many independent choices as would be as uncertain
(Korn & Graubard 1998, Survey Methodology 24), and the test is by the clustered standard error, never below the exact p
or that by sign flips of clusters (`sign_flips`).
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betaincinv, ndtri, stdtr, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, Diagonal
from parlai_spotbot.analysis.uncertainty.sign_flips import LEVEL, ClusterScores, by_group, cluster_codes, cluster_sums
from parlai_spotbot.analysis.values import ArrayPair, Interval, ratio


def wilson(hits: float, n: float) -> Interval:
    """Wilson's interval (1927, J. Am. Stat. Assoc. 22) of a share of `n` (which needn't be whole); NaN where n is 0."""
    if n <= 0:
        return (np.nan, np.nan)
    z = 1.959963984540054  # of the normal distribution
    middle = (hits + z * z / 2) / (n + z * z)
    half = z * (hits * (n - hits) / n + z * z / 4) ** 0.5 / (n + z * z)
    return (max(0.0, middle - half), min(1.0, middle + half))


def clopper_pearson(share: ArrayLike, n: ArrayLike) -> np.ndarray:
    """Clopper and Pearson's exact interval (..., 2) of shares of `n`, which needn't be whole; from 0 to 1 where n is
    0."""
    shares, sizes = np.broadcast_arrays(np.asarray(share, dtype=float), np.asarray(n, dtype=float))
    hits = np.where(sizes > 0, shares, 0.0) * sizes
    misses = sizes - hits
    out = (1 - LEVEL) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, betaincinv(np.maximum(hits, 1e-300), misses + 1, out), 0.0)
        high = np.where(misses > 1e-12, betaincinv(hits + 1, np.maximum(misses, 1e-300), 1 - out), 1.0)
    return np.stack([low, high], axis=-1)


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Exact two-sided p of "wins are as likely as losses"; 1 where there are neither."""
    n = np.add(wins, losses)
    return np.minimum(1.0, 2 * bdtr(np.floor(np.minimum(wins, losses)), np.round(n).astype(int), 0.5))


def share_tests(hits: np.ndarray, groups: np.ndarray, count: int, clusters: Clusters, tested: bool = True) -> dict:
    """Compute how often a choice (n,) is a hit (1 or True; a value between may stand), by group (n,), numbered from 0.

    Where the shares are `tested` against one half, sign flips are a floor, and interval and p agree.

    Returns
    -------
    dict of arrays, an entry each group
        `estimate`, `ci` (count, 2), `p` (of one half, two-sided), see the module; `p_exact`, `clopper_pearson`,
        `wilson`, which take choices as independent; `independent`: whether no two choices of the group share anything;
        `n`; `effective`: as many independent choices are as uncertain. From 0 to 1 and 1 where a single conversation or
        annotator decided everything; where all are alike nothing shows how they are correlated, and a cluster counts as
        one choice.
    """
    hits = np.asarray(hits, dtype=float)
    groups = np.asarray(groups, dtype=int)
    n = np.bincount(groups, minlength=count).astype(float)
    won = np.bincount(groups, hits, count)
    share = ratio(won, n)
    diagonal = _variances(hits, groups, share, n, clusters)
    varied = (diagonal.variance > 0) & (share > 0) & (share < 1)
    independent = diagonal.effective >= n - 1e-6 * np.maximum(n, 1)
    cases = [independent, diagonal.df > 0]
    like = np.divide(share * (1 - share), diagonal.variance, out=diagonal.effective.copy(), where=varied)
    like = np.select(cases, [n, np.minimum(n, like)], 1.0)
    ends = _interval(share, like, diagonal.df, varied, independent)
    p_exact = sign_test(won, n - won)
    p = np.select(cases, [p_exact, np.maximum(p_exact, _test(share, like, diagonal.df, varied))], 1.0)
    if tested:
        p = np.maximum(p, _flipped(hits - 0.5, groups, count, clusters))
        ends, p = _agreeing(share, ends, p)
    return {
        "estimate": share,
        "ci": ends,
        "p": np.where(n > 0, p, 1.0),
        "p_exact": p_exact,
        "independent": independent,
        "n": n.astype(int),
        "effective": np.where(n > 0, like, 0.0),
    }


def _variances(hits: np.ndarray, groups: np.ndarray, share: np.ndarray, n: np.ndarray, clusters: Clusters) -> Diagonal:
    """Return the variances of shares (q,), their df and effective numbers of choices, of hits (n,) in clusters."""
    errors = by_group((hits - share[groups]) / n[groups], groups, len(n))
    return clusters.diagonal(errors, by_group(np.ones(len(hits)), groups, len(n)))


def _interval(
    share: np.ndarray, like: np.ndarray, df: np.ndarray, varied: np.ndarray, independent: np.ndarray
) -> np.ndarray:
    """Return the intervals (q, 2) of shares of `like` choices, by Student's t where these are not independent."""
    usual = ndtri((1 + LEVEL) / 2) / stdtrit(np.where(df > 0, df, 1.0), (1 + LEVEL) / 2)
    ends = clopper_pearson(share, np.where(independent | ~varied, like, like * usual**2))
    return np.where((independent | (df > 0))[:, None], ends, [0.0, 1.0])


def _test(share: np.ndarray, like: np.ndarray, df: np.ndarray, varied: np.ndarray) -> np.ndarray:
    """Return the two-sided p (q,) of shares of `like` choices being one half, by Student's t where they `varied`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(share - 0.5) / np.sqrt(share * (1 - share) / like)
    return np.where(varied, 2 * stdtr(np.maximum(df, 1e-9), -t), np.minimum(1.0, 2 * 0.5**like))


def _flipped(scores: np.ndarray, groups: np.ndarray, count: int, clusters: Clusters) -> np.ndarray:
    """Return the greatest p (count,) by flipping the signs of clusters' sums of scores (n,) in each group."""
    p = np.zeros(count)
    for way in cluster_codes(clusters):
        sums = cluster_sums(scores, way, groups, count).tocoo()
        every = np.ones(len(sums.data))
        flipped = ClusterScores(sums.data, every, sums.coords[1], every, count)
        p = np.maximum(p, flipped.pvalues(flipped.few))
    return p


def _agreeing(share: np.ndarray, ends: np.ndarray, p: np.ndarray) -> ArrayPair:
    """Return intervals (q, 2) and p (q,) that agree on whether the shares (q,) may be one half: the interval is widened
    up to it, or p raised to 5 %."""
    low, high = ends.T
    open_ = p >= 1 - LEVEL
    low = np.where(open_ & (share >= 0.5), np.minimum(low, 0.5), low)
    high = np.where(open_ & (share <= 0.5), np.maximum(high, 0.5), high)
    inside = (low <= 0.5) & (high >= 0.5)
    return np.stack([low, high], axis=-1), np.where(inside, np.maximum(p, 1 - LEVEL), p)


def share_test(hits: np.ndarray, clusters: Clusters, tested: bool = True) -> dict:
    """`share_tests` of a single group: numbers, and pairs of them."""
    tests = share_tests(hits, np.zeros(len(hits), dtype=int), 1, clusters, tested)
    return {name: tuple(column[0].tolist()) if column.ndim == 2 else column[0].item() for name, column in tests.items()}


def share_interval(values: np.ndarray, clusters: Clusters) -> Interval:
    """The interval of the mean of `values` (n,) from 0 to 1, see `share_tests`."""
    return share_test(values, clusters, tested=False)["ci"]
