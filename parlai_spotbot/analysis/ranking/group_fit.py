"""The penalised fit of one connected group of contestants, and what it says of every two of them.

All pairs are tested by likelihood ratios over the design effect of matches that share conversations or annotators, with
sign flips of whole clusters as a floor (`uncertainty.sign_flips`). Whoever is named first may have an advantage: it is
a parameter, which the flips leave out where most pairs were seen in both orders, since it costs them exactness there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from operator import matmul

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit, stdtr, stdtrit

from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN, Codes, code_counts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.design_effects import DesignEffects
from parlai_spotbot.analysis.uncertainty.estimates import Estimates, differences
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson
from parlai_spotbot.analysis.uncertainty.sign_flips import (
    LEVEL,
    TINY,
    ClusterScores,
    cluster_codes,
    cluster_sums,
    floored,
    grouped_rows,
    raised,
)
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple, ratio

RARER = 0.2
"""A pair was seen in both orders where at least this share of its matches is in the rarer one."""

BOTH_ORDERS = 0.5
"""Orders are balanced where more than this share of matches is of pairs seen in both orders."""

REVERSED = 5
TOLD = 20
"""So many matches of a pair in the rarer order, and so many in all, tell the order from strength where orders aren't
balanced."""

PROFILED = 60
"""With more contestants in a group pairs are tested by Wald's test, since each likelihood ratio takes a fit."""

UNKNOWN = (np.nan, np.nan, np.nan)

SAME = 1e-6
HUGE = 700.0
"""Effects of order that are nearer are the same; differences of log strengths beyond the other are as good as
infinite."""

HELD = 4_000_000
"""Numbers in the largest table of annotators' parts in differences."""

NO_CLUSTERS = "too few conversations or annotators to tell how others would differ"


def _both_orders(counts: np.ndarray) -> float:
    """Return the share of matches, from counts (K, K, 3), that are of pairs seen in both orders (`RARER`)."""
    matches = counts.sum(axis=-1)
    both = matches + matches.T
    turned = np.minimum(matches, matches.T) >= RARER * both
    return float(both[turned].sum() / max(both.sum(), 1.0))


@dataclass(frozen=True)
class Solution:
    """Estimates `theta` (p,) of the parameters of `model`, and the design `effects` of matches that share clusters."""

    model: PairedCounts
    theta: np.ndarray
    effects: DesignEffects


