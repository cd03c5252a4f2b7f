"""Does a model fit? Parametric curves beside the NPMLE, families beside each other, and log-minus-log tables.

If hazards are proportional, log(-log S) of two groups differ by a constant at all times; if odds are, logit F does
(Kalbfleisch & Prentice 2002, section 4.5). Everything comes as a frame; plots live elsewhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.families import PARAMETERS
from parlai_spotbot.analysis.survival.intervals import check, merge_ends, numbers
from parlai_spotbot.analysis.survival.parametric import parametric
from parlai_spotbot.analysis.survival.results import ConvergenceWarning, RegressionFit
from parlai_spotbot.analysis.survival.steps import ROUNDING
from parlai_spotbot.analysis.survival.turnbull import turnbull


@dataclass(frozen=True)
class ParametricCheck:
    """`table` with columns time, low, high, fitted, distance; `distance` is the greatest of these, at `time`.

    `low` and `high` bound the NPMLE of the survival: within an innermost interval the data don't say where between them
    it lies. `distance` is how far `fitted` is outside of them, 0 inside.
    """

    table: pd.DataFrame
    distance: float
    time: float


def parametric_check(
    fit: RegressionFit,
    left: ArrayLike,
    right: ArrayLike,
    weights: ArrayLike | None = None,
    X: ArrayLike | pd.DataFrame | None = None,
    backend: str = "native",
) -> ParametricCheck:
    """Compare a fitted survival curve with the NPMLE of the same rows.

    Parameters
    ----------
    fit : RegressionFit
    left, right, weights : sequences (n,)
    X : array or frame (n, p), optional
        The rows' covariates: the fitted curve is then the mean of theirs, weighted. It is the baseline's without.

    Raises
    ------
    ValueError
        Names the row that is no interval, or covariates that don't fit the fit.
    """
    left, right, weights = check(left, right, weights)
    nonparametric = turnbull(left, right, weights, backend=backend)
    ends = nonparametric.intervals
    times = np.unique(ends[np.isfinite(ends) & (ends > 0)])
    if not len(times):
        times = np.unique(left[left > 0])
    low, high = nonparametric.bounds(times)
    fitted = fit.baseline.survival(times) if X is None else _mean_survival(fit, times, X, weights)
    distance = np.maximum(np.maximum(low - fitted, fitted - high), 0.0)
    table = pd.DataFrame({"time": times, "low": low, "high": high, "fitted": fitted, "distance": distance})
    worst = int(np.argmax(distance))
    return ParametricCheck(table, float(distance[worst]), float(times[worst]))


def _mean_survival(fit: RegressionFit, times: np.ndarray, X: ArrayLike | pd.DataFrame, weights: np.ndarray):
    if len(X) != len(weights):
        raise ValueError(f"X: {len(X)} rows, expected one for every observation ({len(weights)})")
    values = numbers(X[list(fit.names)] if isinstance(X, pd.DataFrame) else X, "X")
    patterns, place = np.unique(values.reshape(len(weights), -1), axis=0, return_inverse=True)
    share = np.bincount(place.ravel(), weights) / weights.sum()
    total = np.zeros(len(times))
    for start in range(0, len(patterns), 1000):  # a block at a time: patterns × times may be large
        total += share[start : start + 1000] @ fit.survival(times, patterns[start : start + 1000])
    return total


@dataclass(frozen=True)
class LogMinusLog:
    """`table`: group, time, survival, log_minus_log, logit, at the times at which every group's curve is inside (0, 1).

    `differences`: group (against the first), time, and its difference on both scales. `spread`: per group the range of
    each scale's differences over the times; the smaller one's model is the more plausible.
    """

    table: pd.DataFrame
    differences: pd.DataFrame
    spread: pd.DataFrame


def log_minus_log(
    left: ArrayLike,
    right: ArrayLike,
    group: ArrayLike,
    weights: ArrayLike | None = None,
    times: ArrayLike | None = None,
    backend: str = "native",
) -> LogMinusLog:
    """The NPMLE of each group as log(-log S(t)) and as logit F(t), whose differences show hazards or odds to be
    proportional by not changing with time.

    Parameters
    ----------
    left, right, weights, group : sequences (n,)
        At least two groups; the first in sorted order is the one that others are compared with.
    times : sequence, optional
        Where to compare; by default at every right end of an innermost interval.

    Raises
    ------
    ValueError
        Names the row that is no interval; fewer than two groups; no time at which all curves are inside (0, 1).
    """
    left, right, weights = check(left, right, weights)
    code, names = pd.factorize(np.asarray(group, dtype=object), sort=True)
    if len(code) != len(left):
        raise ValueError(f"group: {len(code)} of them, expected one for every observation ({len(left)})")
    if (code < 0).any():
        raise ValueError(f"group: row {int(np.flatnonzero(code < 0)[0])} has none, expected a name for every row")
    if len(names) < 2:
        raise ValueError(f"group: {list(names)}, expected at least two groups")
    if times is not None:
        left, right, times = merge_ends(left, right, numbers(times, "times", truth=False))
    fits = [turnbull(left[code == g], right[code == g], weights[code == g], backend=backend) for g in range(len(names))]
    if times is None:
        ends = np.concatenate([fit.intervals[:, 1] for fit in fits])
        times = np.unique(ends[np.isfinite(ends) & (ends > 0)])
    survival = np.array([fit.survival(times) for fit in fits]).reshape(len(names), len(times))
    inside = ((survival > ROUNDING) & (survival < 1 - ROUNDING)).all(axis=0)
    if not inside.any():
        raise ValueError("group: no time at which some but not all of every group were spotted; expected at least one")
    return _compared(names, times[inside], survival[:, inside])


def _compared(names: ArrayLike, times: np.ndarray, survival: np.ndarray) -> LogMinusLog:
    scales = {"log_minus_log": np.log(-np.log(survival)), "logit": np.log1p(-survival) - np.log(survival)}
    count = len(times)

    def frame(which: ArrayLike, columns: dict[str, np.ndarray]) -> pd.DataFrame:
        base = {"group": np.repeat(np.asarray(which, dtype=object), count), "time": np.tile(times, len(which))}
        return pd.DataFrame(base | {name: values.ravel() for name, values in columns.items()})

    differences = {name: values[1:] - values[0] for name, values in scales.items()}
    ranges = {name: np.ptp(values, axis=1) for name, values in differences.items()}
    spread = pd.DataFrame({"group": list(names[1:]), "against": names[0]} | ranges)
    return LogMinusLog(frame(names, {"survival": survival} | scales), frame(names[1:], differences), spread)


def compare_distributions(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame | None = None,
    model: str = "ph",
    *,
    dists: Sequence[str] = tuple(PARAMETERS),
    backend: str = "native",
    **options,
) -> pd.DataFrame:
    """Fit every family: dist, parameters, loglik, aic, difference (of AIC from the best), warning; best first.

    Arguments as for `parametric`, which gets the `options`. `warning` is what the fit warned of, "" where it didn't: a
    family whose maximum is at an edge is listed, not left out.
    """
    rows = []
    for dist in dists:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            fit = parametric(left, right, X, model, dist, backend=backend, **options)
        count = len(fit.parameters) + int(np.isfinite(fit.coef).sum())
        rows.append((dist, count, fit.loglik, fit.aic, "; ".join(str(w.message) for w in said)))
    frame = pd.DataFrame(rows, columns=["dist", "parameters", "loglik", "aic", "warning"])
    frame = frame.sort_values("aic", kind="stable").reset_index(drop=True)
    frame.insert(4, "difference", frame["aic"] - frame["aic"].min())
    return frame
