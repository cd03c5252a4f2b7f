"""The headline ranking: differences of strengths in Davidson's model, and the places that they leave to everyone.

Strengths are fitted to all matches at once, ties included, by penalised likelihood (Firth 1993, Biometrika 80), so that
every match counts for every difference and none is infinite. All pairs are tested by likelihood ratios (Heinze &
Schemper 2002, Stat. Med. 21) over the design effect of matches that share conversations or annotators
(`DesignEffects`), corrected by Holm (1979, Scand. J. Stat. 6). A contestant's places run from one more than are surely
better to as many as aren't surely worse (Mogstad, Romano, Shaikh & Wilhelm 2024, Rev. Econ. Stud. 91). Contestants that
never met, even through others, aren't compared: each connected group has a ranking of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtr, stdtrit

from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.ranking.wins import (
    TIE,
    WIN,
    Codes,
    code_counts,
    conversations_won,
    joint_codes,
    match_codes,
)
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.design_effects import DesignEffects
from parlai_spotbot.analysis.uncertainty.estimates import Estimates, places
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson
from parlai_spotbot.analysis.values import ArrayPair, ratio

MINIMUM = 5
"""With fewer matches a contestant isn't ranked, where two others have as many."""

MOST = 1000
"""Of more contestants those with the most matches are ranked, which takes the square of their number in memory."""

RARER = 0.2
"""A pair was seen in both orders where at least this share of its matches is in the rarer one."""

BOTH_ORDERS = 0.5
"""The order effect is estimated where more than this share of matches is of pairs seen in both orders."""

PROFILED = 60
"""With more contestants in a group pairs are tested by Wald's test, since each likelihood ratio takes a fit."""

WEIGHTY, TRIED, LARGE = 0.05, 20, 20_000
"""Up to `TRIED` annotators who gave at least the share `WEIGHTY` of the matches are left out in turn; none with more
than `LARGE` matches."""

UNKNOWN = (np.nan, np.nan, np.nan)

PAIRS = ("a", "b", "difference", "se", "low", "high", "df", "p", "p_adjusted")

NO_CLUSTERS = "too few conversations or annotators to tell how others would differ"


@dataclass(frozen=True)
class Contrasts:
    """Strengths, points, places and pairwise tests of K contestants.

    Attributes
    ----------
    names : tuple of str
    strength, ci : arrays (K,), (K, 2)
        Log strengths, which sum to 0 in each group; NaN for contestants that aren't ranked.
    score, score_ci : arrays (K,), (K, 2)
        The share of points (a match won 1, tied ½) against all others of the group, each met equally often in both
        orders. Intervals of two whose difference isn't significant are widened until they touch.
    places : array (K, 2)
        First and last place in the group; all hold together with the level; 0 for contestants that aren't ranked.
    group : array (K,)
        Number of the connected group, the largest first; -1 for contestants that aren't ranked.
    pairs : frame
        Every two: a, b, difference (of log strengths, a's less b's), se, low, high, df, p, p_adjusted (Holm; NaN where
        the two can't be compared).
    tie, order : tuple (estimate, low, high)
        log ν and log γ of the largest group; NaN where not estimated.
    order_share : float
        The share of the largest group's matches that are of pairs seen in both orders.
    won : array (K, K)
        How many conversations each won against each.
    too_few : mapping
        Matches of each contestant with too few to be ranked.
    clusters : Clusters
        Of the matches.
    why : str
        What limits this, or why there is no order.
    """

    names: tuple[str, ...]
    strength: np.ndarray
    ci: np.ndarray
    score: np.ndarray
    score_ci: np.ndarray
    places: np.ndarray
    group: np.ndarray
    pairs: pd.DataFrame
    tie: tuple[float, float, float]
    order: tuple[float, float, float]
    order_share: float
    won: np.ndarray
    too_few: dict[str, int]
    clusters: Clusters
    why: str = ""

    @property
    def ranked(self) -> list[str]:
        """Best first, group by group; equal ones as they are in `names`; without who isn't ranked."""
        order = np.lexsort((np.arange(len(self.names)), -np.nan_to_num(self.strength), self.group))
        return [self.names[i] for i in order if self.group[i] >= 0]

    @property
    def groups(self) -> list[list[str]]:
        """The connected groups, each best first."""
        number = dict(zip(self.names, self.group.tolist(), strict=True))
        return [[n for n in self.ranked if number[n] == g] for g in range(self.group.max(initial=-1) + 1)]


