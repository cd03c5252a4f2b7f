"""Compiled loops (numba) of the bootstrap and of TrueSkill; each has a NumPy twin beside the function that calls it.

Imported only inside functions: importing numba takes longer than many a command.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

ROOT_HALF = math.sqrt(0.5)
DENSITY = 1 / math.sqrt(2 * math.pi)


@njit(cache=True)
def product_sums(cells, first, first_counts, second, second_counts, sums):  # pragma: no cover
    """Add to ``sums[cell, r]`` each row's ``first_counts[first, r] * second_counts[second, r]``, in place."""
    for row in range(len(cells)):
        out = sums[cells[row]]
        left, right = first_counts[first[row]], second_counts[second[row]]
        for r in range(out.shape[0]):
            out[r] += np.int32(left[r]) * np.int32(right[r])


@njit(cache=True)
def count_picks(share, start, size, counts):  # pragma: no cover
    """Each draw ``share[r, slot]`` of [0, 1) picks one of the `size` clusters from `start` on: ``counts[pick, r]``."""
    for r in range(share.shape[0]):
        for slot in range(share.shape[1]):
            counts[start[slot] + int(share[r, slot] * size[slot]), r] += 1


@njit(cache=True)
def _cdf(x, coefficients):  # pragma: no cover
    if len(coefficients) == 0:
        return 0.5 * math.erfc(-x * ROOT_HALF)
    z = abs(x) * ROOT_HALF
    t = 1 / (1 + z / 2)
    power = 0.0
    for c in coefficients:
        power = power * t + c
    tail = t * math.exp(-z * z + power)
    return 0.5 * (2 - tail if x > 0 else tail)


@njit(cache=True)
def _density(x):  # pragma: no cover
    return DENSITY * math.exp(-0.5 * x * x)


@njit(cache=True)
def _corrections(gap, margin, drawn, coefficients):  # pragma: no cover
    """V and W of one match."""
    if not drawn:
        x = gap - margin
        mass = _cdf(x, coefficients)
        if mass <= 0:
            return -x, 1.0
        v = _density(x) / mass
        return v, v * (v + x)
    high, low = margin - abs(gap), -margin - abs(gap)
    mass = _cdf(high, coefficients) - _cdf(low, coefficients)
    if mass > 0:
        dense_high, dense_low = _density(high), _density(low)
        shift = (dense_low - dense_high) / mass
        spare = (high * dense_high - low * dense_low) / mass
    else:
        shift = high
        spare = 1 - high * high
    return (-shift if gap < 0 else shift), shift * shift + spare


@njit(cache=True)
def play(order, winner, loser, drawn, tau, beta, margin, coefficients, mu, variance):  # pragma: no cover
    """Play each replicate's matches, ``order[r, step]`` (-1 is none), in place on mu and variance (replicates, K)."""
    drift, noise = tau * tau, 2 * beta * beta
    for r in range(order.shape[0]):
        for match in order[r]:
            if match < 0:
                continue
            w, l = winner[match], loser[match]  # noqa: E741
            var_w, var_l = variance[r, w] + drift, variance[r, l] + drift
            total = noise + var_w + var_l
            spread = math.sqrt(total)
            v, shrink = _corrections((mu[r, w] - mu[r, l]) / spread, margin / spread, drawn[match], coefficients)
            mu[r, w] += var_w / spread * v
            mu[r, l] -= var_l / spread * v
            variance[r, w] = var_w * (1 - var_w / total * shrink)
            variance[r, l] = var_l * (1 - var_l / total * shrink)
