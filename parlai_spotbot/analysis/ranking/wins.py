"""Wins and win rates (section 3.2, equation 1), with ties counted and kept.

A pair's win rate is wins / (wins + losses); a bot's is the unweighted mean over its opponents, as in Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.product import Bootstrap, cell_sums

WIN, TIE, LOSS = 0, 1, 2
"""Places of an outcome, seen from entity 0, in the last axis of the counts."""


@dataclass(frozen=True)
class WinMatrix:
    """Outcomes of all matches: ``counts[..., i, j, o]`` with bot i as entity 0, bot j as entity 1, outcome o of i.

    Leading axes, if any, are bootstrap replicates.
    """

    names: tuple[str, ...]
    counts: np.ndarray

    @property
    def wins(self) -> np.ndarray:
        """(..., K, K): how often i won against j, whichever of them was entity 0."""
        return self.counts[..., WIN] + np.swapaxes(self.counts[..., LOSS], -1, -2)

    @property
    def ties(self) -> np.ndarray:
        """(..., K, K), symmetric."""
        return self.counts[..., TIE] + np.swapaxes(self.counts[..., TIE], -1, -2)

    @property
    def rates(self) -> np.ndarray:
        """(..., K, K): wins / (wins + losses); NaN where no match was decided."""
        wins = self.wins
        decided = wins + np.swapaxes(wins, -1, -2)
        return np.divide(wins, decided, out=np.full(wins.shape, np.nan), where=decided > 0)


def match_codes(matches: pd.DataFrame, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entity 0, entity 1 (places in `names`) and outcome (`WIN`, `TIE`, `LOSS`) of each match."""
    known, codes = pd.Index(names, dtype=object), []
    for column in ("a", "b"):
        place, values = pd.factorize(matches[column])
        code = known.get_indexer(pd.Index(values, dtype=object))
        if (code < 0).any() or (place < 0).any():
            unknown = sorted(set(map(str, matches[column])) - set(names))
            raise ValueError(f"matches: column '{column}' holds {unknown[0]!r}, expected one of {', '.join(names)}")
        codes.append(code[place])
    outcome = matches["outcome"].to_numpy()
    if not np.isin(outcome, (-1, 0, 1)).all():
        wrong = outcome[~np.isin(outcome, (-1, 0, 1))][0]
        raise ValueError(f"matches: column 'outcome' holds {wrong}, expected 1, 0 or -1")
    if (codes[0] == codes[1]).any():
        raise ValueError(f"matches: {matches['a'][codes[0] == codes[1]].iloc[0]!r} plays itself, expected two bots")
    return codes[0], codes[1], 1 - outcome.astype(int)


def code_cells(codes: tuple[np.ndarray, np.ndarray, np.ndarray], size: int) -> np.ndarray:
    """The cell of each match in counts raveled from (K, K, 3), of `match_codes`."""
    first, second, outcome = codes
    return (first * size + second) * 3 + outcome


def code_counts(codes: tuple[np.ndarray, np.ndarray, np.ndarray], size: int) -> np.ndarray:
    """How often each outcome happened (K, K, 3), of `match_codes`."""
    return np.bincount(code_cells(codes, size), minlength=3 * size**2).reshape(size, size, 3).astype(float)


def match_cells(matches: pd.DataFrame, names: Sequence[str]) -> tuple[np.ndarray, tuple[int, int, int]]:
    """The cell of each match in counts raveled from (K, K, 3), and that shape."""
    size = len(names)
    return code_cells(match_codes(matches, names), size), (size, size, 3)


def win_matrix(
    matches: pd.DataFrame, names: Sequence[str] | None = None, weights: np.ndarray | Bootstrap | None = None
) -> WinMatrix:
    """Count the outcomes of `matches` (columns a, b, outcome: +1 where a wins, -1 where b wins, 0 for a tie).

    Parameters
    ----------
    names : sequence of str, optional
        The bots, in the order of the matrix; by default all that occur, sorted.
    weights : array (n,) or (replicates, n), or Bootstrap, optional
        How often each match counts; with replicates, so has the result. A `Bootstrap` (see `pair_bootstrap`) does
        without a weight for every match and replicate.
    """
    names = tuple(names) if names is not None else tuple(sorted(set(matches["a"]) | set(matches["b"])))
    cells, shape = match_cells(matches, names)
    if isinstance(weights, Bootstrap):
        counts = weights.cell_sums(cells, int(np.prod(shape)))
        return WinMatrix(names, counts.reshape((-1, *shape)))
    if weights is None:
        weights = np.ones(len(matches))
    counts = cell_sums(np.atleast_2d(weights), cells, int(np.prod(shape)))
    return WinMatrix(names, counts.reshape((*np.shape(weights)[:-1], *shape)))


