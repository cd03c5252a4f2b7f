"""Tests by flipping the signs of whole clusters' scores, as a floor under tests by standard errors.

Under the null hypothesis the score of each row has mean 0; rows of one cluster may depend on each other, clusters
don't. Then the sum over clusters is as likely with any signs: exact where cluster sums are symmetric (Canay, Romano &
Shaikh 2017, Econometrica 85; Kline & Santos 2012, J. Econom. Methods 1). What did not vary in the data isn't taken for
constant: six wins in one cluster give p = 1, in six clusters p = .03.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple, ratio

LEVEL = 0.95
"""Level of all intervals."""

EXACT = 12
"""Up to so many clusters all signs are tried; of more a saddlepoint gives the tail (Lugannani & Rice 1980)."""

NORMAL = 300.0
"""With more effective clusters the normal distribution gives the tail."""

SEVERAL, DOMINANT = 8.0, 3.0
"""With more effective clusters, by sizes and by squares, the t test holds and the floor would only cost power."""

AGREE = 5
"""So many clusters that all agree have p = .06."""

FEWER, MORE = 3, 10
"""Annotators' signs are flipped where there are fewer or more annotators: from 3 to 10 may all agree, and their signs
alone could hardly show it after a correction for many pairs; the t test has few degrees of freedom then."""

TINY = 1e-9
"""Of the largest, or of the sum: what is smaller is rounding."""


@dataclass(frozen=True)
class ClusterScores:
    """Sums of scores by cluster, for q hypotheses.

    Attributes
    ----------
    score, information : arrays (m,)
        Of a cluster: its score under the null hypothesis, and what it knows of the contrast, by which the score falls
        for each unit of the contrast.
    column : array of int (m,)
        The hypothesis that it is about.
    weight : array (m,)
        How many clusters are alike in this.
    count : int
        Number of hypotheses, q.
    """

    score: np.ndarray
    information: np.ndarray
    column: np.ndarray
    weight: np.ndarray
    count: int

    @classmethod
    def of(cls, score: np.ndarray, information: np.ndarray, weight: np.ndarray | None = None) -> ClusterScores:
        """From sums (clusters, q)."""
        row, column = np.nonzero((score != 0) | (information != 0))
        each = np.ones(len(score)) if weight is None else weight
        return cls(score[row, column], information[row, column], column, each[row], score.shape[1])

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sum values (m,) by hypothesis (q,)."""
        return np.bincount(self.column, self.weight * values, self.count)

    @cached_property
    def effective(self) -> np.ndarray:
        """Effective number (q,) of clusters that say anything: as many as would have these sums of sizes and of squares
        if all were as large."""
        return ratio(self.total(np.abs(self.score)) ** 2, self.total(self.score**2), 0.0)

    @property
    def few(self) -> np.ndarray:
        """Return whether so few clusters (q,) say anything, or one says so much, that the floor is needed."""
        square = self.total(self.score**2)
        by_squares = ratio(square**2, self.total(self.score**4), 0.0)
        return (np.round(self.effective, 6) <= SEVERAL) | (np.round(by_squares, 6) <= DOMINANT)

    def pvalues(self) -> np.ndarray:
        """Return the two-sided p (q,) of each hypothesis; 1 where no cluster says anything."""
        largest = np.zeros(self.count)
        np.maximum.at(largest, self.column, np.abs(self.score))
        kept = np.abs(self.score) > TINY * largest[self.column]
        size, column, weight = np.abs(self.score[kept]), self.column[kept], self.weight[kept]
        total = np.abs(self.total(self.score))
        clusters = np.bincount(column, weight, self.count)
        whole = np.bincount(column, weight * size, self.count)
        square = np.bincount(column, weight * size**2, self.count)
        fourth = np.bincount(column, weight * size**4, self.count)
        p = np.ones(self.count)
        normal = square**2 > NORMAL * fourth
        p[normal] = 2 * ndtr(-total[normal] / np.sqrt(square[normal]))
        few = (clusters > 0) & (clusters <= EXACT) & ~normal
        order = np.argsort(column, kind="stable")
        ends = np.cumsum(np.bincount(column, minlength=self.count))
        for place in np.flatnonzero(few):
            rows = order[ends[place] - np.count_nonzero(column == place) : ends[place]]
            p[place] = _exact(np.repeat(size[rows], weight[rows].astype(int)), total[place])
        unanimous = (clusters > EXACT) & (total >= whole * (1 - TINY))
        p[unanimous] = 2.0 ** (1 - clusters[unanimous])
        rest = (clusters > EXACT) & ~normal & ~unanimous
        if rest.any():
            chosen = rest[column]
            place = (np.cumsum(rest) - 1)[column[chosen]]
            p[rest] = _saddlepoint(size[chosen], place, weight[chosen], total[rest], square[rest])
        return p

    def ends(self) -> ArrayPair:
        """Return the ends (q,) of the contrasts whose scores the clusters' own spread allows; infinite where it can't
        tell.

        Contrast d is inside where the sum of scores less d times the information is within t standard errors of 0,
        which are taken about d. Degrees of freedom are those of as many clusters as would have this sum of sizes if all
        were as large; with five or fewer not even clusters that agree could show anything at 5 %.
        """
        score, information = self.total(self.score), self.total(self.information)
        square, both = self.total(self.score**2), self.total(self.score * self.information)
        known = self.total(self.information**2)
        clusters = np.maximum(self.effective, 1.0)
        several = clusters > 1 + TINY
        limit = np.full(self.count, np.inf)
        limit[several] = stdtrit(clusters[several] - 1, (1 + LEVEL) / 2) ** 2
        enough = several & (clusters > AGREE + TINY)
        limit[enough] *= clusters[enough] / (clusters[enough] - 1 + limit[enough])
        bounded = several & (information**2 > limit * known)
        low, high = np.full(self.count, -np.inf), np.full(self.count, np.inf)
        a = information[bounded] ** 2 - limit[bounded] * known[bounded]
        b = score[bounded] * information[bounded] - limit[bounded] * both[bounded]
        c = score[bounded] ** 2 - limit[bounded] * square[bounded]
        root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
        low[bounded], high[bounded] = (b - root) / a, (b + root) / a
        return low, high


