"""Random numbers for compiled loops: a stream per repetition, so that results don't depend on the number of threads.

`uniform` is SplitMix64 (Steele, Lea & Flood 2014, OOPSLA). `binomial` is exact: it inverts the distribution where few
successes are expected, and is Hörmann's (1993, J. Stat. Comput. Simul. 46) transformed rejection BTRS elsewhere.
"""

import math

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
SHIFT = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))
UNIT = 2.0**-53
FEW = 10.0
"""Expected successes below which inverting takes fewer steps than rejecting."""


@njit(nogil=True, cache=True)
def mixed(x):
    """A bijection of 64 bits that leaves no pattern; the output function of SplitMix64."""
    x = (x ^ (x >> SHIFT[0])) * MIX[0]
    x = (x ^ (x >> SHIFT[1])) * MIX[1]
    return x ^ (x >> SHIFT[2])


@njit(nogil=True, cache=True)
def start(state, base, repetition):
    """Set `state` (1,) to where the stream of this repetition begins."""
    state[0] = mixed(base ^ mixed(np.uint64(repetition) + GOLDEN))


@njit(nogil=True, cache=True)
def uniform(state):
    """The next number of [0, 1)."""
    state[0] = state[0] + GOLDEN
    return float(mixed(state[0]) >> SHIFT[3]) * UNIT


@njit(nogil=True, cache=True)
def binomial(state, n, p, log_factorial):
    """Successes in `n` trials of probability `p`; `log_factorial` reaches to n at least."""
    if n <= 0 or p <= 0.0:
        return 0
    if p >= 1.0:
        return n
    rarer = min(p, 1.0 - p)
    k = _inverted(state, n, rarer) if n * rarer < FEW else _rejected(state, n, rarer, log_factorial)
    return n - k if p > 0.5 else k


@njit(nogil=True, cache=True)
def _inverted(state, n, p):
    ratio = p / (1.0 - p)
    none = math.exp(n * math.log1p(-p))
    while True:
        left = uniform(state)
        chance = none
        k = 0
        while left > chance and k <= n:
            left -= chance
            k += 1
            chance *= ((n + 1) / k - 1.0) * ratio
        if k <= n:  # else rounding has eaten the last step: draw again
            return k


@njit(nogil=True, cache=True)
def _rejected(state, n, p, log_factorial):
    spread = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    surely = 0.92 - 4.2 / b
    while True:
        v = uniform(state)
        u = uniform(state) - 0.5
        near = 0.5 - abs(u)
        if near <= 0.0:
            continue
        k = math.floor((2.0 * a / near + b) * u + centre)
        if near >= 0.07 and v <= surely:
            return k
        if k < 0 or k > n or v <= 0.0:
            continue
        mode = math.floor((n + 1) * p)
        height = log_factorial[mode] + log_factorial[n - mode] - log_factorial[k] - log_factorial[n - k]
        v *= (2.83 + 5.1 / b) * spread / (a / (near * near) + b)
        if math.log(v) <= height + (k - mode) * math.log(p / (1.0 - p)):
            return k


def log_factorials(most: int) -> np.ndarray:
    """log 0!, …, log most!"""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])