@dataclass(frozen=True)
class GroupFit:
    """The penalised fit of one connected group of contestants, who are `members` of all, and of its matches.

    `rows` are the places of its matches among all. `solution` is None where no match was decided, which `why` says.
    `codes` are the matches (n,), by places among the members, and `clusters` theirs; the parts of `people` annotators
    in differences are told. `both_orders`: the share of matches that are of pairs seen in both orders. `confounded`
    (k,): what the order of matches could add to each member's strength; None where the order can be told from strength,
    or nobody asks.
    """

    members: np.ndarray
    rows: np.ndarray
    codes: Codes
    clusters: Clusters
    people: int
    solution: Solution | None
    both_orders: float = 0.0
    confounded: np.ndarray | None = None
    why: str = ""

    @classmethod
    def fitted(cls, codes: Codes, members: np.ndarray, clusters: Clusters, order: bool | None, people: int) -> GroupFit:
        """Fit the matches (n,) of `codes` between `members`."""
        rows = np.flatnonzero(np.isin(codes[0], members) & np.isin(codes[1], members))
        a, b = (np.searchsorted(members, code[rows]) for code in codes[:2])
        outcome = codes[2][rows]
        size = len(members)
        group_clusters = clusters.take(rows)
        kept = (a, b, outcome)
        counts = code_counts(kept, size)
        share = _both_orders(counts)
        if size < 2 or (outcome == TIE).all():
            why = "no match was decided" if len(rows) else "no match"
            return cls(members, rows, kept, group_clusters, people, None, share, why=why)
        with_order = share <= BOTH_ORDERS if order is None else order
        confounded = _confounded(counts) if with_order and share <= BOTH_ORDERS else None
        model = PairedCounts.from_counts(counts, with_order and confounded is None)
        theta = model.maximise(np.zeros(model.parameters))
        effects = DesignEffects.from_clusters(model.cells(theta, a, b, outcome), group_clusters, size)
        why = "" if effects.known else NO_CLUSTERS
        solution = Solution(model, theta, effects)
        return cls(members, rows, kept, group_clusters, people, solution, share, confounded, why)

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    @property
    def solved(self) -> Solution:
        """The solution of a group that has one."""
        if self.solution is None:
            raise ValueError(self.why)
        return self.solution

    @cached_property
    def pairs(self) -> dict[str, np.ndarray]:
        """Columns (q,) of the differences of every two members: difference, se, low, high, df, p, p_errors, shares,
        effective, confounded.

        The statistic is the likelihood ratio over the design effect, or Wald's in a large group. The interval is
        Wald's; where it and the test disagree on whether the difference may be 0, its end near 0 is the test's. Flips
        are a floor under both: `p_errors` is the p without them. `shares` (q, people) is the part of each difference
        that each annotator (a code of the clusters) adds. `effective` is the least effective number of clusters that
        say anything of the difference. `confounded` is 1 where the order of matches alone could bring it about.
        """
        theta = self.solved.theta
        model = self.solved.model
        variance, effect, df = self.solved.effects.pairs(self.size)
        i, j = np.triu_indices(self.size, 1)
        difference = theta[i] - theta[j]
        se = np.sqrt(variance * effect)
        t = np.abs(difference) / se
        restricted = []
        if self.size <= PROFILED:
            restricted = list(model.restricted(theta, differences(self.size, len(theta))))
            t = np.sqrt(model.likelihood_ratios(theta, restricted) / effect)
        test = _tested(difference, se, t, df)
        if restricted:
            low, high, p, effective, shares = self._flipped(difference, test, df, restricted)
        else:
            effective = self._fewest_clusters()
            shares = np.zeros((len(df), self.people))
            floor = np.minimum(1.0, 2.0 ** (1 - effective))
            low, high, p = raised(difference, test, df, floor)
        if self.size == 2:
            low, high, p = self._unanimous(low, high, p)
        columns = {"difference": difference, "se": se, "low": low, "high": high, "df": df, "p": p}
        columns |= {"p_errors": test[2], "shares": shares, "effective": effective}
        columns["confounded"] = np.zeros(len(df))
        if self.confounded is not None:
            columns["confounded"] = 1.0 * (np.abs(self.confounded[i] - self.confounded[j]) > SAME)
        return columns

    def _flipped(
        self, difference: np.ndarray, test: ArrayTriple, df: np.ndarray, restricted: Iterable[tuple[slice, np.ndarray]]
    ) -> Iterator[np.ndarray]:
        """Return low, high and p (q,) with sign flips as a floor, the effective clusters (q,), and the part of each
        annotator in each difference (q, people); `restricted` are the fits with a difference of 0."""
        model = self.solved.model
        if model.order and self.both_orders > BOTH_ORDERS:  # the scores that are flipped are without an order effect
            model = PairedCounts.from_counts(code_counts(self.codes, self.size), order=False)
            start = model.maximise(np.zeros(model.parameters))
            restricted = model.restricted(start, differences(self.size, model.parameters))
        kinds = model.kinds(*self.codes)
        ways = [grouped_rows(way, kinds, model.counts.size) for way in self.ways]
        judged = self._judged(kinds, model.counts.size)
        contrasts = differences(self.size, model.parameters)
        columns = []
        for part, theta in restricted:
            score, information = model.efficient_scores(theta, contrasts[part])
            flipped = [
                ClusterScores.from_fit(counts @ score.T, partial(matmul, counts, information.T), weight, ties=True)
                for counts, weight in ways
            ]
            tested = (test[0][part], test[1][part], test[2][part])
            floor = floored(difference[part], tested, df[part], flipped)
            effective = np.min([way.effective for way in flipped], axis=0)
            columns.append((*floor, effective, _shares(judged @ score.T)))
        return map(np.concatenate, zip(*columns, strict=True))

    def _judged(self, kinds: np.ndarray, count: int) -> csr_array:
        """Return how many matches of each of `count` kinds each annotator judged (people, count); none where nobody is
        known."""
        if self.people and self.clusters.workers is not None:
            return csr_array((np.ones(len(kinds)), (self.clusters.workers, kinds)), shape=(self.people, count))
        return csr_array((self.people, count))

    def _unanimous(self, low: np.ndarray, high: np.ndarray, p: np.ndarray) -> ArrayTriple:
        """Return the ends and the p (1,) of the difference of two of which one won whatever was decided: Clopper and
        Pearson's and the sign test's, with a cluster as one choice, where that p is the greater one."""
        outcome = np.where(self.codes[0] == 0, self.codes[2], LOSS - self.codes[2])
        won = (outcome == WIN).any()
        if (won and (outcome == LOSS).any()) or not np.isfinite(p[0]):
            return low, high, p
        fewest = min(len(np.unique(way[outcome != TIE])) for way in self.ways)
        with np.errstate(divide="ignore"):
            near = logit(clopper_pearson(1.0, fewest)[0])
        exact = 2.0 ** (1 - fewest)
        if exact < p[0] * (1 - SAME):
            return low, high, p
        ends = (near, np.inf) if won else (-np.inf, -near)
        return np.array([ends[0]]), np.array([ends[1]]), np.array([exact])

    @cached_property
    def ways(self) -> list[np.ndarray]:
        """The ways of clustering its matches, see `cluster_codes`."""
        return cluster_codes(self.clusters, self.codes[0] > self.codes[1])

    def _fewest_clusters(self) -> np.ndarray:
        """Return in how few clusters (q,) either member's matches were decided, which is the most that flips could
        tell: in a large group, where scores of every two are not computed."""
        a, b, outcome = self.codes
        decided = outcome != TIE
        ends = np.concatenate([a[decided], b[decided]])
        fewest = np.full(self.size, np.inf)
        for way in self.ways:
            seen = cluster_sums(np.ones(len(ends)), np.tile(way[decided], 2), ends, self.size)
            fewest = np.minimum(fewest, np.bincount(seen.indices, minlength=self.size))
        i, j = np.triu_indices(self.size, 1)
        return np.minimum(fewest[i], fewest[j])

    def strengths(self) -> ArrayPair:
        """Log strengths (k,) and their intervals (k, 2)."""
        values = self.solved.theta[: self.size]
        if self.size == 2:
            half = self._ends_of_two() / 2
            return values, np.array([half, -half[::-1]])
        return values, self._intervals[: self.size]

    @cached_property
    def _intervals(self) -> np.ndarray:
        """Return the intervals (p, 2) of the parameters."""
        return Estimates(self.solved.theta, self.solved.effects).intervals()

    def _ends_of_two(self) -> np.ndarray:
        """Return the ends (2,) of the difference of the only two members; infinite where it isn't known."""
        ends = np.array([self.pairs["low"][0], self.pairs["high"][0]])
        return np.where(np.isfinite(ends), ends, [-np.inf, np.inf])

    def single(self, name: str) -> tuple[float, float, float]:
        """Estimate and interval of log ν ("tie") or log γ ("order"); NaN where not estimated."""
        if self.solution is None:
            return UNKNOWN
        model = self.solution.model
        if not (model.ties if name == "tie" else model.order):
            return UNKNOWN
        place = self.size if name == "tie" else -1
        low, high = self._intervals[place].tolist()
        return float(self.solution.theta[place]), low, high

    def scores(self) -> ArrayPair:
        """Shares of points (k,) against the others of the group, in both orders alike, and their intervals (k, 2).

        Intervals are symmetric in log odds, by the slope of the shares in the parameters. Of two contestants they
        follow from the interval of their difference.
        """
        size = self.size
        theta = self.solved.theta
        model = self.solved.model
        i, j = np.nonzero(~np.eye(size, dtype=bool))
        every = PairedCounts(size, i, j, np.full((len(i), 3), 1 / 3), model.ties, model.order)
        chances = np.exp(every.log_chances(theta))
        score = every.points(chances)
        gradient = every.information(chances)[:size] / (2 * (size - 1) * score * (1 - score))[:, None]
        variance, df = self.solved.effects.variance(gradient)
        half = stdtrit(np.maximum(df, 1e-9), (1 + LEVEL) / 2) * np.sqrt(variance)
        center = np.log(score / (1 - score))
        ci = expit(np.stack([center - half, center + half], axis=-1))
        if size == 2:
            ends = np.zeros((2, len(theta))) + theta
            ends[:, 0] = self._ends_of_two()
            ends[:, 1] = 0.0
            ci = np.sort(every.points(np.exp(every.log_chances(np.clip(ends, -HUGE, HUGE)))), axis=0).T
        return score, ci