def contrasts(matches: pd.DataFrame, names: Sequence[str], *, order: bool = True, crossed: bool = True) -> Contrasts:
    """Compare every two of `names` by all of their matches.

    Parameters
    ----------
    matches : frame
        a, b, outcome (+1 where a wins, -1 where b does, 0 for a tie), conversation_id (or conversation_ids, one or two
        each), worker_id; b may not be a.
    order : bool
        Whether a, who is named first, may have an advantage. It is estimated where most matches are of pairs seen in
        both orders (`RARER`, `BOTH_ORDERS`); elsewhere it can't be told from strength.
    crossed : bool
        Whether annotators are a sample, as people are and a judge's variants aren't.

    Raises
    ------
    ValueError
        Names the column or option that is wrong. Too little data is no error: `why` says what is missing.
    """
    names, size = tuple(names), len(names)
    matches = matches.reset_index(drop=True)
    codes = match_codes(matches, names)
    clusters = frame_clusters(matches, crossed)
    enough = enough_matches(*codes[:2], size)
    group = _connected(codes, enough)
    count = group.max(initial=-1) + 1
    fits = [GroupFit.of(codes, np.flatnonzero(group == number), clusters, order) for number in range(count)]
    counted = np.bincount(np.concatenate(codes[:2]), minlength=size)
    return Contrasts(
        names,
        *_estimates(names, fits, group),
        *([fits[0].single(name) for name in ("tie", "order")] if fits else (UNKNOWN, UNKNOWN)),
        fits[0].both_orders if fits else 0.0,
        conversations_won(codes, clusters, size),
        {names[k]: int(counted[k]) for k in np.flatnonzero(~enough)},
        clusters,
        "; ".join(dict.fromkeys(filter(None, (fit.why for fit in fits)))) or ("" if fits else "no match"),
    )


def _estimates(names: tuple[str, ...], fits: Sequence[GroupFit], group: np.ndarray) -> tuple:
    """Strengths, points, places, group and pairs as `Contrasts` has them."""
    size = len(names)
    strength, score, ci, score_ci = (np.full((size, 2)[:n], np.nan) for n in (1, 1, 2, 2))
    for fit in fits:
        strength[fit.members], ci[fit.members] = fit.strengths()
        score[fit.members], score_ci[fit.members] = fit.scores()
    pairs, ends = _tested(names, fits)
    clear = (pairs["p_adjusted"] < 1 - LEVEL).to_numpy()
    score_ci = _touching(score, score_ci, ends, np.isfinite(pairs["p"].to_numpy()) & ~clear)
    table = places(*ends, (pairs["difference"] > 0).to_numpy(), clear, size)
    table[:, 1] += np.bincount(group[group >= 0], minlength=size)[group] - size
    table[group < 0] = 0
    return strength, ci, score, score_ci, table, group, pairs


def leave_one_out(matches: pd.DataFrame, fit: Contrasts, **options) -> dict:
    """Return how many annotators the sole leader of the largest group rests on.

    Each annotator who gave at least `WEIGHTY` of the matches, up to `TRIED`, is left out in turn. `options` are those
    of `contrasts` by which `fit` was made.

    Returns
    -------
    dict
        `leader`, and `annotators` {total, tried, carry}: how many there are, how many were left out in turn, and
        without how many of these the leader isn't surely ahead. Empty where nobody leads alone, or annotators aren't a
        sample.
    """
    workers, leads = fit.clusters.workers, np.flatnonzero((fit.group == 0) & (fit.places[:, 1] == 1))
    if (fit.group == 0).sum() < 2 or len(leads) != 1 or workers is None or len(matches) > LARGE:
        return {}
    matches, weight = matches.reset_index(drop=True), np.bincount(workers)
    tried = np.argsort(-weight, kind="stable")[: min(TRIED, int((weight >= WEIGHTY * len(matches)).sum()))]
    carry = 0
    for worker in tried:
        other = contrasts(matches[workers != worker], fit.names, **options)
        carry += not (other.places[leads[0]] == 1).all() or other.group[leads[0]] != 0
    total = len(np.unique(workers))
    return {"leader": fit.names[leads[0]], "annotators": {"total": total, "tried": len(tried), "carry": int(carry)}}


