"""Log-rank tests of all pairs of groups, corrected for how many they are."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.grouped import LogrankOptions, checked_rows
from parlai_spotbot.analysis.survival.logrank import run
from parlai_spotbot.analysis.survival.scores import SCORES
from parlai_spotbot.analysis.uncertainty.corrections import adjust_log

COLUMNS = ("a", "b", "n_a", "n_b", "statistic", "expected", "se", "chi2", "df", "p", "log_p")


def logrank_pairs(
    left: ArrayLike,
    right: ArrayLike,
    group: ArrayLike,
    score: str = "sun",
    *,
    names: ArrayLike | None = None,
    adjust: str = "holm",
    comparisons: int | None = None,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
    **options,
) -> pd.DataFrame:
    """`logrank` of every pair of groups, each by its own pooled NPMLE, as the paper does.

    Parameters
    ----------
    left, right, group, score, weights, clusters, strata, seed, closed, backend, **options
        As in `logrank`.
    names : sequence, optional
        Which groups, and in which order; by default all, as they occur. ``statistic`` is a's: positive where a is
        spotted more than expected.
    adjust : str
        "holm", "bonferroni" (the paper's), or "none".
    comparisons : int, optional
        How many tests to correct for, where it is more than there are pairs.

    Returns
    -------
    DataFrame
        A row per pair: a, b, their numbers of rows n_a and n_b, statistic, expected, se, chi2, df, p, log_p,
        p_adjusted, log_p_adjusted, method. `p` and `p_adjusted` can be too small for a float, their logarithms can't.

    Raises
    ------
    ValueError
        As `logrank`, or names a group that has no rows.
    """
    if score not in SCORES:
        raise ValueError(f"score is {score!r}, expected {' or '.join(SCORES)}")
    chosen = LogrankOptions(**options)
    rows = checked_rows(left, right, group, weights, clusters, strata, chosen)
    names = _chosen(names, rows.names)
    code = {name: rows.names.index(name) for name in names}
    rng = np.random.default_rng(seed)
    size = np.bincount(rows.group, rows.weights, len(rows.names))
    found = []
    for a, b in itertools.combinations(names, 2):
        test = run(rows.subset((code[a], code[b])), (score,), chosen, rng, closed, backend)[score]
        values = (a, b, size[code[a]], size[code[b]], test.statistic[0], test.expected[0], test.covariance[0, 0] ** 0.5)
        values += (test.chi2, test.df, test.pvalue, test.log_pvalue)
        found.append(dict(zip(COLUMNS, values, strict=True)) | {"method": test.method})
    table = pd.DataFrame(found, columns=[*COLUMNS, "method"])
    log_adjusted = adjust_log(table["log_p"].to_numpy(dtype=float), adjust, n=comparisons)
    table.insert(len(COLUMNS), "p_adjusted", np.exp(log_adjusted))
    table.insert(len(COLUMNS) + 1, "log_p_adjusted", log_adjusted)
    return table


def _chosen(names: ArrayLike | None, known: tuple) -> tuple:
    names = known if names is None else tuple(names)
    for name in names:
        if name not in known:
            raise ValueError(f"names: group {name!r} has no rows, expected some of {', '.join(map(str, known))}")
    if len(set(names)) < len(names):
        raise ValueError(f"names: {list(names)}, expected each once")
    return names
