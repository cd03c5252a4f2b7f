"""Predictive validity: how much of people's quality judgements does each metric explain by itself?

ABC-Eval 2022, section 7.2, Figure 2: the quality rating of whoever led the conversation by linear regression, and which
of their two conversations was better by logistic regression (ties left out, the metric's difference as the predictor).
The usual p takes conversations as independent; one person led several, so beside it stands a p clustered by person,
both with Holm's correction over all metrics.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from parlai_spotbot.analysis.metrics.frame import Metric
from parlai_spotbot.analysis.metrics.regression import Fit, regress
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known

RATING, CHOSEN = "rating", "choice"
OUTCOMES = {RATING: "linear", CHOSEN: "logistic"}
"""Outcomes, and the model that explains each."""

NOWHERE = "the metric has no value for any of these conversations"


def importance(table: pd.DataFrame, metrics: Sequence[Metric], outcome: str) -> list[dict]:
    """Return one entry a metric that is in `table` (see `rating_table`, `choice_table`).

    Returns
    -------
    list of dict
        method, name, kind, n, interactors; coef, se, se_clustered, coef_standardized (per standard deviation of the
        metric), r2, r2_ci, p, p_clustered, p_holm, p_clustered_holm; `why` where there is nothing of it.
    """
    ofs = [_of(table, metric, outcome) for metric in metrics if metric.key in table]
    for name, corrected in (("p", "p_holm"), ("p_clustered", "p_clustered_holm")):
        for entry, value in zip(ofs, adjust_known([entry[name] for entry in ofs]), strict=True):
            entry[corrected] = float(value)
    return ofs


def _of(table: pd.DataFrame, metric: Metric, outcome: str) -> dict:
    complete = table[["outcome", "worker_id", metric.key]].dropna()
    x, y, who = (
        complete[metric.key].to_numpy(float),
        complete["outcome"].to_numpy(float),
        complete["worker_id"].to_numpy(object),
    )
    fit = regress(x, y, OUTCOMES[outcome], who)
    entry = {
        "method": metric.method,
        "name": metric.name,
        "kind": metric.kind,
        "n": len(complete),
        "interactors": len(set(who)),
        "coef": float(fit.coef[0]),
        "se": float(fit.se[0]),
        "coef_standardized": float(fit.coef[0]) * (float(x.std()) if len(x) else np.nan),
        "r2": fit.r2,
        "r2_ci": r2_interval(fit, len(x)),
        "p": fit.p_model,
        "p_clustered": float(fit.p_clustered[0]),
        "se_clustered": float(fit.se_clustered[0]),
    }
    return entry | ({"why": fit.why if len(complete) else NOWHERE} if fit.why else {})


def r2_interval(fit: Fit, n: int) -> tuple[float, float]:
    """Return the 95 % interval of R² by Fisher's z of its root, its error scaled by the design effect of the slope.

    It starts at 0 where either sign of the slope may be right.
    """
    if not (fit.se[0] > 0 and fit.df_clustered[0] > 0):
        return np.nan, np.nan
    error = fit.se_clustered[0] / fit.se[0] / np.sqrt(n - 3) if n > 3 else np.nan
    middle = np.arctanh(min(np.sqrt(max(fit.r2, 0.0)), 1 - 1e-12))
    half = float(stdtrit(fit.df_clustered[0], 0.975)) * error
    low, high = np.tanh(middle - half), np.tanh(middle + half)
    return (0.0 if low <= 0 else float(low**2)), float(high**2)