def enough_matches(first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    """Return which (K,) contestants have enough matches (n,) to be ranked: see `MINIMUM` and `MOST`.

    Matches against contestants who don't have enough don't count. Where fewer than two would be left nobody is left
    out, but for contestants without a match.
    """
    enough = np.ones(size, dtype=bool)
    if size > MOST:
        counts = np.bincount(np.concatenate([first, second]), minlength=size)
        enough[np.argsort(-counts, kind="stable")[MOST:]] = False
    while True:
        kept = enough[first] & enough[second]
        counts = np.bincount(np.concatenate([first[kept], second[kept]]), minlength=size)
        fewer = enough & (counts >= MINIMUM)
        if (fewer == enough).all():
            return enough
        if fewer.sum() < 2:
            return enough & (counts > 0)
        enough = fewer


def _connected(codes: Codes, enough: np.ndarray) -> np.ndarray:
    """Return the connected group (K,) of each contestant, the largest is 0; -1 without enough matches."""
    first, second, _ = codes
    kept = enough[first] & enough[second]
    edges = csr_array((np.ones(kept.sum()), (first[kept], second[kept])), shape=(len(enough),) * 2)
    label = connected_components(edges, directed=False)[1]
    used, counts = np.unique(label[enough], return_counts=True)
    start = [np.flatnonzero(enough & (label == number))[0] for number in used]
    number = np.full(label.max(initial=-1) + 1, -1)
    number[used[np.lexsort((start, -counts))]] = np.arange(len(used))
    return np.where(enough, number[label], -1) if len(label) else label


def _both_orders(codes: Codes, size: int) -> float:
    """Return the share of matches that are of pairs seen in both orders (`RARER`); 0 without matches."""
    first, second, _ = codes
    if not len(first):
        return 0.0
    pair = np.unique(
        np.minimum(first, second).astype(np.int64) * size + np.maximum(first, second), return_inverse=True
    )[1]
    total = np.bincount(pair)
    forth = np.bincount(pair, first < second)
    return float(total[np.minimum(forth, total - forth) >= RARER * total].sum() / len(first))


@dataclass(frozen=True)
class GroupFit:
    """The penalised fit of one connected group of contestants, who are `members` of all, and of its matches.

    `estimates` are those of the parameters (p,) of `model`; None where no match was decided, which `why` says. `points`
    and `conversations` (k,): conversations won (even ones ½), and all, of each member. `both_orders`: the share of
    matches that are of pairs seen in both orders.
    """

    members: np.ndarray
    model: PairedCounts | None
    estimates: Estimates | None
    points: np.ndarray
    conversations: np.ndarray
    both_orders: float = 0.0
    why: str = ""

    @classmethod
    def of(cls, codes: Codes, members: np.ndarray, clusters: Clusters, order: bool) -> GroupFit:
        """Fit the matches (n,) of `codes` between `members`."""
        rows = np.flatnonzero(np.isin(codes[0], members) & np.isin(codes[1], members))
        a, b = (np.searchsorted(members, code[rows]) for code in codes[:2])
        outcome, size = codes[2][rows], len(members)
        group_clusters = clusters.take(rows)
        won = conversations_won((a, b, outcome), group_clusters, size)
        first = np.unique(joint_codes(group_clusters), return_index=True)[1]
        talks = np.bincount(np.concatenate([a[first], b[first]]), minlength=size).astype(float)
        points = won.sum(axis=1) + (talks - won.sum(axis=1) - won.sum(axis=0)) / 2
        share = _both_orders((a, b, outcome), size)
        if size < 2 or (outcome == TIE).all():
            why = "no match was decided" if len(rows) else "no match"
            return cls(members, None, None, points, talks, share, why)
        model = PairedCounts.of(code_counts((a, b, outcome), size), order and share > BOTH_ORDERS)
        theta = model.maximise(np.zeros(model.parameters))
        effects = DesignEffects.of(model.cells(theta, a, b, outcome), group_clusters, size)
        why = "" if effects.known else NO_CLUSTERS
        return cls(members, model, Estimates(theta, effects), points, talks, share, why)

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.members)

    def pairs(self) -> dict[str, np.ndarray]:
        """Columns (q,) of the differences of every two members: difference, se, low, high, df, p.

        The statistic is the likelihood ratio over the design effect, or Wald's in a large group. The interval is
        Wald's; where it and the test disagree on whether the difference may be 0, its end near 0 is the test's.
        """
        if self.estimates is None:
            return {}
        theta, effects = self.estimates.values, self.estimates.spread
        variance, effect, df = effects.pairs(self.size)
        i, j = np.triu_indices(self.size, 1)
        difference, se = theta[i] - theta[j], np.sqrt(variance * effect)
        t = np.abs(difference) / se
        if self.size <= PROFILED:
            contrasts = np.zeros((len(i), len(theta)))
            contrasts[np.arange(len(i)), i], contrasts[np.arange(len(i)), j] = 1.0, -1.0
            t = np.sqrt(self.model.likelihood_ratios(theta, contrasts) / effect)
        limit = stdtrit(np.maximum(df, 1e-9), (1 + LEVEL) / 2)
        half = limit * se
        tested = limit * ratio(np.abs(difference), t, 0.0)
        inner = np.where((t > limit) != (np.abs(difference) > half), tested, half)
        low, high = (
            difference - np.where(difference > 0, inner, half),
            difference + np.where(difference > 0, half, inner),
        )
        p = np.where(np.isfinite(t), np.minimum(1.0, 2 * stdtr(np.maximum(df, 1e-9), -t)), np.nan)
        return {"difference": difference, "se": se, "low": low, "high": high, "df": df, "p": p}

    def strengths(self) -> ArrayPair:
        """Log strengths (k,) and their intervals (k, 2)."""
        if self.estimates is None:
            return np.full(self.size, np.nan), np.full((self.size, 2), np.nan)
        return self.estimates.values[: self.size], self.estimates.intervals()[: self.size]

    def single(self, name: str) -> tuple[float, float, float]:
        """Estimate and interval of log ν ("tie") or log γ ("order"); NaN where not estimated."""
        if self.model is None or not (self.model.ties if name == "tie" else self.model.order):
            return UNKNOWN
        place = self.size if name == "tie" else -1
        return (float(self.estimates.values[place]), *self.estimates.intervals()[place].tolist())

    def scores(self) -> ArrayPair:
        """Shares of points (k,) against the others of the group, in both orders alike, and their intervals (k, 2).

        Intervals are symmetric in log odds, by the slope of the shares in the parameters. Of two contestants, one of
        which won everything, it is Clopper and Pearson's, with a conversation as one choice.
        """
        size = self.size
        if self.estimates is None:
            return np.full(size, np.nan), np.full((size, 2), np.nan)
        theta, model = self.estimates.values, self.model
        i, j = np.nonzero(~np.eye(size, dtype=bool))
        every = PairedCounts(size, i, j, np.ones((len(i), 3)), model.ties, model.order)
        chances = np.exp(every.log_chances(theta))
        taken = chances[:, WIN] + chances[:, TIE] / 2
        score = (np.bincount(i, taken, size) + np.bincount(j, 1 - taken, size)) / (2 * (size - 1))
        slopes = [(chances * np.array([1.0, 0.5, 0.0]) * x).sum(axis=1) for x in every.features(chances)]
        gradient, both = np.zeros((size, len(theta))), np.zeros((size, size))
        both[i, j] = slopes[0]
        both += both.T
        gradient[:, :size] = np.diag(both.sum(axis=1)) - both
        for place, slope in enumerate(slopes[1:], size):
            gradient[:, place] = np.bincount(i, slope, size) - np.bincount(j, slope, size)
        gradient /= (2 * (size - 1) * score * (1 - score))[:, None]
        variance, df = self.estimates.spread.variance(gradient)
        half = stdtrit(np.maximum(df, 1e-9), (1 + LEVEL) / 2) * np.sqrt(variance)
        center = np.log(score / (1 - score))
        ci = expit(np.stack([center - half, center + half], axis=-1))
        if size == 2 and not (self.points * (self.conversations - self.points)).all():
            ci = clopper_pearson(self.points / self.conversations, self.conversations)
            ci = np.stack([np.minimum(ci[:, 0], score), np.maximum(ci[:, 1], score)], axis=-1)
        return score, ci


