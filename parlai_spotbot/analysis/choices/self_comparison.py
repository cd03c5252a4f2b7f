"""A contestant against itself (A/A): whatever is found there is found of nothing.

By the labels, either side is as likely; what an annotator sees is a left and a right one, so the test asks whether
they are chosen alike. It tells a page that favours one side, or a wording that draws one answer.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binom

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import share_test

ALPHA = 0.05


def rejection_rate(n: int, alpha: float = ALPHA) -> float:
    """Compute how often the exact binomial test of n choices rejects at `alpha` where both sides are equal.

    Never more than `alpha`; at .05, from .031 to .050 for every n from 86 to 1,000, and lower for some smaller n, as
    counts are whole: .021 for 10, .041 for 20, .017 for 22.
    """
    if n < 0:
        raise ValueError(f"n is {n}, expected a whole number from 0 up")
    cumulative = binom.cdf(np.arange(n // 2 + 1), n, 0.5)
    reaching = cumulative[2 * cumulative <= alpha * (1 + 1e-12)]
    return float(2 * reaching[-1]) if len(reaching) else 0.0


def mid_p(hits: int, n: int) -> float:
    """Two-sided mid-p of `hits` in n against one half: the chance of what is rarer, and half of what is as rare."""
    tail = min(hits, n - hits)
    value = 2 * (binom.cdf(tail, n, 0.5) - 0.5 * binom.pmf(tail, n, 0.5))
    return float(min(1.0, value))


def same_test(choices: pd.DataFrame, *, crossed: bool = True) -> list[dict]:
    """One entry a contestant that was compared with itself, then one of all of them together ("all").

    Each: `name`, `share_test` of the left conversation (of the first one, where sides aren't known: `of`), `p_mid`,
    `size` (how often the exact test would reject with so many choices).
    """
    rows = choices[(choices["a"] == choices["b"]) & (choices["outcome"] != 0)]
    groups = [(str(name), own) for name, own in rows.groupby("a", sort=True)]
    if len(groups) > 1:
        groups.append(("all", rows))
    tests = []
    for name, group_rows in groups:
        sided = group_rows[group_rows["left"].notna()]
        side = "left" if len(sided) == len(group_rows) else "first"
        hits = (sided["left"] > 0 if side == "left" else group_rows["outcome"] > 0).to_numpy()
        test = share_test(hits, frame_clusters(group_rows, crossed))
        n = test["n"]
        tests.append({"name": name, "of": side, **test, "p_mid": mid_p(int(hits.sum()), n), "size": rejection_rate(n)})
    return tests
