"""How much of what people thought of a conversation does each metric know?

ABC-Eval 2022, section 7.2, Figure 2: the quality rating of whoever led the conversation by linear regression, and which
of their two conversations was better by logistic regression (ties left out, the metric's difference as the predictor),
on one metric at a time. The usual p takes conversations as independent; one person led several, so beside it stands the
p that knows (clusters: people who led conversations), both with Holm's correction over all metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics.frame import Metric
from parlai_spotbot.analysis.metrics.regression import linear, logistic, signed_r2
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.corrections import adjust

RATING, CHOSEN = "rating", "choice"
OUTCOMES = {RATING: "linear", CHOSEN: "logistic"}
"""The outcomes, and by which model each is explained."""

NOWHERE = "the metric has no value for any of these conversations"


def importance(
    table: pd.DataFrame,
    metrics: Sequence[Metric],
    outcome: str,
    rng_of: Callable[[str], np.random.Generator],
    replicates: int = 1000,
) -> list[dict]:
    """One entry a metric that stands in `table` (see `rating_table`, `choice_table`): how well it alone explains the
    outcome.

    Returns
    -------
    list of dict
        method, name, kind, n, interactors; coef, se, coef_standardized (per standard deviation of the metric), r2,
        r2_ci (bootstrap of people), p, p_clustered, p_holm,
        p_clustered_holm; `why` where there is nothing of it.
    """
    found = [_of(table, metric, outcome, rng_of, replicates) for metric in metrics if metric.key in table]
    for name, corrected in (("p", "p_holm"), ("p_clustered", "p_clustered_holm")):
        known = [entry for entry in found if np.isfinite(entry[name])]
        for entry, p in zip(known, adjust(np.array([entry[name] for entry in known])), strict=True):
            entry[corrected] = float(p)
        for entry in found:
            entry.setdefault(corrected, np.nan)
    return found


def _of(
    table: pd.DataFrame, metric: Metric, outcome: str, rng_of: Callable[[str], np.random.Generator], replicates: int
) -> dict:
    own = table[["outcome", "worker_id", metric.key]].dropna()
    x, y, who = own[metric.key].to_numpy(float), own["outcome"].to_numpy(float), own["worker_id"].to_numpy(object)
    entry = {
        "method": metric.method,
        "name": metric.name,
        "kind": metric.kind,
        "n": len(own),
        "interactors": len(set(who)),
    }
    model = OUTCOMES[outcome]
    fit = (linear if model == "linear" else logistic)(x, y, who)
    spread = float(x.std()) if len(x) else np.nan
    entry |= {
        "coef": float(fit.coef[0]),
        "se": float(fit.se[0]),
        "coef_standardized": float(fit.coef[0]) * spread,
        "r2": fit.r2,
        "r2_ci": (np.nan, np.nan),
        "p": fit.p_model,
        "p_clustered": float(fit.p_clustered[0]),
        "se_clustered": float(fit.se_clustered[0]),
    }
    if fit.why:
        return entry | {"why": fit.why if len(own) else NOWHERE}
    drawn = ClusterBootstrap(who, rng=rng_of(f"{outcome} {metric.key}"), replicates=replicates)
    entry["r2_ci"] = r2_interval(x, y, drawn, model)
    return entry


def r2_interval(x: np.ndarray, y: np.ndarray, drawn: ClusterBootstrap, model: str) -> tuple[float, float]:
    """The interval of R² from that of its root with the slope's sign, which is nearer to normal."""

    def root(weights: np.ndarray) -> np.ndarray:
        signed = signed_r2(x, y, weights, model)
        return np.sign(signed) * np.sqrt(np.abs(signed))

    ends = drawn.interval(root(np.ones((1, len(x))))[0], drawn.samples(root), span=(-1, 1))
    return unsigned(np.sign(ends) * ends**2)


def unsigned(ends: np.ndarray) -> tuple[float, float]:
    """The interval of R² from that of R² with the slope's sign: from 0 where either sign may be right."""
    low, high = float(ends[0]), float(ends[1])
    if not (np.isfinite(low) and np.isfinite(high)):
        return np.nan, np.nan
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
