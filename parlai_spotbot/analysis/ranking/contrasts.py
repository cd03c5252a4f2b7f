"""The headline ranking: differences of strengths in Davidson's model, and the places that they leave to everyone.

Strengths are fitted to all matches at once, ties and the order of the two included, so that every match tells of every
difference. Errors are those of the scores, which share conversations and annotators (a sandwich; for clusters Cameron,
Gelbach & Miller 2011, J. Bus. Econ. Stat. 29); all pairs are tested, corrected by Holm (1979, Scand. J. Stat. 6), and a
contestant's places run from one more than are surely better to as many as aren't surely worse (Mogstad, Romano, Shaikh
& Wilhelm 2024, Rev. Econ. Stud. 91). Where one side won everything, or matches are few, an exact test is p's floor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtrit
from scipy.stats import binom, hypergeom

from parlai_spotbot.analysis.ranking.davidson import DavidsonFit, davidson
from parlai_spotbot.analysis.ranking.davidson_algebra import Sums, derivatives, shares, with_prior
from parlai_spotbot.analysis.ranking.wins import TIE, WIN, WinMatrix, code_counts, match_codes, win_matrix, win_rates
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, Spread, frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates, adjusted, places
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson, share_tests

STEEP = 2.0
"""From this difference of log strengths on (88 to 12 of the decided) its standard error says too little (Hauck & Donner
1977, J. Am. Stat. Assoc. 72): then the pair's own decided matches are tested, too."""

SMALL = 10
"""With fewer decided conversations of a contestant the exact test is a floor."""

PAIRS = ("a", "b", "difference", "se", "low", "high", "df", "p", "p_adjusted")


@dataclass(frozen=True)
class Contrasts:
    """What matches tell of K contestants.

    Attributes
    ----------
    names : tuple of str
    strength, ci : arrays (K,), (K, 2)
        Log strengths that sum to 0; NaN ends where one side won everything.
    score, score_ci : arrays (K,), (K, 2)
        The share of points (a match won 1, tied ½) against all others, each met equally often: what strengths order by.
    places : array (K, 2)
        First and last place; all hold together with the level.
    pairs : frame
        Every two: a, b, difference (of log strengths, a's less b's), se, low, high, df, p, p_adjusted (Holm; NaN where
        nothing is known).
    tie, order : tuple (estimate, low, high)
        log ν and log γ; NaN where not estimated.
    prior : float
        Pseudo-matches added to each pair that met, where there is no estimate without.
    won : array (K, K)
        How many conversations each won against each.
    clusters, estimates : Clusters, Estimates
        Of the matches; the parameters (K + 2,) with their errors. None where there is no order.
    why : str
        What limits this, or why there is no order.
    """

    names: tuple[str, ...]
    strength: np.ndarray
    ci: np.ndarray
    score: np.ndarray
    score_ci: np.ndarray
    places: np.ndarray
    pairs: pd.DataFrame
    tie: tuple[float, float, float]
    order: tuple[float, float, float]
    prior: float
    won: np.ndarray
    clusters: Clusters | None = None
    estimates: Estimates | None = None
    why: str = ""

    @property
    def ranked(self) -> list[str]:
        """Best first; equal ones as they stand in `names`."""
        return [self.names[i] for i in np.argsort(-np.nan_to_num(self.strength), kind="stable")]

    def draws(self, replicates: int, rng: np.random.Generator) -> np.ndarray:
        """Strengths (replicates, K) that are as likely; NaN where that isn't known."""
        if self.estimates is None:
            return np.full((replicates, len(self.names)), np.nan)
        return self.estimates.draws(replicates, rng)[:, : len(self.names)]


