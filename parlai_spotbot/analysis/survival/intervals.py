"""Intervals: checking them, and the innermost intervals on which the NPMLE has its mass (Turnbull 1976).

Ends that differ by rounding (0.1 + 0.2 and 0.3) are one end, see `merge_ends`. End points are compared as integers so
that open and closed ends need no small offsets: with the distinct times in order, 2i is the point t_i itself and 2i + 1
the open gap behind it.
"""

import reprlib
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple

BACKENDS = ("auto", "native", "icenreg")

ROUNDING = 1e-12
"""Times that differ by at most this share of the larger one are the same time.

It is more than the rounding of some sums and quotients leaves. R's survival has 1.5e-8, which would make times one
that count seconds since 1970 and are 25 seconds apart; this makes 2 milliseconds one.
"""

ENTRY = (
    "entry: left truncation (delayed entry) is not supported; leave entry out and keep only the rows that were "
    "observed from time 0, or fit right-censored times with lifelines, whose fitters take `entry`"
)


@dataclass(frozen=True)
class Intervals:
    """Checked observations and their innermost intervals.

    Observation i may lie in the innermost intervals ``first[i]`` to ``last[i]``; innermost interval j goes from
    ``ends[j, 0]`` to ``ends[j, 1]``, and includes an end where ``closed[j]`` is true.
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
        """Return whether every observation reaches to the first or to the last innermost interval."""
        return bool(((self.first == 0) | (self.last == len(self.ends) - 1)).all())


def numbers(values: ArrayLike, name: str) -> np.ndarray:
    """Return `values` as an array of floats; a `ValueError` names the argument that holds anything else."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "mMc":
            raise TypeError(f"{array.dtype}")
        if array.dtype.kind == "U":
            array = array.astype(object)  # so that an error shows the text as Python writes it
        return array.astype(float)
    except (TypeError, ValueError, OverflowError) as err:
        problem = "rows of different lengths" if "inhomogeneous" in str(err) else err
        raise ValueError(
            f"{name}: {problem}; expected numbers, and dates or durations as numbers of one unit"
        ) from None


def check_choice(value: str, name: str, choices: Collection[str]) -> None:
    """Raise a `ValueError` that names the argument and its `choices` unless `value` is one of them."""
    if not (isinstance(value, str) and value in choices):
        raise ValueError(f"{name} is {reprlib.repr(value)}, expected one of {', '.join(choices)}")


def merge_ends(*arrays: np.ndarray) -> list[np.ndarray]:
    """Make ends that differ by rounding (0.1 + 0.2 and 0.3) one end: the smallest of them.

    Neighbours are compared, as by ``timefix`` of R's survival, but each pair by its own size: the unit of time doesn't
    matter, and a very large end leaves small ones apart. A negative end that is nothing beside the smallest positive
    one is 0.
    """
    ends = np.unique(np.concatenate([values[_inner(values)] for values in arrays]))
    if not len(ends):
        return list(arrays)
    near = np.append(False, np.diff(ends) <= ROUNDING * ends[1:])
    moved = ends[near]
    targets = np.maximum.accumulate(np.where(near, 0.0, ends))[near]
    merged = []
    for values in arrays:
        values = np.where((values < 0) & (values >= -ROUNDING * ends[0]), 0.0, values)
        if len(moved):
            place = np.minimum(np.searchsorted(moved, values), len(moved) - 1)
            values = np.where(moved[place] == values, targets[place], values)
        merged.append(values)
    return merged


def _inner(values: np.ndarray) -> np.ndarray:
    return (values > 0) & np.isfinite(values)


