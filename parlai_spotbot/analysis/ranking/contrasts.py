"""The headline ranking: differences of strengths in Davidson's model.

Strengths are fitted to all matches at once, ties included, by penalised likelihood (Firth 1993, Biometrika 80), so that
every match counts for every difference and none is infinite. All pairs are tested by likelihood ratios (Heinze &
Schemper 2002, Stat. Med. 21) over the design effect of matches that share conversations or annotators
(`DesignEffects`), corrected by Holm (1979, Scand. J. Stat. 6). Contestants that never met, even through others, aren't
compared: each connected group has a ranking of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtr, stdtrit

from parlai_spotbot.analysis.ranking.group_fit import HELD, GroupFit
from parlai_spotbot.analysis.ranking.wins import Codes, WinMatrix, code_counts, match_codes
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.sign_flips import LEVEL
from parlai_spotbot.analysis.values import best_first, ratio

MINIMUM = 5
"""With fewer matches a contestant isn't ranked, where two others have as many."""

MOST = 1000
"""Of more contestants those with the most matches are ranked, which takes the square of their number in memory."""

ALIKE = 4.0
MUCH = 0.9
"""Multiples of an equal share, and share, of a difference above which an annotator adds far more than others."""

DIGITS = 5
"""Number of digits to which equal shares and p-values agree."""

PAIRS = ("difference", "se", "low", "high", "df", "p", "p_errors", "effective", "confounded")
"""Columns of pairs of a group's fit."""


@dataclass(frozen=True)
class Contrasts:
    """Strengths, points and pairwise tests of K contestants.

    Attributes
    ----------
    names : tuple of str
    strength, ci : arrays (K,), (K, 2)
        Log strengths, which sum to 0 in each group; NaN for contestants that aren't ranked.
    score, score_ci : arrays (K,), (K, 2)
        The share of points (a match won 1, tied ½) against all others of the group, each met equally often in both
        orders. Intervals of two whose difference isn't significant are widened until they touch.
    group : array (K,)
        Number of the connected group, the largest first; -1 for contestants that aren't ranked.
    pairs : frame
        Every two: a, b, n (own matches), difference (of log strengths, a's less b's), se, low, high, df, p, p_adjusted
        (Holm; NaN where the two can't be compared), p_errors, effective, confounded, see `GroupFit.pairs`.
    tie, order : tuple (estimate, low, high)
        log ν and log γ of the largest group; NaN where not estimated.
    order_share : float
        The share of the largest group's matches that are of pairs seen in both orders.
    too_few : mapping
        Matches of each contestant with too few to be ranked.
    codes, clusters : tuple of arrays (n,), Clusters
        Of the matches, see `match_codes`.
    matrix : WinMatrix
        Numbers of wins of each contestant against each other.
    influence : array (q, annotators)
        The part of each pair's difference that each annotator, a code of `clusters`, adds; 0 where nobody is known.
    fits : tuple of GroupFit
        One for each group; of nobody where there is none.
    why : str
        What limits this, or why there is no order.
    """

    names: tuple[str, ...]
    strength: np.ndarray
    ci: np.ndarray
    score: np.ndarray
    score_ci: np.ndarray
    group: np.ndarray
    pairs: pd.DataFrame
    tie: tuple[float, float, float]
    order: tuple[float, float, float]
    order_share: float
    too_few: dict[str, int]
    codes: Codes
    clusters: Clusters
    matrix: WinMatrix
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
    codes = match_codes(matches, names)
    clusters = frame_clusters(matches, crossed)
    enough = enough_matches(*codes[:2], size)
    group = _connected(codes, enough)
    people = 0 if clusters.workers is None else int(clusters.workers.max(initial=-1)) + 1
    if size * (size - 1) / 2 * people > HELD:
        people = 0
    numbers = range(group.max(initial=0) + 1)
    fits = tuple(GroupFit.fitted(codes, np.flatnonzero(group == number), clusters, order, people) for number in numbers)
    strength, score = np.full((2, size), np.nan)
    ci, score_ci = np.full((2, size, 2), np.nan)
    for fit in fits:
        if fit.solution is not None:
            strength[fit.members], ci[fit.members] = fit.strengths()
            score[fit.members], score_ci[fit.members] = fit.scores()
    matrix = WinMatrix(names, code_counts(codes, size))
    pairs, influence = _tested(matrix, fits, people)
    alike = pairs["p"].notna() & ~(pairs["p_adjusted"] < 1 - LEVEL)
    return Contrasts(
        names=names,
        strength=strength,
        ci=ci,
        score=score,
        score_ci=_touching(score, score_ci, alike.to_numpy()),
        group=group,
        pairs=pairs,
        tie=fits[0].single("tie"),
        order=fits[0].single("order"),
        order_share=fits[0].both_orders,
        too_few={names[k]: int(matrix.matches[k].sum()) for k in np.flatnonzero(~enough)},
        codes=codes,
        clusters=clusters,
        matrix=matrix,
        influence=influence,
        fits=fits,
        why="; ".join(dict.fromkeys(fit.why for fit in fits if fit.why)),
    )