def contrasts(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    order: bool = True,
    crossed: bool = True,
    resample: str = "conversations_workers",
    level: float = 0.95,
) -> Contrasts:
    """Compare every two of `names` by all of their matches.

    Parameters
    ----------
    matches : frame
        a, b, outcome (+1 where a wins, -1 where b does, 0 for a tie), conversation_id (or conversation_ids, one or two
        each), worker_id; b may not be a.
    order : bool
        Whether a, who is named first, may have an advantage, where that can be told apart.
    crossed : bool
        Whether annotators are a sample, as people are and a judge's variants aren't.
    resample : str
        What another study would have other ones of: see `Clusters.of`.
    level : float
        Of intervals, and of all places together.

    Raises
    ------
    ValueError
        Names the column or option that is wrong. Too little data is no error: `why` says what is missing.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1")
    names = tuple(names)
    matches = matches.reset_index(drop=True)
    codes = match_codes(matches, names)
    matrix = WinMatrix(names, code_counts(codes, len(names)))
    fit, why = fitted(matrix, order)
    if fit is None:
        return _nothing(names, why)
    clusters = frame_clusters(matches, crossed, resample)
    estimates = Estimates(_parameters(fit), _spread(fit, matrix, codes, clusters))
    size = len(names)
    pairs = _pairs(estimates, names, level)
    talk = np.arange(len(matches)) if clusters.conversations is None else _joint(clusters.conversations)
    won, lost = _decided(codes, talk, size)
    one_sided = _one_sided(matrix)
    floor = _floors(pairs, won, lost, one_sided)
    known = np.isfinite(pairs["p"])
    pairs["p"] = np.minimum(pairs["p"], _own(pairs, codes, clusters, size))
    pairs["p"] = np.where(known, np.maximum(pairs["p"], floor), np.nan)
    pairs["p_adjusted"] = adjusted(pairs["p"].to_numpy())
    if not known.all():
        why = "; ".join(filter(None, ["too few conversations or annotators to tell how others would differ", why]))
    i, j = np.triu_indices(size, 1)
    clear = (pairs["p_adjusted"] < 1 - level).to_numpy()
    ends = places(i, j, (pairs["difference"] > 0).to_numpy(), clear, size)
    ci = np.where(one_sided[:, None], np.nan, estimates.intervals(level)[:size])
    either = one_sided[i] | one_sided[j]
    pairs.loc[either, ["low", "high"]] = np.nan
    talks = _talks(codes, talk, size)
    points = won.sum(axis=1) + (talks - won.sum(axis=1) - lost.sum(axis=1)) / 2
    score, score_ci = _scores(estimates, fit, one_sided, points, talks, level)
    tie, effect = (
        _single(estimates, size + place, np.isfinite((fit.tie, fit.order)[place]), level) for place in (0, 1)
    )
    return Contrasts(
        names,
        fit.strength,
        ci,
        score,
        score_ci,
        ends,
        pairs[list(PAIRS)],
        tie,
        effect,
        fit.prior,
        won,
        clusters,
        estimates,
        why,
    )


def fitted(matrix: WinMatrix, order: bool = True) -> tuple[DavidsonFit | None, str]:
    """The first of these models that has a finite maximum, and why it isn't the first: with an order effect, without,
    with pseudo-matches, one for each contestant. None where no model has one."""
    met = matrix.counts.sum(axis=-1)
    met = met + met.T > 0
    parts, label = connected_components(met, directed=False)
    if len(matrix.names) < 2 or parts > 1:
        groups = [", ".join(n for n, own in zip(matrix.names, label, strict=True) if own == g) for g in range(parts)]
        return None, f"these were never compared with each other: {' | '.join(groups)}"
    why = ""
    for prior in (0.0, len(met) / met.sum()):
        for own in (True, False) if order else (False,):
            try:
                fit = davidson(matrix, order=own, prior=prior)
                return fit, f"{why}; one pseudo-match was added for each contestant" if prior else why
            except ValueError as err:
                why = why or re.split("[;,] expected", str(err).removeprefix("matrix: "))[0]
    return None, why


def _parameters(fit: DavidsonFit) -> np.ndarray:
    """Log strengths, log ν, log γ (K + 2,); 0 for what isn't estimated."""
    return np.nan_to_num(np.append(fit.strength, [fit.tie, fit.order]))


def _spread(
    fit: DavidsonFit, matrix: WinMatrix, codes: tuple[np.ndarray, np.ndarray, np.ndarray], clusters: Clusters
) -> Spread:
    """The sandwich: scores of each match (n, K + 2) by clusters, through the inverse of the information."""
    size = len(fit.names)
    theta, free = _parameters(fit), np.append(np.ones(size, dtype=bool), np.isfinite([fit.tie, fit.order]))
    counts = with_prior(np.asarray(matrix.counts, dtype=float), fit.prior)
    information = derivatives(Sums.of(counts[None]), theta[None], free[None])[1][0]
    win, tie = (share[0] for share in shares(theta[None], free[None]))
    a, b, outcome = codes
    taken = 1 - outcome / 2 - (win + tie / 2)[a, b]
    drawn = ((outcome == TIE) - tie[a, b]) * free[size]
    first = ((outcome == WIN) - win[a, b]) * free[size + 1]
    n = len(a)
    at = np.empty((n, 4), dtype=np.int32)
    at[:, 0], at[:, 1], at[:, 2], at[:, 3] = a, b, size, size + 1
    values, start = np.stack([taken, -taken, drawn, first], axis=1), np.arange(0, 4 * n + 1, 4, dtype=np.int32)
    scores = csr_array((values.ravel(), at.ravel(), start), shape=(n, size + 2))
    return clusters.spread(scores).through(np.linalg.inv(information))


def _pairs(estimates: Estimates, names: tuple[str, ...], level: float) -> pd.DataFrame:
    found = estimates.pairs(level, count=len(names)).rename(columns={"estimate": "difference"})
    label = np.array(names, dtype=object)
    return found.assign(a=label[found["first"]], b=label[found["second"]])


