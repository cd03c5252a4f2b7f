"""Wins and win rates (section 3.2, equation 1), with ties counted and kept.

A pair's win rate is wins / (wins + losses); a bot's is the unweighted mean over its opponents, as in Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binomtest, chi2_contingency

from parlai_spotbot.analysis.comparisons import adjust
from parlai_spotbot.analysis.resampling import cell_sums

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
    place = {name: i for i, name in enumerate(names)}
    codes = []
    for column in ("a", "b"):
        unknown = sorted(set(matches[column]) - set(place))
        if unknown:
            raise ValueError(f"matches: column '{column}' holds {unknown[0]!r}, expected one of {', '.join(names)}")
        codes.append(matches[column].map(place).to_numpy(dtype=int))
    outcome = matches["outcome"].to_numpy()
    if not np.isin(outcome, (-1, 0, 1)).all():
        wrong = outcome[~np.isin(outcome, (-1, 0, 1))][0]
        raise ValueError(f"matches: column 'outcome' holds {wrong}, expected 1, 0 or -1")
    if (codes[0] == codes[1]).any():
        raise ValueError(f"matches: {matches['a'][codes[0] == codes[1]].iloc[0]!r} plays itself, expected two bots")
    return codes[0], codes[1], 1 - outcome.astype(int)


def win_matrix(
    matches: pd.DataFrame, names: Sequence[str] | None = None, weights: np.ndarray | None = None
) -> WinMatrix:
    """Count the outcomes of `matches` (columns a, b, outcome: +1 where a wins, -1 where b wins, 0 for a tie).

    Parameters
    ----------
    names : sequence of str, optional
        The bots, in the order of the matrix; by default all that occur, sorted.
    weights : array (n,) or (replicates, n), optional
        How often each match counts; with replicates, so has the result.
    """
    names = tuple(names) if names is not None else tuple(sorted(set(matches["a"]) | set(matches["b"])))
    size = len(names)
    first, second, outcome = match_codes(matches, names)
    cells = (first * size + second) * 3 + outcome
    if weights is None:
        weights = np.ones(len(matches))
    counts = cell_sums(np.atleast_2d(weights), cells, size * size * 3)
    return WinMatrix(names, counts.reshape((*np.shape(weights)[:-1], size, size, 3)))


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


def sign_test(wins_a: int, wins_b: int) -> float:
    """Exact two-sided p of "a wins a decided match as often as b"; 1 where no match was decided."""
    decided = wins_a + wins_b
    return float(binomtest(wins_a, decided, 0.5).pvalue) if decided else 1.0


def paper_chi2(wins_a: int, wins_b: int, n: int) -> float:
    """The paper's p: χ² with Yates' correction on [[wins, losses], [n - wins, n - losses]], n with ties.

    The two rows are not independent samples; it is here because Table 1 was made with it.
    """
    table = np.array([[wins_a, wins_b], [n - wins_a, n - wins_b]])
    if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        return 1.0
    return float(chi2_contingency(table, correction=True).pvalue)


def pair_table(matrix: WinMatrix, correction: str = "holm") -> pd.DataFrame:
    """One row a pair that met: a, b, wins_a, wins_b, ties, n, rate_a, p (exact sign test), p_adjusted, p_chi2 (paper).

    `rate_a` is NaN where no match was decided. `p` takes matches as independent; ties don't enter it, they are in `n`.
    """
    rows = []
    for i, a in enumerate(matrix.names):
        for j in range(i + 1, len(matrix.names)):
            won, lost, ties = (round(float(x)) for x in (matrix.wins[i, j], matrix.wins[j, i], matrix.ties[i, j]))
            if won + lost + ties:
                rate = won / (won + lost) if won + lost else np.nan
                n = won + lost + ties
                p = sign_test(won, lost)
                rows.append((a, matrix.names[j], won, lost, ties, n, rate, p, paper_chi2(won, lost, n)))
    table = pd.DataFrame(rows, columns=["a", "b", "wins_a", "wins_b", "ties", "n", "rate_a", "p", "p_chi2"])
    table.insert(8, "p_adjusted", adjust(table["p"].to_numpy(dtype=float), correction))
    return table
