"""Tests by flipping the signs of whole clusters' scores, as a floor under tests by standard errors.

Under the null hypothesis the score of each row has mean 0; rows of one cluster may depend on each other, clusters
don't. Then the sum over clusters is as likely with any signs: exact where cluster sums are symmetric (Canay, Romano &
Shaikh 2017, Econometrica 85; Kline & Santos 2012, J. Econom. Methods 1). What did not vary in the data isn't taken for
constant: six wins in one cluster give p = 1, in six clusters p = .03.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtr, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple, ratio

LEVEL = 0.95
"""Level of all intervals."""

EXACT = 10
"""Number of clusters, the largest, of which all signs are tried."""

SEVERAL = 8.0
DOMINANT = 3.0
"""With more effective clusters, by sizes and by squares, the t test holds and the floor would only cost power."""

AGREE = 5
"""Number of clusters that, when all agree, have p = .06."""

FEWER = 3
MORE = 10
"""Annotators' signs are flipped where there are fewer or more annotators: from 3 to 10 may all agree, and their signs
alone could hardly show it after a correction for many pairs; the t test has few degrees of freedom then."""

TINY = 1e-6
"""Of the largest, or of the sum: what is smaller is rounding, or the solver's."""


ROUNDING = 1e-10
"""A sum of scores below this, of the largest or of 1, is 0: scores are points, which cancel but for rounding."""