def _own(
    pairs: pd.DataFrame, codes: tuple[np.ndarray, np.ndarray, np.ndarray], clusters: Clusters, size: int
) -> np.ndarray:
    """P (q,) of each steep pair's own decided matches (`share_tests`); 1 for the others."""
    a, b, outcome = codes
    p = np.ones(len(pairs))
    steep = np.flatnonzero(np.abs(pairs["difference"]) > STEEP)
    i, j = np.triu_indices(size, 1)
    place = np.full(size * size, -1)
    place[(i * size + j)[steep]] = np.arange(len(steep))
    group = np.where(outcome == TIE, -1, place[np.minimum(a, b) * size + np.maximum(a, b)])
    rows = np.flatnonzero(group >= 0)
    if len(rows):
        hits = (outcome[rows] == WIN) == (a[rows] < b[rows])
        p[steep] = share_tests(hits, group[rows], len(steep), clusters.take(rows))["p"]
    return p


def _single(estimates: Estimates, place: int, known: bool, level: float) -> tuple[float, float, float]:
    if not known:
        return (np.nan, np.nan, np.nan)
    low, high = estimates.contrast(np.eye(len(estimates.values))[place], level)["ci"]
    return float(estimates.values[place]), low, high


def _decided(
    codes: tuple[np.ndarray, np.ndarray, np.ndarray], talk: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many conversations, of which `talk` (n,) tells each match's, each won and lost against each: (K, K) both."""
    a, b, outcome = codes
    low, high = np.minimum(a, b), np.maximum(a, b)
    first, own = np.unique((low * size + high) * (talk.max() + 1) + talk, return_index=True, return_inverse=True)[1:]
    sums = np.bincount(own, np.where(a < b, 1 - outcome, outcome - 1))
    won, (up, down) = np.zeros((size, size)), (first[sums > 0], first[sums < 0])
    np.add.at(won, (low[up], high[up]), 1)
    np.add.at(won, (high[down], low[down]), 1)
    return won, won.T


def _talks(codes: tuple[np.ndarray, np.ndarray, np.ndarray], talk: np.ndarray, size: int) -> np.ndarray:
    """How many conversations each was in (K,)."""
    first = np.unique(talk, return_index=True)[1]
    return np.bincount(np.concatenate([code[first] for code in codes[:2]]), minlength=size).astype(float)


def _joint(conversations: np.ndarray) -> np.ndarray:
    """One code (n,) for the one or two conversations (n, 1 or 2) of each row, whatever their order."""
    if conversations.shape[1] == 1:
        return conversations[:, 0]
    return np.unique(np.sort(conversations, axis=1), axis=0, return_inverse=True)[1].ravel()


def _one_sided(matrix: WinMatrix) -> np.ndarray:
    """Which (K,) won, or lost, all that was decided, so that their strength has no finite estimate."""
    wins = matrix.wins
    return (wins.sum(axis=1) == 0) | (wins.sum(axis=0) == 0)


def _floors(pairs: pd.DataFrame, won: np.ndarray, lost: np.ndarray, one_sided: np.ndarray) -> np.ndarray:
    """The least p (q,) of each pair: that of `exchange_test` where matches are few or one-sided, else 0."""
    size = len(won)
    small = one_sided | ((won + lost).sum(axis=1) < SMALL)
    i, j = np.triu_indices(size, 1)
    floor = np.zeros(len(pairs))
    for place in np.flatnonzero(small[i] | small[j]):
        floor[place] = exchange_test(won, int(i[place]), int(j[place]))
    return floor


def exchange_test(won: np.ndarray, i: int, j: int) -> float:
    """Exact two-sided p of "i and j are as good", from how often each won against each (K, K), in whole conversations.

    If they are, what they won against any third one could as well be exchanged between them, and each wins half of
    what they decided between themselves: the exact conditional test of Cochran, Mantel and Haenszel over opponents
    (Agresti 2002, "Categorical Data Analysis", section 6.7).
    """
    chance, hits = np.ones(1), int(won[i, j])
    if won[i, j] + won[j, i]:
        chance = binom.pmf(np.arange(int(won[i, j] + won[j, i]) + 1), int(won[i, j] + won[j, i]), 0.5)
    for other in range(len(won)):
        mine, theirs = (int(won[x, other] + won[other, x]) for x in (i, j))
        if other in (i, j) or not mine or not theirs:
            continue
        chance = np.convolve(chance, _drawn(mine + theirs, int(won[i, other] + won[j, other]), mine))
        hits += int(won[i, other])
    return float(min(1.0, 2 * min(chance[: hits + 1].sum(), chance[hits:].sum())))


@lru_cache(maxsize=4096)
def _drawn(total: int, won: int, mine: int) -> np.ndarray:
    """The chances of 0 to `mine` wins among `mine` of `total`, of which `won` were won."""
    return hypergeom.pmf(np.arange(mine + 1), total, won, mine)


def _scores(
    estimates: Estimates, fit: DavidsonFit, one_sided: np.ndarray, points: np.ndarray, talks: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of points (K,) and intervals (K, 2): on the scale of log odds, by the slope of the shares in the
    parameters.

    Where one side won everything it is Clopper and Pearson's, with a conversation as one choice.
    """
    size = len(fit.names)
    free = np.append(np.ones(size, dtype=bool), np.isfinite([fit.tie, fit.order]))
    win, tie = (share[0] for share in shares(estimates.values[None], free[None]))
    taken = win + tie / 2
    score = ((taken + 1 - taken.T).sum(axis=1) - 1) / (2 * (size - 1))
    spread = win + tie / 4 - taken**2
    spread = (spread + spread.T) / 2
    np.fill_diagonal(spread, 0.0)
    ties, first = tie * (0.5 - taken) * free[size], win * (1 - taken) * free[size + 1]
    others = [((own - own.T).sum(axis=1) / 2)[:, None] for own in (ties, first)]
    gradient = np.hstack([np.diag(spread.sum(axis=1)) - spread, *others]) / (size - 1)
    found = estimates.contrasts(gradient / (score * (1 - score))[:, None], level)
    half = ((found["high"] - found["low"]) / 2).to_numpy()
    center = np.log(score / (1 - score))
    ci = expit(np.stack([center - half, center + half], axis=-1))
    exact = clopper_pearson(np.divide(points, talks, out=np.zeros(size), where=talks > 0), talks, level)
    return score, np.where(one_sided[:, None], exact, ci)


def _nothing(names: tuple[str, ...], why: str) -> Contrasts:
    size = len(names)
    none, ends = np.full(size, np.nan), np.full((size, 2), np.nan)
    unknown = (np.nan, np.nan, np.nan)
    label, (i, j) = np.array(names, dtype=object), np.triu_indices(size, 1)
    pairs = pd.DataFrame({"a": label[i], "b": label[j]}).reindex(columns=list(PAIRS))
    whole = np.tile([1, max(size, 1)], (size, 1))
    won = np.zeros((size, size))
    return Contrasts(names, none, ends, none, ends, whole, pairs, unknown, unknown, 0.0, won, None, None, why)


def win_rate_intervals(matches: pd.DataFrame, found: Contrasts, level: float = 0.95) -> np.ndarray:
    """Intervals (K, 2) of the mean of the pairwise win rates (`win_rates`), on the scale of log odds.

    A match departs from what the strengths expect of it, not from its own pair's rate, which with a conversation or two
    is what it is by that match alone. Clopper and Pearson's, with a conversation as one choice, where one side won
    everything; NaN where fewer than half of a contestant's pairs were decided, or clusters are too few.
    """
    size = len(found.names)
    matrix = win_matrix(matches, found.names)
    rates, decided = win_rates(matrix), matrix.wins + matrix.wins.T
    met = decided + matrix.ties > 0
    if found.clusters is None:
        return np.full((size, 2), np.nan)
    share = np.divide(1.0, decided * (decided > 0).sum(axis=1)[:, None], out=np.zeros((size, size)), where=decided > 0)
    a, b, outcome = match_codes(matches, found.names)
    chance = expit(found.strength[:, None] - found.strength[None, :])
    away = np.where(outcome == TIE, 0.0, (outcome == WIN) - chance[a, b])
    rows = np.arange(len(a))
    at = (np.tile(rows, 2), np.concatenate([a, b]))
    scores = csr_array((np.concatenate([away * share[a, b], -away * share[b, a]]), at), shape=(len(a), size))
    shares_of = csr_array((np.concatenate([share[a, b], share[b, a]]) ** 2, at), shape=(len(a), size))
    variance, df = found.clusters.variance(scores, shares_of)
    inside = (rates > 0) & (rates < 1) & (df > 0)
    half = np.full(size, np.nan)
    half[inside] = stdtrit(df[inside], (1 + level) / 2) * np.sqrt(variance[inside])
    half[inside] /= (rates * (1 - rates))[inside]
    center = np.log(np.where(inside, rates, 0.5) / np.where(inside, 1 - rates, 0.5))
    ends = expit(np.stack([center - half, center + half], axis=-1))
    total = (found.won + found.won.T).sum(axis=1)
    outer = (rates == 0) | (rates == 1)
    ends[outer] = clopper_pearson(rates, total, level)[outer]
    few = (decided > 0).sum(axis=1) < met.sum(axis=1) / 2
    return np.where(few[:, None], np.nan, ends)
