"""Binomial numbers by table: what the experiment draws most, with the same few probabilities over and over.

All chances of a sample of m conversations are fractions with a denominator up to m. A number of n trials is the sum of
numbers of 1 to 7 times 1, 8, 64, … trials, the octal digits of n; each of these has an alias table (Walker 1977, ACM
Trans. Math. Softw. 3; built as by Vose 1991, IEEE Trans. Softw. Eng. 17), shared by all repetitions. So a number costs
one look-up a digit, a quarter of the cost of rejection. Tables leave out tails below 1e-13 and round chances to 2^-32.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from parlai_spotbot.analysis.stability.random_streams import GOLDEN, binomial, log_factorials, mixed

MOST = 64
"""Largest denominator that has tables; beyond it numbers are drawn by `binomial`."""
DIGITS = 7
TAIL = math.log(1e-13)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


class Tables(NamedTuple):
    """Tables of fractions: ``meta`` (fractions, levels * 7, 3) says where a table begins, its length, its first number;
    and log factorials."""

    meta: np.ndarray
    entries: np.ndarray
    log_factorial: np.ndarray


def build_for(largest: int, draws: int, pairs: int) -> Tables:
    """Return tables for samples of up to `largest` conversations and for as many of `draws` matches as one of that many
    pairs can well have."""
    most = max(largest, min(draws, int(draws / pairs + 6 * math.sqrt(draws / pairs)) + 1))
    levels = max(1, -(-most.bit_length() // 3))
    log_factorial = log_factorials(max(draws, largest, 8**levels))
    return Tables(*build(min(MOST, largest), levels, log_factorial), log_factorial)


@njit(nogil=True, cache=True)
def row_of(numerator, denominator):
    """Place of a fraction among all."""
    return denominator * (denominator + 1) // 2 + numerator


@njit(nogil=True, cache=True)
def _log_chance(n, k, log_p, log_q, log_factorial):
    """Log probability of k successes in n trials."""
    return log_factorial[n] - log_factorial[k] - log_factorial[n - k] + k * log_p + (n - k) * log_q


@njit(nogil=True, cache=True)
def _support(n, p, log_factorial):
    """First and last number of successes with a chance above the tail."""
    log_p = math.log(p)
    log_q = math.log1p(-p)
    mode = min(n, math.floor((n + 1) * p))
    first = mode
    last = mode
    while first > 0 and _log_chance(n, first - 1, log_p, log_q, log_factorial) >= TAIL:
        first -= 1
    while last < n and _log_chance(n, last + 1, log_p, log_q, log_factorial) >= TAIL:
        last += 1
    return first, last


@njit(nogil=True, cache=True)
def _alias(weights, entries):
    """Fill `entries` (m,) with an alias table of the weights: threshold of 32 bits, then the alias."""
    m = len(weights)
    weights = weights * (m / weights.sum())
    small = np.empty(m, dtype=np.int64)
    large = np.empty(m, dtype=np.int64)
    smalls = larges = 0
    for k in range(m):
        if weights[k] < 1.0:
            small[smalls] = k
            smalls += 1
        else:
            large[larges] = k
            larges += 1
    while smalls > 0 and larges > 0:
        smalls -= 1
        k = small[smalls]
        other = large[larges - 1]
        entries[k] = (np.uint64(weights[k] * 4294967295.0) << HALF) | np.uint64(other)
        weights[other] -= 1.0 - weights[k]
        if weights[other] < 1.0:
            larges -= 1
            small[smalls] = other
            smalls += 1
    for k in small[:smalls]:
        entries[k] = (LOW << HALF) | np.uint64(k)
    for k in large[:larges]:
        entries[k] = (LOW << HALF) | np.uint64(k)


@njit(nogil=True, cache=True)
def build(most, levels, log_factorial):
    """Return `meta` and `entries` for fractions with denominators up to `most` and trials below 8 to the power
    `levels`."""
    meta = np.zeros((row_of(most, most) + 1, levels * DIGITS, 3), dtype=np.int32)
    entries = np.empty(1 << 16, dtype=np.uint64)
    total = 0
    for denominator in range(2, most + 1):
        for numerator in range(1, denominator):
            p = numerator / denominator
            for place in range(levels * DIGITS):
                n = (place % DIGITS + 1) * 8 ** (place // DIGITS)
                first, last = _support(n, p, log_factorial)
                length = last - first + 1
                while total + length > len(entries):
                    entries = np.concatenate((entries, np.empty_like(entries)))
                weights = np.empty(length)
                for i in range(length):
                    weights[i] = math.exp(_log_chance(n, first + i, math.log(p), math.log1p(-p), log_factorial))
                _alias(weights, entries[total : total + length])
                meta[row_of(numerator, denominator), place] = (total, length, first)
                total += length
    return meta, entries[:total]


@njit(nogil=True, cache=True)
def successes(state, n, numerator, denominator, tables):
    """Successes in `n` trials of probability ``numerator / denominator`` (0 where that is 0 / 0)."""
    meta = tables.meta
    entries = tables.entries
    if numerator <= 0 or n <= 0:
        return 0
    if numerator >= denominator:
        return n
    row = row_of(numerator, denominator)
    if row >= len(meta) or (n >> (3 * (meta.shape[1] // DIGITS))) > 0:
        return binomial(state, n, numerator / denominator, tables.log_factorial)
    count = 0
    place = -1
    while n > 0:
        digit = n & 7
        if digit > 0:
            begin = meta[row, place + digit, 0]
            length = meta[row, place + digit, 1]
            first = meta[row, place + digit, 2]
            state[0] = state[0] + GOLDEN
            drawn = mixed(state[0])
            k = ((drawn & LOW) * np.uint64(length)) >> HALF
            entry = entries[begin + np.int64(k)]
            if (drawn >> HALF) >= (entry >> HALF):
                k = entry & LOW
            count += first + np.int64(k)
        place += DIGITS
        n >>= 3
    return count
