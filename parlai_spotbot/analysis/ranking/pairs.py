"""A table of all pairs by their counts alone, and the paper's test. Both tests take matches as independent; the
comparison that doesn't is that of `contrasts`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency

from parlai_spotbot.analysis.ranking.wins import WinMatrix
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import sign_test

TESTS = ("sign", "chi2")


def paper_chi2(wins_a: int, wins_b: int, n: int) -> float:
    """The paper's p: χ² with Yates' correction on [[wins, losses], [n - wins, n - losses]], n with ties.

    The two rows are not independent samples; it is here because Table 1 was made with it.
    """
    table = np.array([[wins_a, wins_b], [n - wins_a, n - wins_b]])
    if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
        return 1.0
    return float(chi2_contingency(table, correction=True).pvalue)


def pair_table(matrix: WinMatrix, correction: str = "holm", *, test: str = "sign") -> pd.DataFrame:
    """One row a pair that met: a, b, wins_a, wins_b, ties, n, rate_a, p, p_adjusted, p_sign, p_chi2 (the paper's).

    Parameters
    ----------
    correction : str
        For many comparisons: see `adjust`.
    test : str
        What `p` and `p_adjusted` are of: "sign" (exact, of the decided matches) or "chi2". Neither counts a tie.

    Raises
    ------
    ValueError
        The test is unknown.
    """
    if test not in TESTS:
        raise ValueError(f"test is {test!r}, expected one of {', '.join(TESTS)}")
    wins, tied, rows = matrix.wins, matrix.ties, []
    for i, a in enumerate(matrix.names):
        for j, b in enumerate(matrix.names[i + 1 :], start=i + 1):
            won, lost, ties = (round(float(x)) for x in (wins[i, j], wins[j, i], tied[i, j]))
            n = won + lost + ties
            if n:
                rate = won / (won + lost) if won + lost else np.nan
                rows.append((a, b, won, lost, ties, n, rate, float(sign_test(won, lost)), paper_chi2(won, lost, n)))
    table = pd.DataFrame(rows, columns=["a", "b", "wins_a", "wins_b", "ties", "n", "rate_a", "p_sign", "p_chi2"])
    p = table[f"p_{test}"].to_numpy(dtype=float)
    table.insert(7, "p", p)
    table.insert(8, "p_adjusted", adjust(p, correction))
    return table
