"""Estimates and what is known of them and of their differences: intervals, tests, corrections, places.

An interval is by Student's t with the degrees of freedom of its own contrast. Where all values are the same nothing was
seen to vary, which doesn't show that nothing varies: then an exact bound from the range that values can have takes the
place of an interval of no width, and a permutation of clusters that of a test.
"""

from dataclasses import dataclass
from math import comb, floor

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, Spread
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.design_effects import DesignEffects
from parlai_spotbot.analysis.uncertainty.sign_flips import (
    LEVEL,
    ClusterScores,
    by_group,
    cluster_codes,
    cluster_sums,
    floored,
)
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple, Interval, ratio

NOTHING = 1e-12
"""Variances below this part of a value's square are rounding."""


CELLS = 2_000_000
"""Sums of clusters, for all contrasts, that are worked out at once."""


@dataclass(frozen=True)
class Estimates:
    """Estimates `values` (p,) and what is known of their errors.

    `bounds`: the range (low, high) of the values whose means these are, if they are means; without it nothing can be
    said where nothing varies. `ways`: for each way of clustering the parts (clusters, p) that the values of each
    cluster, and how many they are, have in the means; tests have sign flips of them as a floor. `rows` (p,): how many
    values each mean is of.
    """

    values: np.ndarray
    spread: Spread | DesignEffects
    bounds: Interval | None = None
    ways: tuple[ArrayPair, ...] = ()
    rows: ArrayLike = 1

    def contrasts(self, weights: np.ndarray) -> pd.DataFrame:
        """One row a contrast of `weights` (q, p): estimate, se, low, high, df, p (two-sided, of its being 0), p_errors
        (p without the floor by sign flips), effective (the least effective number of clusters that say anything).

        NaN where a contrast has fewer than two effective conversations or annotators: nothing is known then of how
        others would differ.
        """
        return pd.DataFrame(self._contrasts(weights))

    def _contrasts(self, weights: ArrayLike, independent: int = 0) -> dict[str, np.ndarray]:
        """The columns (q,) of `contrasts`; of a family with `independent` of them, see `Spread.moderated`."""
        weights = np.atleast_2d(np.asarray(weights, dtype=float))
        estimate = self._estimate(weights)
        variance, df = self._variance(weights, independent)
        se, test = self._test(weights, estimate, variance, df)
        p_errors = test[2].copy()
        effective = self._floor(weights, estimate, test, df)
        low, high, p = test
        p = np.where((low <= 0) & (high >= 0), np.maximum(p, 1 - LEVEL), p)
        if self.bounds is not None:
            ends = np.sort(np.stack([weights * self.bounds[0], weights * self.bounds[1]]), axis=0).sum(axis=2)
            low = np.maximum(low, ends[0])
            high = np.minimum(high, ends[1])
        columns = {"estimate": estimate, "se": se, "low": low, "high": high, "df": df, "p": p}
        return columns | {"p_errors": p_errors, "effective": effective}

    def _estimate(self, weights: np.ndarray) -> np.ndarray:
        """Return the contrasts (q,) of the values; those of weight 0 may be NaN."""
        return np.where(weights != 0, weights * self.values, 0.0).sum(axis=1)

    def _test(
        self, weights: np.ndarray, estimate: np.ndarray, variance: np.ndarray, df: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the standard errors (q,) of contrasts and low, high and p (3, q) by them, or by an exact bound."""
        finite = np.isfinite(variance) & np.isfinite(estimate)
        none = finite & (variance <= NOTHING * np.maximum(1.0, np.abs(estimate)) ** 2)
        se = np.sqrt(np.where(finite, np.maximum(variance, 0.0), np.nan))
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.where(none, np.nan, stdtrit(df, (1 + LEVEL) / 2) * se)
            p = np.where(none, np.nan, 2 * stdtr(df, -np.abs(estimate) / se))
        test = np.stack([estimate - half, estimate + half, p])
        if none.any():
            test[:, none] = self._bound(weights[none], estimate[none])
        return se, test

    def _floor(self, weights: np.ndarray, estimate: np.ndarray, test: np.ndarray, df: np.ndarray) -> np.ndarray:
        """Let sign flips be a floor of `test` (3, q), in place; return the least effective number of clusters (q,)."""
        effective = np.full(len(weights), np.inf)
        signed = self._signed(weights)
        if self.ways and signed.any():
            flipped = [self._flipped(way, weights[signed]) for way in self.ways]
            effective[signed] = np.min([way.effective for way in flipped], axis=0)
            low, high, p = test[:, signed]
            test[:, signed] = floored(estimate[signed], (low, high, p), df[signed], flipped)
        return effective

    def _variance(self, weights: np.ndarray, independent: int) -> ArrayPair:
        """Return the variances and degrees of freedom (q,) of contrasts (q, p)."""
        if independent and isinstance(self.spread, Spread):
            return self.spread.moderated(weights, independent)
        return self.spread.variance(weights)

    def _flipped(self, way: ArrayPair, weights: np.ndarray) -> ClusterScores:
        """Return the scores of clusters about contrasts (q, p), worked out some at a time."""
        at_once = CELLS // max(1, way[0].shape[0]) + 1
        parts = np.split(weights, range(at_once, len(weights), at_once))
        return ClusterScores.joined([self._scores(way, part) for part in parts])

    def _scores(self, way: ArrayPair, weights: np.ndarray) -> ClusterScores:
        """Return the scores of clusters about contrasts (q, p) under each contrast's being 0.

        The means are then drawn together, each as far as it is known less well. Where values have bounds, clusters that
        are all alike in both say that the contrast is 0, and the exact bound how near.
        """
        total, share = way
        variance = ratio(1.0, self.rows, 0.0)
        along = weights * variance
        spread = (along * weights).sum(axis=1)
        apart = ratio(self._estimate(weights), spread, 0.0)
        drawn = np.nan_to_num(self.values) - along * apart[:, None]
        scores = total @ weights.T - share @ (weights * drawn).T
        return ClusterScores.from_fit(
            scores, share @ (weights * along).T / np.maximum(spread, 1e-300), ties=self.bounds is not None
        )

    def _signed(self, weights: np.ndarray) -> np.ndarray:
        """Return whether each contrast (q, p) can be on either side of 0."""
        either = self.bounds is None or self.bounds[0] < 0 < self.bounds[1]
        return either | (np.abs(weights.sum(axis=1)) < NOTHING)

    def _bound(self, weights: np.ndarray, estimate: np.ndarray) -> ArrayTriple:
        """Ends and p of contrasts of which nothing varies.

        With G clusters alike, another one differs with a chance of at most 1 - (α / 2)^(1 / G) (Clopper & Pearson), by
        as much as the range of values allows; the level is shared out between the estimates of a contrast.
        """
        if self.bounds is None or not isinstance(self.spread, Spread):
            nothing = np.full(len(estimate), np.nan)
            return nothing, nothing, np.ones(len(estimate))
        single = np.min(self.spread.effective(np.eye(len(self.values))), axis=0)
        used = weights != 0
        with np.errstate(divide="ignore"):  # a mean of nothing may be anything
            chance = 1 - ((1 - LEVEL) / 2 / used.sum(axis=1, keepdims=True)) ** (1 / single)
        far = np.stack([weights * (end - self.values) * chance for end in self.bounds])
        low, high = estimate + np.where(used, np.sort(far, axis=0), 0.0).sum(axis=2)
        p = np.ones(len(estimate))
        for place in np.flatnonzero(np.abs(estimate) > NOTHING):
            p[place] = _permutation(single[used[place]])
        return low, high, p

    def contrast(self, weights: ArrayLike) -> dict:
        """One contrast (p,): `estimate`, `se`, `ci`, `p`, `df`."""
        row = {name: float(column[0]) for name, column in self._contrasts(weights).items()}
        return {name: row[name] for name in ("estimate", "se", "p", "df")} | {"ci": (row["low"], row["high"])}

    def intervals(self) -> np.ndarray:
        """(p, 2)."""
        contrast_rows = self._contrasts(np.eye(len(self.values)))
        return np.stack([contrast_rows["low"], contrast_rows["high"]], axis=1)

    def pairs(self) -> pd.DataFrame:
        """Every two estimates: first, second (their places), and `contrasts` of the first less the second, with
        p_adjusted over those that have a p."""
        count = len(self.values)
        first, second = np.triu_indices(count, 1)
        columns = self._contrasts(differences(count, count), int(np.isfinite(self.values).sum()) - 1)
        adjusted = adjust_known(columns["p"])
        return pd.DataFrame({"first": first, "second": second, **columns, "p_adjusted": adjusted})


def differences(count: int, parameters: int) -> np.ndarray:
    """Return the contrasts (q, parameters) of every two of the first `count` parameters."""
    first, second = np.triu_indices(count, 1)
    every = np.eye(count, parameters)
    return every[first] - every[second]


def _permutation(clusters: np.ndarray) -> float:
    """The least two-sided p that an exchange of clusters can give: of one estimate by signs, of two by permutation."""
    whole = [max(1, floor(count + 1e-9)) for count in clusters]
    ways = 2 ** whole[0]
    if len(whole) > 1:
        ways = comb(sum(whole), whole[0])
    return min(1.0, 2 / ways)


def places(better: np.ndarray, worse: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The first and last place (K, 2) of each in its group, of so many (K,): one more than are surely better, as many
    as are not surely worse.

    Where one is surely `better` (q,) than another (`worse`) over all pairs together, all places hold together with the
    level of that correction (Mogstad, Romano, Shaikh & Wilhelm 2024, Rev. Econ. Stud. 91).
    """
    ahead, behind = (np.bincount(ends, minlength=len(sizes)) for ends in (worse, better))
    return np.stack([1 + ahead, sizes - behind], axis=-1)


def group_means(
    values: ArrayLike, groups: np.ndarray, count: int, clusters: Clusters, bounds: Interval | None = None
) -> Estimates:
    """The means of `values` (n,) by group, numbered from 0; NaN for a group without values.

    Means of different groups are correlated where they share conversations or annotators, which their differences use.
    `bounds` is the range that values can have, for `Estimates`.
    """
    values = np.asarray(values, dtype=float)
    groups = np.asarray(groups, dtype=int)
    if np.isnan(values).any():
        raise ValueError(f"values: row {int(np.argmax(np.isnan(values)))} is missing, expected a number")
    size = np.bincount(groups, minlength=count).astype(float)
    mean = ratio(np.bincount(groups, values, count), size)
    scores = by_group((values - mean[groups]) / size[groups], groups, count)
    shares = by_group(1 / size[groups] ** 2, groups, count)
    ways = []
    for way in cluster_codes(clusters):
        total = cluster_sums(values / size[groups], way, groups, count)
        ways.append((total, cluster_sums(1 / size[groups], way, groups, count)))
    return Estimates(mean, clusters.spread(scores, shares), bounds, tuple(ways), size)


def mean_of(values: ArrayLike, clusters: Clusters, bounds: Interval | None = None) -> dict:
    """The mean of `values` (n,): `estimate`, `se`, `ci`, `p` (of its being 0), `df`; see `Estimates.contrast`. NaN for
    none; `ci` and `p` are, too, where the interval leaves everything open that `bounds` allow."""
    mean = group_means(values, np.zeros(clusters.rows, dtype=int), 1, clusters, bounds).contrast(np.ones(1))
    if mean["ci"] == bounds:
        mean |= {"ci": (np.nan, np.nan), "p": np.nan}
    return mean