def _tested(names: tuple[str, ...], fits: Sequence[GroupFit]) -> tuple[pd.DataFrame, np.ndarray]:
    """Every two contestants with the columns of `PAIRS`, NaN across groups, and their places (2, q) in `names`."""
    size = len(names)
    ends = np.stack(np.triu_indices(size, 1))
    label = np.array(names, dtype=object)
    columns = {name: np.full(ends.shape[1], np.nan) for name in PAIRS[2:]}
    for fit in fits:
        i, j = (fit.members[place] for place in np.triu_indices(fit.size, 1))
        rows = i * (2 * size - i - 1) // 2 + j - i - 1
        for name, values in fit.pairs().items():
            columns[name][rows] = values
    columns["p_adjusted"] = adjust_known(columns["p"])
    return pd.DataFrame({"a": label[ends[0]], "b": label[ends[1]], **columns}), ends


def _touching(score: np.ndarray, ci: np.ndarray, ends: np.ndarray, alike: np.ndarray) -> np.ndarray:
    """Intervals (K, 2) of which every two that the tests leave `alike` (q,) touch: both reach half way to the other."""
    i, j = (place[alike] for place in ends)
    low, high = np.where(score[i] <= score[j], i, j), np.where(score[i] <= score[j], j, i)
    gap = ci[low, 1] < ci[high, 0]
    low, high = low[gap], high[gap]
    middle, wider = (ci[low, 1] + ci[high, 0]) / 2, ci.copy()
    np.maximum.at(wider[:, 1], low, middle)
    np.minimum.at(wider[:, 0], high, middle)
    return wider