def _exact(size: np.ndarray, total: float) -> float:
    """Return the share of all signs of clusters' sums (g,) whose total is as far from 0."""
    signs = 1 - 2 * ((np.arange(2 ** len(size))[:, None] >> np.arange(len(size))) & 1)
    return float((np.abs(signs @ size) >= total - TINY * size.sum()).mean())


def _saddlepoint(
    size: np.ndarray, column: np.ndarray, weight: np.ndarray, total: np.ndarray, square: np.ndarray
) -> np.ndarray:
    """Return the tails (q,) of sums of signs times `size` (m,), by column, beyond `total` (q,)."""
    count = len(total)
    tilt = total / square
    for _ in range(60):  # Newton's steps rise to the root, since the slope falls
        tanh = np.tanh(np.minimum(tilt[column] * size, 300.0))
        mean = np.bincount(column, weight * size * tanh, count)
        slope = np.bincount(column, weight * size**2 * (1 - tanh**2), count)
        step = (total - mean) / np.maximum(slope, 1e-300)
        step = np.minimum(step, 2 * tilt + total / square)
        tilt = tilt + np.maximum(step, 0.0)
        if (np.abs(total - mean) <= 1e-10 * total).all():
            break
    scaled = np.minimum(tilt[column] * size, 300.0)
    cumulant = np.bincount(column, weight * np.log(np.cosh(scaled)), count)
    spread = np.bincount(column, weight * size**2 / np.cosh(scaled) ** 2, count)
    signed = np.sqrt(np.maximum(2 * (tilt * total - cumulant), 0.0))
    near = signed < 1e-4
    u = np.where(near, 1.0, tilt * np.sqrt(spread))
    w = np.where(near, 1.0, signed)
    tail = 2 * (ndtr(-w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / np.maximum(u, 1e-300) - 1 / w))
    p = np.where(near, 2 * ndtr(-total / np.sqrt(square)), tail)
    return np.clip(p, 0.0, 1.0)