def pair_bootstrap(
    matches: pd.DataFrame, *, rng: np.random.Generator, replicates: int = 1000, resample: str = "conversations_workers"
) -> Bootstrap:
    """The `Bootstrap` of `matches` (columns a, b, conversation_id, worker_id), stratified by pair of bots.

    The numbers of conversations of a pair are the plan's, so they stay in every replicate. Columns that `resample`
    doesn't draw may be missing. Raises ValueError where one that it draws is.
    """
    code, names = pd.factorize(pd.concat([matches["a"], matches["b"]], ignore_index=True))
    first, second = code[: len(matches)], code[len(matches) :]
    pair = np.minimum(first, second) * len(names) + np.maximum(first, second)
    for column, what in (("conversation_id", "conversations"), ("worker_id", "workers")):
        if what in resample and column not in matches:
            raise ValueError(f"matches: no column '{column}', expected one for resample={resample!r}")
    conversations, workers = (matches.get(column, pair) for column in ("conversation_id", "worker_id"))
    return Bootstrap(conversations, workers, pair, rng=rng, replicates=replicates, resample=resample)


def win_rates(matrix: WinMatrix, how: str = "mean_of_pairs") -> np.ndarray:
    """Win rate (..., K) of every bot; NaN where none of its matches was decided.

    `how` is "mean_of_pairs" (the paper's: unweighted mean of the pairwise rates) or "pooled" (all matches together).
    """
    if how == "pooled":
        won, lost = matrix.wins.sum(axis=-1), matrix.wins.sum(axis=-2)
    elif how == "mean_of_pairs":
        rates = matrix.rates
        known = np.isfinite(rates)
        won = np.where(known, rates, 0.0).sum(axis=-1)
        lost = known.sum(axis=-1) - won
    else:
        raise ValueError(f"how is {how!r}, expected mean_of_pairs or pooled")
    total = won + lost
    return np.divide(won, total, out=np.full(total.shape, np.nan), where=total > 0)


def paper_chi2(wins_a: np.ndarray, wins_b: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the paper's p: χ² with Yates' correction on [[wins, losses], [n - wins, n - losses]], n with ties.

    1 where a row or column is empty. The two rows are not independent samples, but Table 1 was made with it.
    """
    won, lost, n = (np.asarray(of, dtype=float) for of in (wins_a, wins_b, n))
    observed = np.stack([won, lost, n - won, n - lost])
    columns, rows = observed[:2] + observed[2:], np.stack([won + lost, 2 * n - won - lost])
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = rows[[0, 0, 1, 1]] * columns[[0, 1, 0, 1]] / (2 * n)
        away = np.maximum(np.abs(expected - observed) - 0.5, 0.0)
        statistic = (away**2 / expected).sum(axis=0)
    known = (rows > 0).all(axis=0) & (columns > 0).all(axis=0)
    return np.where(known, chi2.sf(np.where(known, statistic, 0.0), 1), 1.0)


def conversations_won(codes: tuple[np.ndarray, np.ndarray, np.ndarray], clusters: Clusters, size: int) -> np.ndarray:
    """Return how many conversations each won against each (K, K): by more of its matches than the other."""
    a, b, outcome = codes
    talk = joint_codes(clusters)
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b)
    pair = (low * size + high) * (talk.max(initial=0) + 1) + talk
    first, own = np.unique(pair, return_index=True, return_inverse=True)[1:]
    sums = np.bincount(own, np.where(a < b, 1 - outcome, outcome - 1), len(first))
    won, (up, down) = np.zeros((size, size)), (first[sums > 0], first[sums < 0])
    np.add.at(won, (low[up], high[up]), 1)
    np.add.at(won, (high[down], low[down]), 1)
    return won


def joint_codes(clusters: Clusters) -> np.ndarray:
    """Return one code (n,) for the conversations of each row, whatever their order; rows where none count."""
    conversations = clusters.conversations
    if conversations is None:
        return np.arange(clusters.rows)
    if conversations.shape[1] == 1:
        return conversations[:, 0]
    return np.unique(np.sort(conversations, axis=1), axis=0, return_inverse=True)[1].ravel()
