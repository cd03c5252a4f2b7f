"""Intervals: checking them, and the innermost intervals on which the NPMLE has its mass (Turnbull 1976).

End points are compared as integers so that open and closed ends need no small offsets: with the distinct times in
order, 2i is the point t_i itself and 2i + 1 the open gap behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BACKENDS = ("auto", "native", "icenreg")


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


def check(left: Sequence, right: Sequence, weights: Sequence | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`left`, `right` and weights as arrays of one length; anything else is a `ValueError` naming the row."""
    arrays = []
    for name, values in (("left", left), ("right", right), ("weights", weights)):
        if values is None:
            arrays.append(np.ones(len(arrays[0])))
            continue
        try:
            array = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: {values!r:.60}, expected numbers") from None
        if array.ndim != 1 or (arrays and len(array) != len(arrays[0])):
            raise ValueError(f"{name}: shape {array.shape}, expected one number for every observation")
        arrays.append(array)
    left, right, weights = arrays
    if not len(left):
        raise ValueError("left: no observations, expected at least one")
    _refuse(np.isnan(left) | (left < 0) | np.isinf(left), "left", left, "a finite number from 0 up")
    _refuse(np.isnan(right) | (right < left), "right", right, "a number not below left, or inf")
    _refuse(~np.isfinite(weights) | (weights < 0), "weights", weights, "a finite number from 0 up")
    if not weights.sum() > 0:
        raise ValueError("weights: all are 0, expected at least one above 0")
    return left, right, weights


def _refuse(wrong: np.ndarray, name: str, values: np.ndarray, expected: str) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{name}: row {row} is {values[row]}, expected {expected}")


def innermost(
    left: Sequence, right: Sequence, weights: Sequence | None = None, closed: tuple[bool, bool] | None = None
) -> Intervals:
    """Check the observations and find their innermost intervals.

    `closed` says which ends of intervals with left < right are included; by default (False, True). Observations of
    weight 0 are left out.
    """
    left, right, weights = check(left, right, weights)
    left, right, weights = (x[weights > 0] for x in (left, right, weights))
    left_closed, right_closed = (False, True) if closed is None else closed
    exact = left == right
    _refuse(exact & np.isinf(right), "right", right, "a finite time where left == right")
    times = np.unique(np.concatenate([left, right]))
    low = 2 * np.searchsorted(times, left) + np.where(exact | left_closed, 0, 1)
    high = 2 * np.searchsorted(times, right) - np.where(exact | right_closed | np.isinf(right), 0, 1)
    starts, stops = np.unique(low), np.unique(high)
    # Innermost: a start and the next stop, with no other start between them.
    stop = stops[np.searchsorted(stops, starts)]
    inner = np.append(starts[1:] > stop[:-1], True)
    starts, stops = starts[inner], stop[inner]
    ends = np.stack([times[starts // 2], times[(stops + 1) // 2]], axis=-1)
    ends_closed = np.stack([starts % 2 == 0, (stops % 2 == 0) & np.isfinite(ends[:, 1])], axis=-1)
    first, last = np.searchsorted(starts, low), np.searchsorted(stops, high, side="right") - 1
    return Intervals(left, right, weights, first, last, ends, ends_closed)