def _tested(difference: np.ndarray, se: np.ndarray, t: np.ndarray, df: np.ndarray) -> ArrayTriple:
    """Return the ends (q,) of Wald's intervals, of which the one near 0 is that of the test by `t` (q,) where they
    disagree on whether the difference may be 0; and the test's p (q,)."""
    df = np.maximum(df, 1e-9)
    limit = stdtrit(df, (1 + LEVEL) / 2)
    half = limit * se
    tested = limit * ratio(np.abs(difference), t, 0.0)
    inner = np.where((t > limit) != (np.abs(difference) > half), tested, half)
    low = difference - np.where(difference > 0, inner, half)
    high = difference + np.where(difference > 0, half, inner)
    return low, high, np.where(np.isfinite(t), np.minimum(1.0, 2 * stdtr(df, -t)), np.nan)


def _shares(added: np.ndarray) -> np.ndarray:
    """Return the part (q, people) of each annotator in sums of scores, to which they `added` (people, q)."""
    total = added.sum(axis=0)
    total[np.abs(total) <= TINY * np.abs(added).sum(axis=0)] = 0.0
    return ratio(added * np.sign(total), np.abs(total), 0.0).T


def _confounded(counts: np.ndarray) -> np.ndarray | None:
    """Return what the first place could add to each contestant's strength (k,) as the matches were played: the solution
    of s[first] - s[second] = 1 in each of them; None where there is none, so that its effect can be told.

    Fewer than `REVERSED` matches of a pair in the rarer order tell nothing, nor do fewer than `TOLD` matches in all:
    then each contestant's strength could be such an effect.
    """
    matches = counts.sum(axis=-1)
    size = len(counts)
    if matches.sum() < TOLD:
        return np.arange(size, dtype=float)
    first, second = np.nonzero((matches >= REVERSED) | ((matches > 0) & (matches >= matches.T)))
    count = len(first)
    columns = np.column_stack([first, second]).ravel()
    sides = csr_array((np.tile([1.0, -1.0], count), columns, np.arange(0, 2 * count + 1, 2)), shape=(count, size))
    solution = np.linalg.lstsq((sides.T @ sides).toarray(), sides.T @ np.ones(count), rcond=None)[0]
    fits = np.abs(sides @ solution - 1) < SAME
    return solution if fits.all() else None
