"""Krippendorff's alpha for answers on an ordinal, interval or nominal scale, with an interval by drawing conversations.

Two answers about one unit disagree by how many answers of all lie between them (Krippendorff 2004, Content Analysis,
ch. 11); chance is any two answers of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval

METRICS = ("ordinal", "interval", "nominal")


def distances(given: np.ndarray, values: np.ndarray, metric: str = "ordinal") -> np.ndarray:
    """How far each two values are apart, (levels, levels), where `given` (levels,) says how often each was given."""
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}, expected one of {', '.join(METRICS)}")
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "interval":
        return np.square(values[:, None] - values[None, :])
    middle = np.cumsum(given) - given / 2  # all below, and half of its own
    return np.square(middle[:, None] - middle[None, :])


def alpha_of(table: np.ndarray, values: np.ndarray, metric: str = "ordinal") -> float:
    """Alpha of how often each unit got each value (units, levels); values ascend. NaN where nothing can differ."""
    size = table.sum(axis=1)
    table, size = table[size > 1], size[size > 1]
    given = table.sum(axis=0)
    total = given.sum()
    if (given > 0).sum() < 2:
        return float("nan")
    far = distances(given, values, metric)
    within = np.einsum("uc,cd,ud->u", table, far, table)  # a value is 0 apart from itself
    observed = (within / (size - 1)).sum() / total
    expected = given @ far @ given / (total * (total - 1))
    return float(1 - observed / expected)


def ordinal_alpha(
    units: Sequence,
    answers: Sequence[float],
    conversations: Sequence,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    metric: str = "ordinal",
) -> dict:
    """Alpha of answers (n,) about units (n,), with its 95 % interval by drawing conversations (n,) with replacement.

    Returns
    -------
    dict
        `alpha`, `ci`, `units` (with two answers or more), `alike` (the share of couples of answers about one unit
        that are the same), and `why` where there is no alpha.
    """
    unit, kinds = pd.factorize(np.asarray(units, dtype=object))
    values, level = np.unique(np.asarray(answers, dtype=float), return_inverse=True)
    table = np.zeros((len(kinds), max(len(values), 1)))
    np.add.at(table, (unit, level), 1)
    home = np.empty(len(kinds), dtype=object)
    home[unit] = np.asarray([str(c) for c in conversations], dtype=object)
    paired = table.sum(axis=1) > 1
    table, home = table[paired], pd.factorize(home[paired])[0]
    size = table.sum(axis=1)
    couples = (size * (size - 1)).sum()
    found = {
        "alpha": alpha_of(table, values, metric) if len(table) else np.nan,
        "ci": (np.nan, np.nan),
        "units": len(table),
        "alike": float((table * (table - 1)).sum() / couples) if couples else np.nan,
    }
    if not np.isfinite(found["alpha"]):
        found["why"] = "nothing was judged twice" if not len(table) else "all answers that could differ are the same"
        return found
    count = int(home.max()) + 1
    if count > 1:
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=replicates)
        samples = [_weighted(table, values, own[home], metric) for own in drawn]
        found["ci"] = tuple(percentile_interval(np.array(samples)).tolist())
    return found


def _weighted(table: np.ndarray, values: np.ndarray, times: np.ndarray, metric: str) -> float:
    """Alpha where each unit counts so many times."""
    size = table.sum(axis=1)
    given = times @ table
    total = given.sum()
    if (given > 0).sum() < 2:
        return float("nan")
    far = distances(given, values, metric)
    observed = (times * np.einsum("uc,cd,ud->u", table, far, table) / (size - 1)).sum() / total
    return float(1 - observed / (given @ far @ given / (total * (total - 1))))
