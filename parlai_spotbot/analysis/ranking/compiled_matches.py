"""Compiled TrueSkill of one replicate after another, for many matches; its NumPy twin is in `trueskill`.

The normal distribution function is the density times Mills' ratio R, of which a Taylor series about the middle of each
cell of a table holds to rounding: R' = y R - 1. Beyond the table the library's `erfc` takes over.
"""

import math

import numpy as np
from numba import njit
from scipy.special import erfcx

REACH = 37
CELLS = 64
"""End of the table, and its cells for each unit."""

TERMS = 7

DENSITY = 1 / math.sqrt(2 * math.pi)
HALF = math.sqrt(0.5)


def _series() -> np.ndarray:
    """Return the coefficients (cells, TERMS) of Mills' ratio about the middle of each cell."""
    middle = (np.arange(REACH * CELLS) + 0.5) / CELLS
    derivatives = [math.sqrt(math.pi / 2) * erfcx(middle * HALF)]
    derivatives.append(middle * derivatives[0] - 1)
    for order in range(2, TERMS):
        derivatives.append(middle * derivatives[-1] + (order - 1) * derivatives[-2])
    factorials = [math.factorial(order) for order in range(TERMS)]
    return np.stack(derivatives, axis=1) / factorials


MILLS = _series()


@njit(cache=True)
def _mills(y, table):
    """Return R(y) for y from 0 to `REACH`."""
    cell = int(y * CELLS)
    x = y - (cell + 0.5) / CELLS
    terms = table[cell]
    value = terms[TERMS - 1]
    for order in range(TERMS - 2, -1, -1):
        value = value * x + terms[order]
    return value


@njit(cache=True)
def _below(x, density, table):
    """Return the normal distribution function of x, whose density is known."""
    if not abs(x) < REACH:
        return 0.5 * math.erfc(-x * HALF)
    part = density * _mills(abs(x), table)
    return part if x < 0 else 1 - part


@njit(cache=True)
def _density(x):
    return math.exp(-0.5 * x * x) * DENSITY


@njit(cache=True, error_model="numpy")
def _moments(high, dense, mass, moment):
    """Return V and W, see `trueskill._moments`."""
    if mass > 0:
        v = dense / mass
        return v, v * v + moment / mass
    return -high, 1.0


@njit(cache=True, error_model="numpy")
def _after_win(high, table):
    if -REACH < high <= 0:
        v = 1 / _mills(-high, table)
        return v, v * (v + high)
    dense = _density(high)
    return _moments(high, dense, _below(high, dense, table), high * dense)


@njit(cache=True, error_model="numpy")
def _after_tie(gap, margin, table):
    size = abs(gap)
    high = margin - size
    low = -margin - size
    dense = _density(high)
    dense_low = _density(low)
    mass = _below(high, dense, table) - _below(low, dense_low, table)
    v, w = _moments(high, dense - dense_low, mass, high * dense - low * dense_low)
    return (-v if gap >= 0 else v), w


def packed(winner: np.ndarray, loser: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Return one number (n,) for each match, which `play` takes apart."""
    return (winner.astype(np.int64) << 32) | (loser.astype(np.int64) << 1) | drawn


@njit(cache=True, error_model="numpy")
def play(matches, mu, variance, constants, table):
    """Play matches that are `packed`, -1 for none, with `mu` and `variance` (K,) changed in place.

    `constants` are twice the square of beta, the square of tau, and the margin of a draw.
    """
    noise, drift, draw_margin = constants
    for match in matches:
        if match < 0:
            continue
        winner = match >> 32
        loser = (match & 0xFFFFFFFF) >> 1
        var_w = variance[winner] + drift
        var_l = variance[loser] + drift
        shrink = 1 / math.sqrt(noise + var_w + var_l)
        gap = (mu[winner] - mu[loser]) * shrink
        margin = draw_margin * shrink
        if match & 1:
            v, w = _after_tie(gap, margin, table)
        else:
            v, w = _after_win(gap - margin, table)
        v *= shrink
        w *= shrink * shrink
        mu[winner] += var_w * v
        mu[loser] -= var_l * v
        variance[winner] = var_w * (1 - var_w * w)
        variance[loser] = var_l * (1 - var_l * w)