@dataclass(frozen=True)
class ClusterScores:
    """Sums of scores by cluster, for q hypotheses.

    Attributes
    ----------
    score, known : arrays (clusters, q), or (m,) where most clusters say nothing of most hypotheses
        Of a cluster: its score under the null hypothesis, and what it knows of the contrast, by which the score falls
        for each unit of the contrast. `known` may be a function that computes it, since few hypotheses need it.
    column : array of int (m,), or None
        The hypothesis that each of m entries is about.
    weight : array (clusters,) or (m,)
        How many clusters are alike in this.
    count : int
        Number of hypotheses, q.
    ties : bool
        Whether clusters whose scores are all 0 say that two are equal, as tied matches do; else they say nothing.
    """

    score: np.ndarray
    known: np.ndarray | float | Callable[[], np.ndarray]
    column: np.ndarray | None
    weight: np.ndarray
    count: int
    ties: bool = False

    @classmethod
    def from_fit(
        cls,
        score: np.ndarray,
        known: np.ndarray | float | Callable[[], np.ndarray] = 0.0,
        weight: np.ndarray | None = None,
        ties: bool = False,
    ) -> ClusterScores:
        """From sums (clusters, q)."""
        size = np.abs(score)
        rounding = ROUNDING * max(1.0, float(size.max(initial=0.0)))
        is_zero = ~(size > rounding)
        sums = size
        sums[:] = score
        sums[is_zero] = 0.0
        each = np.ones(len(sums)) if weight is None else weight
        return cls(sums, known, None, each, sums.shape[1], ties)

    @classmethod
    def from_entries(cls, sums: csr_array, weight: np.ndarray) -> ClusterScores:
        """From sums (clusters, q) of which most are 0, without what clusters know."""
        entries = sums.tocoo()
        size = np.abs(entries.data)
        kept = size > ROUNDING * max(1.0, float(size.max(initial=0.0)))
        score = entries.data[kept]
        return cls(score, np.zeros_like(score), entries.col[kept], weight[entries.row[kept]], sums.shape[1])

    @classmethod
    def joined(cls, parts: Sequence[ClusterScores]) -> ClusterScores:
        """The hypotheses of all parts that are `from_fit`, one after the other."""
        count = 0
        entries = []
        for part in parts:
            row, column = np.nonzero((part.score != 0) | (part.information != 0))
            entries.append((part.score[row, column], part.information[row, column], column + count, part.weight[row]))
            count += part.count
        score, information, columns, weight = map(np.concatenate, zip(*entries, strict=True))
        return cls(score, information, columns, weight, count, all(part.ties for part in parts))

    @cached_property
    def information(self) -> np.ndarray:
        """What each cluster knows of the contrast, an array as `score` is."""
        known = self.known() if callable(self.known) else self.known
        return np.broadcast_to(known, self.score.shape)

    def total(self, values: np.ndarray) -> np.ndarray:
        """Sum values, an array as `score` is, by hypothesis (q,)."""
        if self.column is None:
            return self.weight @ values
        return np.bincount(self.column, self.weight * values, self.count)

    @cached_property
    def _powers(self) -> ArrayTriple:
        """The sums (q,) of clusters' sizes, of their squares and of these squares' squares.

        A cluster's size is its score, or its information where all are tied.
        """
        size = np.abs(self.score)
        total = self.total(size)
        equal = self.ties & (total == 0)
        if equal.any():
            if self.column is not None:
                equal = equal[self.column]
            size = np.where(equal, np.abs(self.information), size)
            total = self.total(size)
        square = np.multiply(size, size, out=size)
        squares = self.total(square)
        return total, squares, self.total(np.multiply(square, square, out=square))

    @property
    def effective(self) -> np.ndarray:
        """Effective number (q,) of clusters that say anything: as many as would have these sums of sizes and of squares
        if all were as large."""
        total, square, _ = self._powers
        return ratio(total**2, square, 0.0)

    @property
    def few(self) -> np.ndarray:
        """Return where (q,) the floor is needed: few clusters inform the contrast, or one dominates it."""
        _, square, fourth = self._powers
        by_squares = ratio(square**2, fourth, 0.0)
        return (np.round(self.effective, 6) <= SEVERAL) | (np.round(by_squares, 6) <= DOMINANT)

    def pvalues(self, chosen: np.ndarray | None = None) -> np.ndarray:
        """Return the two-sided p (q,) of each hypothesis, or of the `chosen` (q,), 0 of the others; 1 where no cluster
        says anything."""
        p = np.ones(self.count) if chosen is None else 1.0 * chosen
        total = np.abs(self.total(self.score))
        tested = np.flatnonzero((p > 0) & (total > 0))
        if self.column is None:
            for place, score in zip(tested, self.score.T[tested], strict=True):
                p[place] = _tail(np.abs(score), self.weight, total[place])
            return p
        ends = np.cumsum(np.bincount(self.column, minlength=self.count))
        rows_of = np.split(np.argsort(self.column, kind="stable"), ends)
        for place in tested:
            rows = rows_of[place]
            p[place] = _tail(np.abs(self.score[rows]), self.weight[rows], total[place])
        return p

    def ends(self) -> ArrayPair:
        """Return the ends (q,) of the contrasts whose scores the clusters' own spread allows; infinite where it can't
        tell.

        Contrast d is inside where the sum of scores less d times the information is within t standard errors of 0,
        which are taken about d. Degrees of freedom are those of as many clusters as would have this sum of sizes if all
        were as large; with five or fewer not even clusters that agree could show anything at 5 %.
        """
        score = self.total(self.score)
        information = self.total(self.information)
        square = self.total(self.score**2)
        both = self.total(self.score * self.information)
        weight = self.total(self.information**2)
        clusters = np.maximum(self.effective, 1.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            limit = stdtrit(clusters - 1, (1 + LEVEL) / 2) ** 2
            smaller = limit * clusters / (clusters - 1 + limit)
            limit = np.where(clusters > AGREE + TINY, smaller, limit)
            a = information**2 - limit * weight
            b = score * information - limit * both
            root = np.sqrt(np.maximum(b**2 - a * (score**2 - limit * square), 0.0))
            low = (b - root) / a
            high = (b + root) / a
        fewest = np.where(square > 0, 1, AGREE)  # that many may be tied by chance
        bounded = (clusters > fewest + TINY) & (a > 0)
        return np.where(bounded, low, -np.inf), np.where(bounded, high, np.inf)


def _tail(size: np.ndarray, weight: np.ndarray, total: float) -> float:
    """Return how likely clusters' sums, each `weight` (g,) times of this `size` (g,), add up to as much with any signs.

    All signs of the largest are tried; the others add a normal part.
    """
    largest = np.arange(len(size))
    if len(size) > EXACT:
        largest = np.argpartition(-size, EXACT)[:EXACT]
    largest = largest[np.argsort(-size[largest])]
    each = np.minimum(weight[largest], EXACT).astype(int)
    tried = np.repeat(size[largest], each)[:EXACT]
    tried = tried[tried > TINY * tried[0]]
    rest = np.sqrt(max((weight * size**2).sum() - (tried**2).sum(), 0.0))
    signs = 1 - 2 * np.indices((2,) * len(tried)).reshape(len(tried), -1)
    sums = tried @ signs
    if rest <= TINY * tried[0]:
        return float((np.abs(sums) >= total - TINY * tried.sum()).mean())
    return float(min(1.0, 2 * ndtr((sums - total) / rest).mean()))


def cluster_codes(clusters: Clusters, turned: np.ndarray | None = None) -> list[np.ndarray]:
    """Return the ways of clustering rows whose signs are flipped: codes (n,) from 0 up for each.

    Conversations, prompts, and annotators where there are fewer than `FEWER` or more than `MORE`. Where a row has two
    conversations, those of the one contestant are a way and those of the other another: they change places in the rows
    that are `turned` (n,).
    """
    ways = []
    talks = clusters.conversations
    if talks is not None:
        if turned is not None and talks.shape[1] == 2:
            talks = np.where((turned & (talks >= 0).all(axis=1))[:, None], talks[:, ::-1], talks)
        for column in talks.T:
            ways.append(np.where(column < 0, talks[:, 0], column))
    if clusters.prompts is not None:
        ways.append(clusters.prompts)
    if clusters.workers is not None:
        people = np.count_nonzero(np.bincount(clusters.workers))
        if not FEWER <= people <= MORE:
            ways.append(clusters.workers)
    if not ways:
        ways.append(np.arange(clusters.rows))
    return [_without_gaps(way) for way in ways]


def _without_gaps(codes: np.ndarray) -> np.ndarray:
    """Return codes (n,) from 0 up, in the order of those given, which are few more than there are rows."""
    return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]


