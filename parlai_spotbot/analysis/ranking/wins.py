"""Wins and win rates (section 3.2, equation 1), with ties counted and kept.

A pair's win rate is wins / (wins + losses); a bot's is the unweighted mean over its opponents, as in Table 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.values import ArrayTriple, ratio

WIN = 0
TIE = 1
LOSS = 2
"""Places of an outcome, seen from entity 0, in the last axis of the counts."""


Codes = ArrayTriple
"""Entity 0, entity 1 and outcome of each match, see `match_codes`."""


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
    def matches(self) -> np.ndarray:
        """(..., K, K), symmetric: all that the two played."""
        played = self.counts.sum(axis=-1).astype(int)
        return played + np.swapaxes(played, -1, -2)

    @property
    def rates(self) -> np.ndarray:
        """(..., K, K): wins / (wins + losses); NaN where no match was decided."""
        wins = self.wins
        return ratio(wins, wins + np.swapaxes(wins, -1, -2))


def match_codes(matches: pd.DataFrame, names: Sequence[str]) -> Codes:
    """Entity 0, entity 1 (places in `names`) and outcome (`WIN`, `TIE`, `LOSS`) of each match."""
    index = pd.Index(names, dtype=object)
    codes = []
    for column in ("a", "b"):
        place, values = pd.factorize(matches[column])
        code = index.get_indexer(pd.Index(values, dtype=object))
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


def code_counts(codes: Codes, size: int) -> np.ndarray:
    """Return how often each outcome happened (K, K, 3), from `match_codes`."""
    first, second, outcome = codes
    cells = (first * size + second) * 3 + outcome
    return np.bincount(cells, minlength=3 * size**2).reshape(size, size, 3).astype(float)


def win_matrix(matches: pd.DataFrame, names: Sequence[str] | None = None) -> WinMatrix:
    """Count the outcomes of `matches` (columns a, b, outcome: +1 where a wins, -1 where b wins, 0 for a tie).

    `names` are the bots, in the order of the matrix; by default all that occur, sorted.
    """
    names = tuple(names) if names is not None else tuple(sorted(set(matches["a"]) | set(matches["b"])))
    return WinMatrix(names, code_counts(match_codes(matches, names), len(names)))


def win_rates(matrix: WinMatrix) -> np.ndarray:
    """Return the unweighted mean of each bot's pairwise rates (..., K), as the paper; NaN where none was decided."""
    rates = matrix.rates
    return ratio(np.nansum(rates, axis=-1), np.isfinite(rates).sum(axis=-1))


def paper_chi2(wins_a: np.ndarray, wins_b: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return the paper's p: χ² with Yates' correction on [[wins, losses], [n - wins, n - losses]], n with ties.

    1 where a row or column is empty. The two rows are not independent samples, but Table 1 was made with it.
    """
    from scipy.stats import chi2_contingency  # slow to load, and votes have no such table

    def pvalue(won: float, lost: float, played: float) -> float:
        table = np.array([[won, lost], [played - won, played - lost]])
        if not table.any(axis=0).all() or not table.any(axis=1).all():
            return 1.0
        return chi2_contingency(table).pvalue

    return np.vectorize(pvalue, otypes=[float])(wins_a, wins_b, n)


def conversations_decided(codes: Codes, clusters: Clusters, size: int) -> np.ndarray:
    """Return how many conversations with each other one each contestant (K,) won or lost, by more of their matches."""
    a, b, outcome = codes
    won = np.where(a < b, 1 - outcome, outcome - 1)
    rows = pd.DataFrame({"talk": clusters.talks(), "low": np.minimum(a, b), "high": np.maximum(a, b), "won": won})
    sums = rows.groupby(["talk", "low", "high"], sort=False, as_index=False).sum()
    decided = sums[sums["won"] != 0]
    return np.bincount(decided["low"], minlength=size) + np.bincount(decided["high"], minlength=size)
