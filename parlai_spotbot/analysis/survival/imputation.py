"""Imputation: for every interval an exact time, drawn from a fitted distribution given that it lies in the interval.

Several draws let methods for exact times be used on interval-censored data, their spread added to the variance (Rubin
1987; for the NPMLE Zhao & Sun 2004, Stat. Med. 23). What the data don't identify, imputation doesn't either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.intervals import check, merge_ends
from parlai_spotbot.analysis.survival.laws import Law, forward, law, place
from parlai_spotbot.analysis.survival.results import RegressionFit
from parlai_spotbot.analysis.survival.turnbull import turnbull

WITHIN = ("right", "left", "uniform")


def impute(
    left: ArrayLike,
    right: ArrayLike,
    fit: Any = None,
    *,
    X: ArrayLike | pd.DataFrame | None = None,
    draws: int = 1,
    within: str = "right",
    closed: tuple[bool, bool] | None = None,
    seed: int | np.random.Generator = 0,
) -> np.ndarray:
    """Draw event times given their intervals.

    Parameters
    ----------
    left, right : sequences (n,)
        Each time lies in (left, right]; right = inf: right-censored; left == right: exact, and imputed as itself. Ends
        that differ by rounding, of rows or of the `fit`, are one end, see `intervals.merge_ends`.
    fit : optional
        The distribution: by default the NPMLE of these rows; a `TurnbullFit`; a `RegressionFit`, with its covariates
        `X` (n, p); a frozen distribution of scipy.stats; an object with ``survival(t)`` and ``quantile(q)``.
    draws : int
        How often each row is imputed.
    within : str
        The NPMLE says how much mass an innermost interval has, not where in it. "right" puts times at its right end,
        where `TurnbullFit.survival` counts them; "left" at its left end, or where that is not included at the next
        number after it; "uniform" spreads them. Distributions without such intervals don't need it.
    closed : (bool, bool), optional
        Which ends of the rows' intervals are included; by default (False, True).
    seed : int or Generator

    Returns
    -------
    array (draws, n)
        Mass beyond the last finite end has no time: it comes out as inf, to be read as right-censored at `left`,
        whatever `within`.

    Raises
    ------
    ValueError
        Names the row that is no interval, or that cannot occur under `fit`.

    Notes
    -----
    Draws are given the estimate: its own uncertainty is not in their spread. For that, draw each from a fit to a
    bootstrap sample ("proper" imputation in Rubin's sense).

    Examples
    --------
    >>> impute([0, 0, 2, 3], [2, 2, 3, np.inf], draws=2)
    array([[ 2.,  2.,  3., inf],
           [ 2.,  2.,  3., inf]])
    """
    left, right, _ = check(left, right, None)
    if within not in WITHIN:
        raise ValueError(f"within is {within!r}, expected one of {', '.join(WITHIN)}")
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise ValueError(f"draws is {draws!r}, expected a whole number from 1 up")
    rng = np.random.default_rng(seed)
    if fit is None:
        fit = turnbull(left, right, closed=closed, backend="native")
    shift, model = _shift(fit, X, len(left))
    known = law(fit if shift is None else fit.reference, argument="fit")
    uniform = rng.random((draws, len(left)))
    if known.mass is None:
        return _by_time(known, left, right, shift, model, uniform)
    return _by_interval(known, left, right, closed or (False, True), shift, model, uniform, within, rng)


def _shift(fit: Any, X: ArrayLike | pd.DataFrame | None, n: int) -> tuple[np.ndarray | None, str]:
    """The linear predictor (n,), and what it does."""
    if not isinstance(fit, RegressionFit):
        if X is not None:
            raise ValueError(f"X: given with a {type(fit).__name__}, expected covariates only with a RegressionFit")
        return None, "ph"
    if X is None:
        if len(fit.names):
            raise ValueError(f"X: None, expected the covariates of the fit: {', '.join(fit.names)}")
        return None, fit.model
    shift = fit._predictor(X)
    if len(shift) != n:
        raise ValueError(f"X: {len(shift)} rows, expected one for every interval ({n})")
    return shift, fit.model


def _by_time(
    known: Law, left: np.ndarray, right: np.ndarray, shift: np.ndarray | None, model: str, uniform: np.ndarray
) -> np.ndarray:
    """Invert the survival function between its values at both ends."""
    if known.survival is None:
        raise ValueError("fit: knows only quantiles, expected survival(t) too")
    scale = np.exp(shift) if shift is not None and model == "aft" else 1.0
    shift = None if model == "aft" else shift
    finite = np.where(np.isfinite(right), right, 0.0)
    ends = [np.clip(known.survival(t / scale), 0.0, 1.0) for t in (left, finite)]
    top, bottom = forward(ends[0], shift, model), np.where(np.isfinite(right), forward(ends[1], shift, model), 0.0)
    exact = left == right
    _possible(exact | (top > bottom), left, right)
    back = None if shift is None else -shift
    times = known.inverse(forward(bottom + (top - bottom) * uniform, back, model)) * scale
    # Rounding may put a time on the wrong side of an end.
    return np.where(exact, left, np.clip(times, np.nextafter(left, np.inf), right))


def _by_interval(
    known: Law,
    left: np.ndarray,
    right: np.ndarray,
    closed: tuple[bool, bool],
    shift: np.ndarray | None,
    model: str,
    uniform: np.ndarray,
    within: str,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw one of the intervals with mass that lie in the row's, then a time in it."""
    first, last = _reach(known, left, right, closed)
    _possible(last >= first, left, right)
    behind = np.append(np.cumsum(known.mass[::-1])[::-1], 0.0)
    top, bottom = (forward(np.minimum(behind[i], 1.0), shift, model) for i in (first, last + 1))
    back = None if shift is None else -shift
    drawn = place(known.mass, forward(bottom + (top - bottom) * uniform, back, model))
    drawn = np.clip(drawn, first, last)
    low, high = known.intervals.T
    unknown = np.isinf(high)
    low = np.where(known.closed[:, 0], low, np.nextafter(low, np.inf))
    high = np.where(known.closed[:, 1] | unknown, high, np.nextafter(high, 0.0))
    if within == "right":
        return high[drawn]
    if within == "left":
        return np.where(unknown, np.inf, low)[drawn]
    width = np.where(unknown, 0.0, high - low)
    return np.maximum(high[drawn] - width[drawn] * rng.random(drawn.shape), low[drawn])


def _reach(known: Law, left: np.ndarray, right: np.ndarray, closed: tuple[bool, bool]) -> tuple[np.ndarray, np.ndarray]:
    """First and last of the intervals with mass that lie wholly in each row's, (n,) each; ends as in `innermost`."""
    left, right, intervals = merge_ends(left, right, known.intervals)
    times = np.unique(np.concatenate([left, right, intervals.ravel()]))
    exact = left == right
    low = 2 * np.searchsorted(times, left) + np.where(exact | closed[0], 0, 1)
    high = 2 * np.searchsorted(times, right) - np.where(exact | closed[1] | np.isinf(right), 0, 1)
    start, stop = intervals.T
    starts = 2 * np.searchsorted(times, start) + np.where(known.closed[:, 0], 0, 1)
    stops = 2 * np.searchsorted(times, stop) - np.where(known.closed[:, 1] | np.isinf(stop), 0, 1)
    return np.searchsorted(starts, low), np.searchsorted(stops, high, side="right") - 1


def _possible(possible: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    if not possible.all():
        row = int(np.flatnonzero(~possible)[0])
        raise ValueError(
            f"left: row {row}, ({left[row]}, {right[row]}], cannot occur under fit; expected a fit to rows like these"
        )