def cluster_sums(values: np.ndarray, way: np.ndarray, columns: np.ndarray, count: int) -> csr_array:
    """Return the sums (clusters, count) of values (n,) in each cluster of `way`, by their columns (n,)."""
    sums = csr_array((values, (way, columns)), shape=(int(way.max(initial=-1)) + 1, count))
    sums.sum_duplicates()
    return sums


def by_group(values: np.ndarray, groups: np.ndarray, count: int) -> csr_array:
    """Return each of the values (n,) in the column (n, count) of its group."""
    return cluster_sums(values, np.arange(len(values)), groups, count)


def grouped_rows(way: np.ndarray, kind: np.ndarray, kinds: int) -> tuple[csr_array, np.ndarray]:
    """Count the rows (n,) of each kind in each cluster of `way`; clusters of one row of a kind are counted together.

    Returns
    -------
    counts : sparse array (clusters, kinds)
    weight : array (clusters,)
        How many clusters are so.
    """
    sizes = np.bincount(way)
    alone = sizes[way] == 1
    several = _without_gaps(way[~alone])
    number = np.bincount(kind[alone])
    single = np.flatnonzero(number)
    rows = np.concatenate([several, several.max(initial=-1) + 1 + np.arange(len(single))])
    columns = np.concatenate([kind[~alone], single])
    counts = cluster_sums(np.ones(len(rows)), rows, columns, kinds)
    return counts, np.concatenate([np.ones(counts.shape[0] - len(single)), number[single]])


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
            floor = way.pvalues(few)
            low, high = way.ends()
            ends = np.where(few, low, np.nan), np.where(few, high, np.nan)
            test = raised(estimate, test, df, floor, ends)
    return test


def raised(
    estimate: np.ndarray, test: ArrayTriple, df: np.ndarray, floor: np.ndarray, ends: Sequence = (np.nan, np.nan)
) -> ArrayTriple:
    """Return low, high and p (q,) where p is at least `floor`, and the interval at least as wide as one from `ends`.

    The end nearer to 0 is on the estimate's side of 0 where p is below 5 %, and else 0 is inside.
    """
    low, high, p = test
    ahead = estimate > 0
    near = np.where(ahead, low, -high)
    far = np.where(ahead, high, -low)
    start, end = (np.asarray(values) for values in ends)
    greater = floor > p
    p = np.where(greater, floor, p)
    clear = p < 1 - LEVEL
    limit = stdtrit(np.maximum(df, 1e-9), (1 + LEVEL) / 2)
    t = -stdtrit(np.maximum(df, 1e-9), np.where(clear, np.maximum(p, 1e-300), 0.5) / 2)
    tested = np.abs(estimate) * (1 - limit / t)
    near = np.where(greater & clear, np.fmin(near, tested), near)
    near = np.where(clear, near, np.fmin(np.minimum(near, 0.0), np.where(ahead, start, -end)))
    far = np.fmax(far, np.where(ahead, end, -start))
    finite = np.isfinite(test[2]) & ~np.isnan(low)
    return (np.where(finite, np.where(ahead, near, -far), low), np.where(finite, np.where(ahead, far, -near), high), p)