def cluster_codes(clusters: Clusters) -> list[np.ndarray]:
    """Return the ways of clustering rows whose signs are flipped: codes (n,) from 0 up for each.

    Conversations (where a row has two, first the one and then the other), prompts, and annotators where there are fewer
    than `FEWER` or more than `MORE`.
    """
    ways = []
    if clusters.conversations is not None:
        for column in clusters.conversations.T:
            ways.append(np.where(column < 0, clusters.conversations[:, 0], column))
    if clusters.prompts is not None:
        ways.append(clusters.prompts)
    if clusters.workers is not None:
        people = len(np.unique(clusters.workers))
        if not FEWER <= people <= MORE:
            ways.append(clusters.workers)
    if not ways:
        ways.append(np.arange(clusters.rows))
    return [np.unique(way, return_inverse=True)[1] for way in ways]


def grouped_rows(way: np.ndarray, kind: np.ndarray, kinds: int, together: bool = True) -> tuple[csr_array, np.ndarray]:
    """Count the rows (n,) of each kind in each cluster of `way`; of clusters of one row those of a kind count
    `together`.

    Returns
    -------
    counts : sparse array (clusters, kinds)
    weight : array (clusters,)
        How many clusters are so.
    """
    sizes = np.bincount(way)
    alone = (sizes[way] == 1) & together
    several = np.unique(way[~alone], return_inverse=True)[1]
    single, number = np.unique(kind[alone], return_counts=True)
    rows = np.concatenate([several, several.max(initial=-1) + 1 + np.arange(len(single))])
    columns = np.concatenate([kind[~alone], single])
    groups = int(rows.max(initial=-1)) + 1
    counts = csr_array((np.ones(len(rows)), (rows, columns)), shape=(groups, kinds))
    counts.sum_duplicates()
    return counts, np.concatenate([np.ones(groups - len(single)), number])


def floored(estimate: np.ndarray, test: ArrayTriple, df: np.ndarray, ways: Sequence[ClusterScores]) -> ArrayTriple:
    """Return the ends and p (q,) of a test, with those by sign flips as a floor: the wider interval, the greater p.

    Parameters
    ----------
    estimate, df : arrays (q,)
        Contrasts, and their test's degrees of freedom.
    test : tuple of arrays (q,)
        Low, high and p; where p is NaN all stay as they are.
    ways : sequence of ClusterScores
        One for each way of clustering.
    """
    for way in ways:
        few = way.few
        if few.any():
            p, low, high = way.pvalues(), *way.ends()
            floor = np.where(few, p, 0.0)
            ends = np.where(few, low, np.nan), np.where(few, high, np.nan)
            test = raised(estimate, test, df, floor, ends)
    return test


def raised(
    estimate: np.ndarray, test: ArrayTriple, df: np.ndarray, floor: np.ndarray, ends: ArrayPair | None = None
) -> ArrayTriple:
    """Return low, high and p (q,) where p is at least `floor`, and the interval at least as wide as one from `ends`.

    The end nearer to 0 is on the estimate's side of 0 where p is below 5 %, and else 0 is inside.
    """
    low, high, p = test
    ahead = estimate > 0
    near, far = np.where(ahead, low, -high), np.where(ahead, high, -low)
    start, end = (np.full_like(low, np.nan),) * 2 if ends is None else ends
    greater = floor > p
    p = np.where(greater, floor, p)
    clear = p < 1 - LEVEL
    limit = stdtrit(np.maximum(df, 1e-9), (1 + LEVEL) / 2)
    t = -stdtrit(np.maximum(df, 1e-9), np.where(clear, np.maximum(p, 1e-300), 0.5) / 2)
    tested = np.abs(estimate) * (1 - limit / t)
    near = np.where(greater & clear, np.fmin(near, tested), near)
    near = np.where(clear, near, np.fmin(np.minimum(near, 0.0), np.where(ahead, start, -end)))
    far = np.fmax(far, np.where(ahead, end, -start))
    known = np.isfinite(test[2]) & ~np.isnan(low)
    return (np.where(known, np.where(ahead, near, -far), low), np.where(known, np.where(ahead, far, -near), high), p)