def leave_one_out(fit: Contrasts, leader: str) -> dict:
    """Return how many annotators the lead of the sole `leader` rests on.

    Each annotator is left out in turn: a difference then loses the part that they add to it, and its information their
    part of the matches.

    Returns
    -------
    dict
        `leader`, and `annotators` {total, carry, uneven}: how many there are, without how many of these the leader
        isn't surely ahead, and how many of those add far more than others. Empty where annotators aren't a sample.
    """
    total = fit.influence.shape[1]
    workers = fit.clusters.workers
    if not total or workers is None:
        return {}
    theirs = ((fit.pairs["a"] == leader) | (fit.pairs["b"] == leader)) & fit.pairs["p"].notna()
    p, adjusted, df = fit.pairs.loc[theirs, ["p", "p_adjusted", "df"]].to_numpy().T
    part = fit.influence[theirs.to_numpy()]
    t = -stdtrit(df, np.maximum(p, 1e-300) / 2)
    given = np.bincount(workers, minlength=total) / fit.clusters.rows
    left = np.maximum(1 - part, 0.0) / np.sqrt(1 - given) * t[:, None]
    without = 2 * stdtr(df[:, None], -left) * ratio(adjusted, p, float(len(fit.pairs)))[:, None]
    lost = np.round(without, DIGITS) >= 1 - LEVEL
    much = np.round(part, DIGITS) >= min(MUCH, ALIKE / total)
    counts = {"total": total, "carry": int(lost.any(axis=0).sum()), "uneven": int((lost & much).any(axis=0).sum())}
    return {"leader": leader, "annotators": counts}


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
    group = np.full(len(enough), -1)
    for number, (component, _) in enumerate(Counter(label[enough].tolist()).most_common()):
        group[enough & (label == component)] = number
    return group


def _tested(matrix: WinMatrix, fits: Sequence[GroupFit], people: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Every two contestants with the columns of `PAIRS`, NaN across groups, and the part (q, people) of each annotator
    in their difference."""
    i, j = np.triu_indices(len(matrix.names), 1)
    label = np.array(matrix.names, dtype=object)
    columns = {name: np.full(len(i), np.nan) for name in PAIRS}
    influence = np.zeros((len(i), people))
    for fit in fits:
        if fit.solution is not None:
            rows = np.isin(i, fit.members) & np.isin(j, fit.members)
            influence[rows] = fit.pairs["shares"]
            for name, values in columns.items():
                values[rows] = fit.pairs[name]
    columns["p_adjusted"] = np.where(columns["confounded"] == 1, np.nan, adjust_known(columns["p"]))
    return pd.DataFrame({"a": label[i], "b": label[j], "n": matrix.matches[i, j], **columns}), influence


def _touching(score: np.ndarray, ci: np.ndarray, alike: np.ndarray) -> np.ndarray:
    """Intervals (K, 2) of which every two that the tests leave `alike` (q,) touch: both reach half way to the other."""
    i, j = (place[alike] for place in np.triu_indices(len(score), 1))
    low = np.where(score[i] <= score[j], i, j)
    high = np.where(score[i] <= score[j], j, i)
    gap = ci[low, 1] < ci[high, 0]
    low = low[gap]
    high = high[gap]
    middle = (ci[low, 1] + ci[high, 0]) / 2
    wider = ci.copy()
    np.maximum.at(wider[:, 1], low, middle)
    np.minimum.at(wider[:, 0], high, middle)
    return wider
