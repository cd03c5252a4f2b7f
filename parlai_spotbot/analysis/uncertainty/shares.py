"""Shares: exact and score intervals, and tests of one half, of choices that may hang together.

Where each choice stands alone the exact binomial test and Clopper and Pearson's interval (1934, Biometrika 26) hold.
Where conversations or annotators recur, the interval is that of as many independent choices as would be as uncertain
(Korn & Graubard 1998, Survey Methodology 24), and the test is by the clustered standard error, never below the exact p.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, betaincinv, ndtri, stdtr, stdtrit
from scipy.stats import binom

from parlai_spotbot.analysis.uncertainty.clusters import Clusters

Z = 1.959963984540054
"""Quantile of the normal distribution for a two-sided level of .95."""


def wilson(hits: float, n: float, z: float = Z) -> tuple[float, float]:
    """Wilson's interval (1927, J. Am. Stat. Assoc. 22) of a share of `n` (which needn't be whole); NaN where n is 0."""
    if n <= 0:
        return (np.nan, np.nan)
    middle, half = (hits + z * z / 2) / (n + z * z), z * (hits * (n - hits) / n + z * z / 4) ** 0.5 / (n + z * z)
    return (max(0.0, middle - half), min(1.0, middle + half))


def clopper_pearson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's exact interval of a share of `n`, which needn't be whole; from 0 to 1 where n is 0."""
    hits, out = share * n, (1 - level) / 2
    low = float(betaincinv(hits, n - hits + 1, out)) if hits > 0 else 0.0
    high = float(betaincinv(hits + 1, n - hits, 1 - out)) if hits < n else 1.0
    return (low, high)


def sign_test(wins: float, losses: float) -> float:
    """Exact two-sided p of "wins are as likely as losses"; 1 where there are neither."""
    n = wins + losses
    return min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5))) if n else 1.0


def binomial_power(n: int, share: float, decided: float = 1.0, alpha: float = 0.05) -> float:
    """The chance that the exact two-sided binomial test of n choices rejects, where each is decided with that
    chance."""
    counts = np.array([n]) if decided >= 1 else np.arange(n + 1)
    chance = np.array([1.0]) if decided >= 1 else binom.pmf(counts, n, decided)
    kept = chance > 1e-9
    counts, chance = counts[kept], chance[kept]
    # The most that a loser of so many decided choices may win: the lower tail is at most alpha / 2.
    least = binom.ppf(alpha / 2 * (1 + 1e-12), counts, 0.5)
    least = np.where(binom.cdf(least, counts, 0.5) <= alpha / 2 * (1 + 1e-12), least, least - 1)
    rejected = binom.cdf(least, counts, share) + binom.sf(counts - least - 1, counts, share)
    return float(chance @ np.where(least >= 0, rejected, 0.0))


def share_test(hits: np.ndarray, clusters: Clusters, level: float = 0.95) -> dict:
    """How often a choice (n,) of True or False is True: `estimate`, `ci`, `p` (of one half, two-sided), and on what
    they rest.

    Returns
    -------
    dict
        `estimate`, `ci`, `p` (see the module); `p_exact`, `clopper_pearson`, `wilson`, which take choices as
        independent; `independent`: whether they are; `n`, `effective` (as many independent choices).
    """
    hits = np.asarray(hits, dtype=float)
    n, won = len(hits), int(hits.sum())
    if not n:
        nothing = (np.nan, np.nan)
        return {"estimate": np.nan, "ci": nothing, "p": 1.0, "p_exact": 1.0, "clopper_pearson": nothing,
                "wilson": nothing, "independent": True, "n": 0, "effective": 0.0}  # fmt: skip
    exact, p = clopper_pearson(won / n, n, level), sign_test(won, n - won)
    found = {
        "estimate": won / n,
        "ci": exact,
        "p": p,
        "p_exact": p,
        "clopper_pearson": exact,
        "wilson": wilson(won, n, float(ndtri((1 + level) / 2))),
        "independent": clusters.independent,
        "n": n,
        "effective": float(n),
    }
    return found if found["independent"] else {**found, **_clustered(hits, clusters, p, level)}


def share_interval(values: np.ndarray, clusters: Clusters, level: float = 0.95) -> tuple[float, float]:
    """The interval of the mean of `values` (n,) from 0 to 1: that of `share_test`, in which a value may lie between.

    From 0 to 1 where a single conversation or annotator decided everything.
    """
    share, like, df = _independent(np.asarray(values, dtype=float), clusters)
    if df <= 0:
        return (0.0, 1.0) if len(values) else (np.nan, np.nan)
    usual = float(ndtri((1 + level) / 2)) / float(stdtrit(df, (1 + level) / 2)) if np.isfinite(df) else 1.0
    return clopper_pearson(share, like * usual**2, level)


def _independent(hits: np.ndarray, clusters: Clusters) -> tuple[float, float, float]:
    """The share, of how many independent choices it is as uncertain, and with how many degrees of freedom that is
    known (0: not at all).

    Where all are alike nothing shows how they hang together: then a cluster counts as one choice.
    """
    if not len(hits):
        return np.nan, 0.0, 0.0
    share, n = float(hits.mean()), float(len(hits))
    if clusters.independent:
        return share, n, np.inf
    variance, df = (float(of[0]) for of in clusters.variance((hits - share) / n))
    if not df > 0:
        return share, 1.0, 0.0
    if variance > 0 and 0 < share < 1:
        return share, min(n, share * (1 - share) / variance), df
    return share, clusters.effective, df


def _clustered(hits: np.ndarray, clusters: Clusters, exact: float, level: float) -> dict:
    share, like, df = _independent(hits, clusters)
    if df <= 0:  # one conversation or one annotator decided everything
        return {"ci": (0.0, 1.0), "p": 1.0, "effective": 1.0}
    if 0 < share < 1:
        p = float(2 * stdtr(df, -abs(share - 0.5) / np.sqrt(share * (1 - share) / like)))
    else:
        p = min(1.0, 2 * 0.5**like)
    return {"ci": share_interval(hits, clusters, level), "p": max(exact, p), "effective": float(like)}
