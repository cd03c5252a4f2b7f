"""Intervals: checking them, and the innermost intervals on which the NPMLE has its mass (Turnbull 1976).

Ends that differ by rounding (0.1 + 0.2 and 0.3) are one end, see `merge_ends`. End points are compared as integers so
that open and closed ends need no small offsets: with the distinct times in order, 2i is the point t_i itself and 2i + 1
the open gap behind it.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

BACKENDS = ("auto", "native", "icenreg")

ROUNDING = float(np.sqrt(np.finfo(float).eps))
"""Relative difference up to which two ends are one, 1.5e-8, as in R's `survival` (`timefix`)."""

DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period)


@dataclass(frozen=True)
class Intervals:
    """Checked observations and their innermost intervals.

    Observation i may lie in the innermost intervals ``first[i]`` to ``last[i]``; innermost interval j goes from
    ``ends[j, 0]`` to ``ends[j, 1]``, and includes an end where ``closed[j]`` says so.
    """

    left: np.ndarray
    right: np.ndarray
    weights: np.ndarray
    first: np.ndarray
    last: np.ndarray
    ends: np.ndarray
    closed: np.ndarray

    @property
    def current_status(self) -> bool:
        """Whether every observation reaches to the first or to the last innermost interval."""
        return bool(((self.first == 0) | (self.last == len(self.ends) - 1)).all())


def numbers(
    values: ArrayLike, name: str, columns: Sequence[str] = (), *, truth: bool = True, advice: str = ""
) -> np.ndarray:
    """Return `values` as an array of floats.

    Parameters
    ----------
    name : str
        The argument, for error messages.
    columns : sequence of str, optional
        The names of the columns of a matrix, for error messages.
    truth : bool
        Accept truth values, as 1 and 0.
    advice : str
        What to do about text in a column, for error messages: ``"; use C({})"``.

    Raises
    ------
    ValueError
        Names the row (and column) that holds a date, a duration, text or anything else that is no number.
    """
    if np.ma.isMaskedArray(values):
        values = values.astype(float).filled(np.nan)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{name}: {values!r:.60}, expected numbers") from None
    if array.dtype.kind in "fiu" or (truth and array.dtype.kind == "b"):
        return array.astype(float, copy=False)
    for place, value in np.ndenumerate(array):
        if _is_number(value, truth):
            continue
        column = columns[place[1]] if len(columns) else ""
        where = (f": row {place[0]}" if place else "") + (f", column {column!r}" if column else "")
        if isinstance(value, DATES):
            advice = "; convert dates and durations to numbers of one unit, such as (x - start) / pd.Timedelta(days=1)"
        elif isinstance(value, str):
            value, advice = str(value), advice.format(column)
        else:
            advice = ""
        raise ValueError(f"{name}{where} is {value!r:.60}, expected {'a number' if column else 'numbers'}{advice}")
    return array.astype(float)


def _is_number(value: object, truth: bool) -> bool:
    if isinstance(value, (*DATES, complex, np.complexfloating)):
        return False
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return value is None  # NaN, which callers refuse or take as missing
    return truth or not isinstance(value, bool | np.bool_)


def merge_ends(*arrays: np.ndarray) -> list[np.ndarray]:
    """Make ends that differ by rounding one end, the least of them.

    Neighbours among all finite values are one where they differ by at most 1.5e-8 (the square root of the machine's
    precision) times the greater of the two, or the median of all distinct ends if that is greater: the tolerance of R's
    `survival`, with the median in place of the mean, which one remote end would move. Where all ends lie far from 0,
    such as times of a clock, their range takes the place of the median. A value below 0 by no more than that is 0.

    References
    ----------
    Therneau, "Roundoff error and tied times", vignette of R's `survival`.
    """
    if all((values == np.rint(values)).all() for values in arrays):  # infinite ones too
        return list(arrays)
    every = pd.unique(np.concatenate([values.ravel() for values in arrays]))
    ends = np.sort(every[np.isfinite(every)])
    tolerance = _tolerance(ends)
    first = np.concatenate([[True], np.diff(ends) > tolerance[1:]])[: len(ends)]
    merged = ends[np.maximum.accumulate(np.where(first, np.arange(len(ends)), 0))]
    merged = np.where((merged < 0) & (merged >= -tolerance), 0.0, merged)
    moved = merged != ends
    if not moved.any():
        return list(arrays)
    places = [pd.Index(ends[moved]).get_indexer(values.ravel()).reshape(values.shape) for values in arrays]
    return [np.where(place < 0, x, merged[moved][place]) for place, x in zip(places, arrays, strict=True)]


def _tolerance(ends: np.ndarray) -> np.ndarray:
    """By how much each of distinct ends in order may differ from the one before and be the same, see `merge_ends`."""
    size = np.abs(ends)
    later = ends[ends > 0]
    scale = np.maximum(size, np.median(later) if len(later) else 0.0)
    if len(later) and later[-1] - later[0] > ROUNDING * later[-1]:
        scale = np.minimum(scale, later[-1] - later[0])
    return np.maximum(ROUNDING * scale, 16 * np.finfo(float).eps * size)