def check(left: ArrayLike, right: ArrayLike, weights: ArrayLike | None, entry: ArrayLike | None = None) -> ArrayTriple:
    """Return `left`, `right` and weights as arrays of one length, ends that differ by rounding made one.

    Raises
    ------
    ValueError
        Names the row that is no interval, or has no weight that can be used; or says that `entry` is not supported.
    """
    if entry is not None:
        raise ValueError(ENTRY)
    ends = [numbers(left, "left"), numbers(right, "right")]
    arrays: list[np.ndarray] = [*ends, np.ones(ends[0].shape) if weights is None else numbers(weights, "weights")]
    for name, array in zip(("left", "right", "weights"), arrays, strict=True):
        if array.ndim != 1 or len(array) != len(arrays[0]):
            raise ValueError(f"{name}: shape {array.shape}, expected one number for every observation")
    left, right, weights = arrays
    if not len(left):
        raise ValueError("left: no observations, expected at least one")
    refuse(~np.isfinite(left), "left", left, "a finite number from 0 up")
    refuse(np.isnan(right), "right", right, "a number not below left, or inf")
    left, right = merge_ends(left, right)
    refuse(left < 0, "left", left, "a finite number from 0 up")
    refuse(right < left, "right", right, "a number not below left, or inf")
    refuse(~np.isfinite(weights) | (weights < 0), "weights", weights, "a finite number from 0 up")
    if not 0 < weights.sum() < np.inf:
        raise ValueError(f"weights: their sum is {weights.sum()}, expected a finite number above 0")
    return left, right, weights


def refuse(wrong: np.ndarray, name: str, values: np.ndarray, expected: str) -> None:
    """Raise a `ValueError` that names the first row of `values` that is `wrong` (n,)."""
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"{name}: row {row} is {values.tolist()[row]!r}, expected {expected}")


def arrange(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, closed: tuple[bool, bool] | None = None
) -> Intervals:
    """Find the innermost intervals of observations that `check` returned.

    `closed` says which ends of intervals with left < right are included; by default (False, True). Observations of
    weight 0 are left out.
    """
    if not weights.all():
        kept = weights > 0
        left = left[kept]
        right = right[kept]
        weights = weights[kept]
    _check_closed(closed)
    refuse((left == right) & np.isinf(right), "right", right, "a finite time where left == right")
    if closed is None:
        closed = (False, True)
    low, high, times = _places(left, right, *closed)
    starts, stops = _innermost(low, high)
    ends = np.stack([times[starts // 2], times[(stops + 1) // 2]], axis=-1)
    ends_closed = np.stack([starts % 2 == 0, (stops % 2 == 0) & np.isfinite(ends[:, 1])], axis=-1)
    size = 2 * len(times)
    first = np.bincount(starts + 1, minlength=size).cumsum()[low]
    last = np.bincount(stops, minlength=size).cumsum()[high] - 1
    return Intervals(left, right, weights, first, last, ends, ends_closed)


def _places(left: np.ndarray, right: np.ndarray, left_closed: bool, right_closed: bool) -> ArrayTriple:
    """Return both ends of intervals as integers, see the module, and the distinct times, with 0 and inf."""
    both = np.stack([left, right])
    inner = _inner(both)  # the many ends at 0 and inf need no sorting
    times, place = np.unique(both[inner], return_inverse=True)
    places = np.where(both > 0, np.int32(2 * len(times) + 2), np.int32(0))
    places[inner] = 2 * place + 2
    low, high = places
    exact = left == right
    if not left_closed:
        low += ~exact
    if not right_closed:
        high -= ~(exact | np.isinf(right))
    return low, high, np.concatenate([[0.0], times, [np.inf]])


def _innermost(low: np.ndarray, high: np.ndarray) -> ArrayPair:
    """Return starts and stops of the innermost intervals: a start and the next stop, with no start between them."""
    starts = np.flatnonzero(np.bincount(low))
    stops = np.flatnonzero(np.bincount(high))
    stop = stops[np.searchsorted(stops, starts)]
    inner = np.append(starts[1:] > stop[:-1], True)
    return starts[inner], stop[inner]


def _check_closed(closed: tuple[bool, bool] | None) -> None:
    """Raise a `ValueError` unless `closed` is None or two booleans."""
    if closed is None:
        return
    two = isinstance(closed, list | tuple | np.ndarray) and len(closed) == 2
    if not two or not all(isinstance(end, int | np.bool_) for end in closed):
        raise ValueError(f"closed is {closed!r}, expected two booleans: is the left end included, and the right one")
