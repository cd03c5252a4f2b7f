"""Predictive validity: how much of people's quality judgements each metric explains alone.

ABC-Eval 2022, section 7.2, Figure 2: the quality rating by the person who led the conversation is explained by linear
regression, their choice between two conversations by logistic regression (without ties, with the metric's difference as
the predictor). The paper's p takes conversations as independent; one person led several, so there is also a p clustered
by person, both with Holm's correction over all metrics.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from parlai_spotbot.analysis.metrics.frame import Metric
from parlai_spotbot.analysis.metrics.regression import Fit, regress
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known

RATING = "rating"
CHOSEN = "choice"
OUTCOMES = {RATING: "linear", CHOSEN: "logistic"}
"""Outcomes, and the model that explains each."""

NOWHERE = "the metric has no value for any of these conversations"


def importance(table: pd.DataFrame, metrics: Sequence[Metric], outcome: str) -> list[dict]:
    """Return one entry per metric in `table` (see `rating_table`, `choice_table`).

    Returns
    -------
    list of dict
        method, name, kind, n, interactors; coef, se, se_clustered, r2, r2_ci, p, p_clustered, p_holm,
        p_clustered_holm; `why` if the metric can't be fitted.
    """
    entries = [_importance(table, metric, outcome) for metric in metrics if metric.key in table]
    for name in ("p", "p_clustered"):
        for entry, value in zip(entries, adjust_known([entry[name] for entry in entries]), strict=True):
            entry[f"{name}_holm"] = float(value)
    return entries


def _importance(table: pd.DataFrame, metric: Metric, outcome: str) -> dict:
    rows = table[["outcome", "worker_id", metric.key]].dropna()
    x = rows[[metric.key]].to_numpy(float)
    y = rows["outcome"].to_numpy(float)
    fit = regress(x, y, OUTCOMES[outcome], rows["worker_id"].to_numpy(object))
    entry = {
        **metric.about,
        "n": len(rows),
        "interactors": rows["worker_id"].nunique(),
        "coef": float(fit.coef[0]),
        "se": float(fit.se[0]),
        "se_clustered": float(fit.se_clustered[0]),
        "r2": fit.r2,
        "r2_ci": r2_interval(fit, len(rows)),
        "p": fit.p_model,
        "p_clustered": float(fit.p_clustered[0]),
    }
    return entry | ({"why": fit.why if len(rows) else NOWHERE} if fit.why else {})


def r2_interval(fit: Fit, n: int) -> tuple[float, float]:
    """Return the 95 % interval of R² by Fisher's z of its root, its error scaled by the design effect of the slope.

    It starts at 0 where either sign of the slope may be right.
    """
    if not (fit.se[0] > 0 and fit.df_clustered[0] > 0):
        return np.nan, np.nan
    error = fit.se_clustered[0] / fit.se[0] / np.sqrt(n - 3) if n > 3 else np.nan
    middle = np.arctanh(min(np.sqrt(max(fit.r2, 0.0)), 1 - 1e-12))
    half = float(stdtrit(fit.df_clustered[0], 0.975)) * error
    low = np.tanh(middle - half)
    high = np.tanh(middle + half)
    return (0.0 if low <= 0 else float(low**2)), float(high**2)
