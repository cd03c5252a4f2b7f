"""Wealth that settles a pair, so that the chance of any wrong verdict among all pairs stays below alpha.

This is closed testing by mean wealth (Vovk & Wang 2021, Ann. Stat. 49) over what can be true at once. Being equal is
transitive (Shaffer 1986, JASA 81): the contestants are divided into parts, within each all are equal, and pairs of two
parts may at most be apart by the margin.
"""

from __future__ import annotations

from functools import cache

import numpy as np

LARGEST = 8
"""Contestants among whom the best of all 4,140 divisions is found."""

SHIFT = 2
"""Where there are more, groups of so many are shifted by this, and the least bound is taken."""

MUCH = 50.0
"""Logarithms of wealth are taken as at most this where they are added."""

NEVER = -1e30
"""The value of a pair that is known to differ, or of a contestant and the scale."""


def needed(
    differ: np.ndarray, same: np.ndarray, verdict: np.ndarray, strengths: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the wealth that settles each pair as different and as equal, (..., K, K) each.

    In each case that can be true, what the wealth of its pairs lacks of 1 / alpha each must be made up by the pair.

    Parameters
    ----------
    differ, same : arrays (..., K, K)
        Logarithms of the wealth against "equal" and against "apart by the margin" (-inf: no margin).
    verdict : array of int (..., K, K)
        As in `Evidence`.
    strengths : array (..., K)
        By which contestants who are likely to be equal stand beside each other.
    """
    least = 1 / alpha
    equal, apart = (least - np.exp(np.minimum(each, MUCH)) for each in (differ, same))
    apart = np.where((verdict == 0) & ~np.isneginf(same), np.maximum(apart, 0), 0)
    off = 1 - np.eye(verdict.shape[-1])
    equal = np.where(np.abs(verdict) % 2 == 1, NEVER, equal - apart) * off
    total, others = _greatest(equal, np.argsort(strengths, -1))
    rest = (apart * off).sum((-2, -1), keepdims=True) / 2 - apart
    return tuple(np.log(least + np.maximum(rest + more, 0)) for more in (others, total))


def _greatest(value: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the greatest sums that pairs within the parts of a division can have, or bounds above them.

    Contestants are taken in their order, in groups of at most `LARGEST`; pairs of two groups count where they are
    positive, be they in one part or not.

    Parameters
    ----------
    value : array (..., K, K)
        Of each pair, symmetric; 0 on the diagonal.
    order : array of int (..., K)
        Contestants.

    Returns
    -------
    total : array (..., 1, 1)
        Over all divisions.
    others : array (..., K, K)
        Over those in which the pair is in one part, less its own value.
    """
    size = value.shape[-1]
    most = min(size, LARGEST)
    shifts = range(0, LARGEST if size > LARGEST else 1, SHIFT)
    number = np.arange(-(-(size + shifts[-1]) // most))
    wide = _shifted(_arranged(value, order), shifts, most * len(number))
    together = np.repeat(number, most)[:, None] == np.repeat(number, most)
    outer = np.where(together, 0, np.maximum(wide, 0))
    blocks = wide.reshape(*wide.shape[:-2], len(number), most, len(number), most)
    best, with_pair = _within(blocks[..., number, :, number, :])
    blocks[..., number, :, number, :] = with_pair - best
    total = outer.sum((-2, -1), keepdims=True) / 2 + best.sum(0)
    others = total + np.where(together, wide, -outer)
    bound = np.min([one[..., shift:, shift:][..., :size, :size] for one, shift in zip(others, shifts, strict=True)], 0)
    return total.min(0), _arranged(bound, np.argsort(order, -1))


def _shifted(value: np.ndarray, shifts: range, wide: int) -> np.ndarray:
    """Return the pairs' values (shifts, ..., wide, wide), moved by each of the shifts and filled up with 0."""
    size = value.shape[-1]
    moved = np.zeros((len(shifts), *value.shape[:-2], wide, wide))
    for one, shift in zip(moved, shifts, strict=True):
        one[..., shift : shift + size, shift : shift + size] = value
    return moved


def _arranged(value: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the pairs' values (..., K, K) with rows and columns in this order (..., K)."""
    size = value.shape[-1]
    places = (order[..., :, None] * size + order[..., None, :]).reshape(*order.shape[:-1], size**2)
    places = np.broadcast_to(places, (*value.shape[:-2], size**2))
    return np.take_along_axis(value.reshape(places.shape), places, -1).reshape(value.shape)


def _within(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the greatest sum of a group (..., 1, 1), and those with each pair, less its own value (..., m, m).

    The best division of a set is the best part with its first contestant beside the best division of the others.
    """
    a, b, together, steps, holding = _sets(value.shape[-1])
    pair_values = value[..., a, b]
    part = np.ascontiguousarray(np.moveaxis(pair_values @ together, -1, 0))  # by set, so that sets are taken fast
    best = np.zeros(part.shape)
    for sets, parts, remainders in steps:
        best[sets] = (part.take(parts, 0) + best.take(remainders, 0)).max(0)
    with_pair = (part + best[::-1]).take(holding, 0).max(0)
    others = np.zeros(value.shape)
    others[..., a, b] = np.moveaxis(with_pair, 0, -1) - pair_values
    return best[-1][..., None, None], others + np.swapaxes(others, -1, -2)


@cache
def _sets(
    size: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[np.ndarray, np.ndarray, np.ndarray]], np.ndarray]:
    """Return tables of all sets of contestants, each the bits of its number.

    They are the contestants a and b of each pair; which pairs each set holds (pairs, sets); by the number of
    contestants from 2 up the sets, their parts with the first one, and what these leave of them; and the sets that
    hold each pair (sets, pairs).
    """
    every = np.arange(2**size)
    a, b = np.triu_indices(size, 1)
    together = (every >> a[:, None] & 1) * (every >> b[:, None] & 1)
    members = (every[:, None] >> np.arange(size) & 1).sum(1)
    is_part = (every & ~every[:, None]) == 0
    has_first = (every & every[:, None] & -every[:, None]) > 0
    steps = []
    for count in range(2, size + 1):
        sets = np.flatnonzero(members == count)
        parts = np.nonzero((is_part & has_first)[sets])[1].reshape(len(sets), -1).T
        steps.append((sets, parts, sets - parts))
    return a, b, together.astype(float), steps, np.nonzero(together)[1].reshape(len(a), -1).T
