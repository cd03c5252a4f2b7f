"""Survival as the report reads it: a curve per bot and of people, log-rank tests by pair, and what features go with."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.comparisons import adjust
from parlai_spotbot.analysis.frames import FEATURES
from parlai_spotbot.analysis.resampling import cell_sums, percentile_interval
from parlai_spotbot.analysis.survival import (
    SeparationWarning,
    cox,
    current_status_survival,
    icenreg,
    logrank,
    turnbull,
)
from parlai_spotbot.analysis.survival.events import events

LOGRANK = "generalized log-rank (Sun's score), rows as independent, Holm-adjusted; positive: a is spotted more"
COX = (
    "proportional hazards, standard errors by observed information, rows as independent; "
    "positive: goes with being spotted sooner; an association, not a cause"
)


def survival(entities: pd.DataFrame, names: Sequence[str], weights: np.ndarray, backend: str) -> dict:
    """Everything about survival; `weights` (replicates, entities) are the bootstrap's."""
    backend = icenreg.choose(backend)
    rows = events(entities)
    return {
        "curves": {name: _curve(rows, name, weights, backend) for name in names},
        "pairs": _pairs(rows, names, backend),
        "test": LOGRANK,
        "cox": {name: _cox(rows[rows["group"] == name], backend) for name in names},
        "cox_model": COX,
        "backend": backend,
    }


def _curve(spotting: pd.DataFrame, name: str, weights: np.ndarray, backend: str) -> dict:
    """S(k) at the lengths shown, with bootstrap intervals, which hold at these fixed lengths."""
    mine = np.flatnonzero((spotting["group"] == name).to_numpy())
    rows = spotting.iloc[mine]
    fit = turnbull(rows["left"], rows["right"], backend=backend)
    lengths = np.unique(rows["k"])
    level = np.searchsorted(lengths, rows["k"])
    spotted = np.isfinite(rows["right"].to_numpy()).astype(int)
    sums = cell_sums(weights[:, mine], 2 * level + spotted, 2 * len(lengths)).reshape(len(weights), -1, 2)
    ci = percentile_interval(current_status_survival(sums[..., 1], sums.sum(axis=-1)))
    return {
        "exchanges": lengths.tolist(),
        "survival": fit.survival(lengths).tolist(),
        "ci": ci.tolist(),
        "n": np.bincount(level).tolist(),
        "spotted": np.bincount(level, spotted).astype(int).tolist(),
    }


def _pairs(spotting: pd.DataFrame, names: Sequence[str], backend: str) -> list[dict]:
    rows = []
    for a, b in itertools.combinations(names, 2):
        # The first group is the first to occur, so a's rows come first.
        both = pd.concat([spotting[spotting["group"] == a], spotting[spotting["group"] == b]])
        test = logrank(both["left"], both["right"], both["group"], backend=backend)
        rows.append(
            {"a": a, "b": b, "statistic": test.statistic[0], "chi2": test.chi2, "df": test.df, "p": test.pvalue}
        )
    for row, adjusted in zip(rows, adjust([row["p"] for row in rows]), strict=True):
        row["p_adjusted"] = adjusted
    return rows


def _cox(rows: pd.DataFrame, backend: str) -> dict[str, dict]:
    """Coefficients per feature; where a feature has none, None and why."""
    result = {}
    use = []
    for feature in FEATURES:
        if rows[feature].nunique() > 1:
            use.append(feature)
        else:
            result[feature] = _none("the same answer everywhere")
    fit = None
    while use and fit is None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SeparationWarning)  # said in the result
                fit = cox(rows["left"], rows["right"], rows[use].astype(float), "ph", backend=backend)
        except ValueError as err:
            result[use.pop()] = _none(str(err))
    for i, feature in enumerate(use):
        result[feature] = {"coef": fit.coef[i], "se": fit.se[i], "p": fit.pvalue[i]}
        if not np.isfinite(fit.coef[i]):
            result[feature]["why"] = "tells spotted from unspotted rows perfectly: no finite estimate"
    return {feature: result[feature] for feature in FEATURES}


def _none(why: str) -> dict:
    return {"coef": None, "se": None, "p": None, "why": why}
