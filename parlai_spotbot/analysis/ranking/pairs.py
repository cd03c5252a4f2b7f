"""Is one bot of a pair better? Tests of "a wins a decided match as often as b", by name, and a table of all pairs.

The paper's χ² and the exact sign test take matches as independent. The clustered test does not: it allows for what the
matches of one conversation, and those judged by one annotator, have in common.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtr
from scipy.stats import binomtest, chi2_contingency

from parlai_spotbot.analysis.ranking.wins import WinMatrix, win_matrix
from parlai_spotbot.analysis.uncertainty.bootstrap import codes_of
from parlai_spotbot.analysis.uncertainty.corrections import adjust

TESTS = ("sign", "clustered", "chi2")


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


def clustered_test(outcome: np.ndarray, conversations: np.ndarray, workers: np.ndarray | None = None) -> float:
    """Two-sided p of "a wins as often as b" where matches share conversations and workers.

    The mean outcome over its two-way clustered standard error (Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29,
    eq. 2.11): the variance by conversations plus that by workers less that by both, and never less than either alone.
    It is referred to Student's t; its degrees of freedom are one less than the effective number of conversations or
    workers, whichever is less: (Σ m)² / Σ m² with m decided matches in each (a cluster that holds many counts for more,
    as in Carter, Schnepel & Steigerwald 2017, Rev. Econ. Stat. 99). The p of the exact sign test is its lower limit,
    which matters where matches are so few or so one-sided that the variance is badly known.

    Parameters
    ----------
    outcome : array (n,)
        +1 where a wins, -1 where b wins, 0 for a tie.
    conversations, workers : arrays (n,)
        Whose match it is. Without `workers`, or with a single one, the test speaks of the annotators as they are, and
        conversations alone are what another sample would change.
    """
    outcome = np.asarray(outcome, dtype=float)
    exact = sign_test(int((outcome > 0).sum()), int((outcome < 0).sum()))
    if not outcome.any() or len(outcome) < 2:
        return exact
    factors = [conversations] if workers is None else [conversations, workers]
    codes = [codes_of(factor) for factor in factors]
    if len(codes) > 1 and not codes[1].any():
        codes.pop()
    variance = _clustered_variance(outcome - outcome.mean(), codes)
    decided = [np.bincount(code, outcome != 0) for code in codes]
    effective = min(m.sum() ** 2 / (m @ m) for m in decided)
    if effective <= 1:  # one conversation or one worker decided everything: nothing tells how others would
        return 1.0
    if variance <= 1e-12 * len(outcome):  # every match went one way
        return max(exact, min(1.0, 2 * 0.5**effective))
    t = abs(outcome.sum()) / np.sqrt(variance)
    return max(exact, float(2 * stdtr(effective - 1, -t)))


def _clustered_variance(residual: np.ndarray, codes: list[np.ndarray]) -> float:
    """Variance of the sum of residuals, by one factor or by two crossed ones."""

    def within(code: np.ndarray) -> float:
        return float(np.square(np.bincount(code, residual)).sum())

    if len(codes) == 1:
        return within(codes[0])
    both = codes_of(codes[0] * (int(codes[1].max()) + 1) + codes[1])
    first, second = within(codes[0]), within(codes[1])
    return max(first, second, first + second - within(both))


def pair_table(
    matches: WinMatrix | pd.DataFrame,
    correction: str = "holm",
    *,
    test: str | None = None,
    names: Sequence[str] | None = None,
    crossed: bool = True,
) -> pd.DataFrame:
    """One row a pair that met: a, b, wins_a, wins_b, ties, n, rate_a, p, p_adjusted, p_sign, p_chi2 (the paper's).

    Parameters
    ----------
    matches : WinMatrix or DataFrame
        The counts, or the matches (a, b, outcome, conversation_id, worker_id), which the clustered test needs.
    correction : str
        For many comparisons: see `adjust`.
    test : str, optional
        What `p` and `p_adjusted` are of: "clustered" (the default where matches are given), "sign" (the default where
        counts are) or "chi2". None of them counts a tie for either side.
    names : sequence of str, optional
        The bots in order, where matches are given.
    crossed : bool
        Whether the clustered test allows for workers too; not so for judges, whose variants are no sample of anything.

    Raises
    ------
    ValueError
        The test is unknown, or the clustered one is asked for of counts.
    """
    counted = isinstance(matches, WinMatrix)
    test = test or ("sign" if counted else "clustered")
    if test not in TESTS:
        raise ValueError(f"test is {test!r}, expected one of {', '.join(TESTS)}")
    if test == "clustered" and counted:
        raise ValueError("matches: counts don't say whose matches they are, expected a frame for test='clustered'")
    matrix = matches if counted else win_matrix(matches, names)
    wins, tied, rows = matrix.wins, matrix.ties, []
    for i, a in enumerate(matrix.names):
        for j, b in enumerate(matrix.names[i + 1 :], start=i + 1):
            won, lost, ties = (round(float(x)) for x in (wins[i, j], wins[j, i], tied[i, j]))
            n = won + lost + ties
            if n:
                rate = won / (won + lost) if won + lost else np.nan
                rows.append((a, b, won, lost, ties, n, rate, sign_test(won, lost), paper_chi2(won, lost, n)))
    table = pd.DataFrame(rows, columns=["a", "b", "wins_a", "wins_b", "ties", "n", "rate_a", "p_sign", "p_chi2"])
    p = clustered_pvalues(matches, table, crossed) if test == "clustered" else table[f"p_{test}"].to_numpy(dtype=float)
    table.insert(7, "p", p)
    table.insert(8, "p_adjusted", adjust(p, correction))
    return table


def clustered_pvalues(matches: pd.DataFrame, pairs: pd.DataFrame, crossed: bool = True) -> np.ndarray:
    """The clustered test's p of each row (a, b) of `pairs`."""
    found = {}
    key = [tuple(sorted(pair)) for pair in zip(matches["a"], matches["b"], strict=True)]
    for pair, rows in matches.reset_index(drop=True).groupby(pd.Series(key, dtype=object), sort=False):
        outcome = rows["outcome"].to_numpy() * np.where(rows["a"] == pair[0], 1, -1)
        found[pair] = clustered_test(outcome, rows["conversation_id"], rows["worker_id"] if crossed else None)
    return np.array([found[tuple(sorted(pair))] for pair in zip(pairs["a"], pairs["b"], strict=True)], dtype=float)
