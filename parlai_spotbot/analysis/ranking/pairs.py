"""A table of all pairs by their counts alone, and the paper's test. Both tests take matches as independent; the
comparison that doesn't is that of `contrasts`.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import chi2

from parlai_spotbot.analysis.ranking.wins import WinMatrix
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import sign_test

TESTS = ("sign", "chi2")


def paper_chi2(wins_a: np.ndarray, wins_b: np.ndarray, n: np.ndarray) -> np.ndarray:
    """The paper's p: χ² with Yates' correction on [[wins, losses], [n - wins, n - losses]], n with ties; 1 where a row
    or column is empty.

    The two rows are not independent samples; it is here because Table 1 was made with it.
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
    i, j = np.triu_indices(len(matrix.names), 1)
    won, lost, ties = (np.rint(of).astype(int) for of in (matrix.wins[i, j], matrix.wins[j, i], matrix.ties[i, j]))
    met = won + lost + ties > 0
    i, j, won, lost, ties = (of[met] for of in (i, j, won, lost, ties))
    names, n, decided = np.array(matrix.names, dtype=object), won + lost + ties, won + lost
    rate = np.divide(won, decided, out=np.full(len(won), np.nan), where=decided > 0)
    p = {"sign": sign_test(won, lost), "chi2": paper_chi2(won, lost, n)}
    return pd.DataFrame(
        {
            "a": names[i],
            "b": names[j],
            "wins_a": won,
            "wins_b": lost,
            "ties": ties,
            "n": n,
            "rate_a": rate,
            "p": p[test],
            "p_adjusted": adjust(p[test], correction),
            "p_sign": p["sign"],
            "p_chi2": p["chi2"],
        }
    )