def check(left: ArrayLike, right: ArrayLike, weights: ArrayLike | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return `left`, `right` and weights as arrays of one length, ends that differ by rounding made one.

    Raises
    ------
    ValueError
        Names the row that is no interval, or has no weight that can be used.
    """
    ends = [numbers(left, "left", truth=False), numbers(right, "right", truth=False)]
    arrays = [*ends, np.ones(ends[0].shape) if weights is None else numbers(weights, "weights")]
    for name, array in zip(("left", "right", "weights"), arrays, strict=True):
        if array.ndim != 1 or len(array) != len(arrays[0]):
            raise ValueError(f"{name}: shape {array.shape}, expected one number for every observation")
    left, right, weights = arrays
    if not len(left):
        raise ValueError("left: no observations, expected at least one")
    _refuse(~np.isfinite(left), "left", left, "a finite number from 0 up")
    _refuse(np.isnan(right), "right", right, "a number not below left, or inf")
    left, right = merge_ends(left, right)
    _refuse(left < 0, "left", left, "a finite number from 0 up")
    _refuse(right < left, "right", right, "a number not below left, or inf")
    _refuse(~np.isfinite(weights) | (weights < 0), "weights", weights, "a finite number from 0 up")
    if not weights.sum() > 0:
        raise ValueError("weights: all are 0, expected at least one above 0")
    return left, right, weights


def _refuse(wrong: np.ndarray, name: str, values: np.ndarray, expected: str) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{name}: row {row} is {values[row]}, expected {expected}")


def innermost(
    left: ArrayLike, right: ArrayLike, weights: ArrayLike | None = None, closed: tuple[bool, bool] | None = None
) -> Intervals:
    """Check the observations and find their innermost intervals, see `arrange`."""
    return arrange(*check(left, right, weights), closed)


def arrange(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, closed: tuple[bool, bool] | None = None
) -> Intervals:
    """Find the innermost intervals of observations that `check` returned.

    `closed` says which ends of intervals with left < right are included; by default (False, True). Observations of
    weight 0 are left out.
    """
    if not weights.all():
        left, right, weights = (x[weights > 0] for x in (left, right, weights))
    left_closed, right_closed = (False, True) if closed is None else closed
    exact = left == right
    _refuse(exact & np.isinf(right), "right", right, "a finite time where left == right")
    times, low, high = _ranks(left, right)
    low *= 2
    high *= 2
    low += ~exact if not left_closed else 0
    high -= ~(exact | np.isinf(right)) if not right_closed else 0
    # Which places are the start, or the stop, of an observation; and how many stops there are up to each place.
    starts_at, stops_at = np.zeros(2 * len(times), dtype=bool), np.zeros(2 * len(times), dtype=bool)
    starts_at[low] = True
    stops_at[high] = True
    starts, stops = np.flatnonzero(starts_at), np.flatnonzero(stops_at)
    before = np.cumsum(stops_at) - stops_at
    # Innermost: a start and the next stop, with no other start between them.
    stop = stops[before[starts]]
    inner = np.append(starts[1:] > stop[:-1], True)
    starts, stops = starts[inner], stop[inner]
    ends = np.stack([times[starts // 2], times[(stops + 1) // 2]], axis=-1)
    ends_closed = np.stack([starts % 2 == 0, (stops % 2 == 0) & np.isfinite(ends[:, 1])], axis=-1)
    return Intervals(
        left,
        right,
        weights,
        _counts(starts, len(starts_at), inclusive=False)[low],
        _counts(stops, len(stops_at), inclusive=True)[high] - 1,
        ends,
        ends_closed,
    )


def _ranks(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct times in order, from 0 to inf, and the place of every left and right end among them."""
    # The many ends at 0 and inf need no sorting.
    inner_left, inner_right = left > 0, (right > 0) & np.isfinite(right)
    values = np.concatenate([left[inner_left], right[inner_right]])
    order = np.argsort(values)
    ordered = values[order]
    new = np.ones(len(values), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    kind = np.int32 if len(left) < 2**29 else np.int64
    place = np.empty(len(values), dtype=kind)
    place[order] = np.cumsum(new, dtype=kind)
    times = np.concatenate([[0.0], ordered[new], [np.inf]])
    low = np.zeros(len(left), dtype=kind)
    high = np.where(right > 0, kind(len(times) - 1), kind(0))
    count = int(np.count_nonzero(inner_left))
    low[inner_left] = place[:count]
    high[inner_right] = place[count:]
    return times, low, high


def _counts(places: np.ndarray, size: int, *, inclusive: bool) -> np.ndarray:
    """For every place below `size`, how many of `places` come before it, or up to it."""
    mark = np.zeros(size, dtype=np.int32)
    mark[places] = 1
    total = np.cumsum(mark, dtype=np.int32)
    return total if inclusive else total - mark
