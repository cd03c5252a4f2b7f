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
from scipy.special import stdtr, stdtrit

from parlai_spotbot.analysis.ranking.group_fit import HELD, UNKNOWN, GroupFit
from parlai_spotbot.analysis.ranking.wins import Codes, conversations_won, match_codes
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import places
from parlai_spotbot.analysis.uncertainty.sign_flips import LEVEL
from parlai_spotbot.analysis.values import best_first, ratio

MINIMUM = 5
"""With fewer matches a contestant isn't ranked, where two others have as many."""

MOST = 1000
"""Of more contestants those with the most matches are ranked, which takes the square of their number in memory."""

ALIKE, MUCH = 4.0, 0.9
"""An annotator adds far more to a difference than others who adds so many equal shares, or so much."""

DIGITS = 5
"""Shares and p-values that are the same to so many digits are equal."""

PAIRS = ("a", "b", "difference", "se", "low", "high", "df", "p", "p_adjusted", "p_errors", "effective", "confounded")


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
    influence : array (q, annotators)
        The part of each pair's difference that each annotator, a code of `clusters`, adds; 0 where nobody is known.
    fits : tuple of GroupFit
        One for each group.
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
    influence: np.ndarray
    fits: tuple[GroupFit, ...]
    why: str = ""

    @property
    def ranked(self) -> list[str]:
        """Best first, group by group; equal ones as they are in `names`; without who isn't ranked."""
        order = sorted(best_first(range(len(self.names)), self.strength), key=self.group.__getitem__)
        return [self.names[i] for i in order if self.group[i] >= 0]

    @property
    def groups(self) -> list[list[str]]:
        """The connected groups, each best first."""
        number = dict(zip(self.names, self.group.tolist(), strict=True))
        return [[n for n in self.ranked if number[n] == g] for g in range(self.group.max(initial=-1) + 1)]


def contrasts(
    matches: pd.DataFrame, names: Sequence[str], *, order: bool | None = True, crossed: bool = True
) -> Contrasts:
    """Compare every two of `names` by all of their matches.

    Parameters
    ----------
    matches : frame
        a, b, outcome (+1 where a wins, -1 where b does, 0 for a tie), conversation_id (or conversation_ids, one or two
        each), worker_id; b may not be a.
    order : bool, optional
        Whether a, who is named first, may have an advantage; None: only where most matches are of pairs that were
        hardly ever seen in both orders (`RARER`, `BOTH_ORDERS`). Where the order of a pair never changed it is known
        only as far as strengths add up; pairs of which it could bring about the whole difference have no p_adjusted.
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
        _influence(names, fits, clusters),
        tuple(fits),
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


def leave_one_out(fit: Contrasts) -> dict:
    """Return how many annotators the sole leader of the largest group rests on.

    Each annotator is left out in turn: a difference then loses the part that they add to it, and its information their
    part of the matches.

    Returns
    -------
    dict
        `leader`, and `annotators` {total, carry, uneven}: how many there are, without how many of these the leader
        isn't surely ahead, and how many of those add far more than others. Empty where nobody leads alone, or
        annotators aren't a sample.
    """
    leads = np.flatnonzero((fit.group == 0) & (fit.places[:, 1] == 1))
    if (fit.group == 0).sum() < 2 or len(leads) != 1 or not fit.influence.shape[1]:
        return {}
    leader = fit.names[leads[0]]
    theirs = ((fit.pairs["a"] == leader) | (fit.pairs["b"] == leader)).to_numpy() & fit.pairs["p"].notna().to_numpy()
    p, adjusted, df = (fit.pairs[name].to_numpy()[theirs] for name in ("p", "p_adjusted", "df"))
    factor = ratio(adjusted, p, float(len(fit.pairs)))
    t = -stdtrit(df, np.maximum(p, 1e-300) / 2)
    given = np.bincount(fit.clusters.workers, minlength=fit.influence.shape[1]) / fit.clusters.rows
    left = np.maximum(1 - fit.influence[theirs], 0.0) / np.sqrt(1 - given) * t[:, None]
    without = 2 * stdtr(df[:, None], -left) * factor[:, None]
    lost, total = np.round(without, DIGITS) >= 1 - LEVEL, fit.influence.shape[1]
    much = np.round(fit.influence[theirs], DIGITS) >= min(MUCH, ALIKE / total)
    counts = {"total": total, "carry": int(lost.any(axis=0).sum()), "uneven": int((lost & much).any(axis=0).sum())}
    return {"leader": leader, "annotators": counts}


def _influence(names: tuple[str, ...], fits: Sequence[GroupFit], clusters: Clusters) -> np.ndarray:
    """Return the part (q, annotators) of each annotator in the difference of every two contestants."""
    size = len(names)
    people = 0 if clusters.workers is None else int(clusters.workers.max(initial=-1)) + 1
    if size * (size - 1) / 2 * people > HELD:
        people = 0
    influence = np.zeros((size * (size - 1) // 2, people))
    for fit in fits:
        shares = fit.pairs.get("shares", np.zeros((0, 0)))
        if shares.shape[1] and people:
            influence[_rows_of(fit, size), : shares.shape[1]] = shares
    return influence


def _rows_of(fit: GroupFit, size: int) -> np.ndarray:
    """Return the places of a group's pairs among all."""
    i, j = (fit.members[place] for place in np.triu_indices(fit.size, 1))
    return i * (2 * size - i - 1) // 2 + j - i - 1


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


def _tested(names: tuple[str, ...], fits: Sequence[GroupFit]) -> tuple[pd.DataFrame, np.ndarray]:
    """Every two contestants with the columns of `PAIRS`, NaN across groups, and their places (2, q) in `names`."""
    size = len(names)
    ends = np.stack(np.triu_indices(size, 1))
    label = np.array(names, dtype=object)
    columns = {name: np.full(ends.shape[1], np.nan) for name in PAIRS[2:]}
    for fit in fits:
        rows = _rows_of(fit, size)
        for name, values in fit.pairs.items():
            if name in columns:
                columns[name][rows] = values
    adjusted = adjust_known(columns["p"])
    columns["p_adjusted"] = np.where(columns["confounded"] == 1, np.nan, adjusted)
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
