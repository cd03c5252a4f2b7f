"""Bootstrap replicates of new studies as a compiled loop, with the numbers that NumPy's multinomial draws.

NumPy inverts a binomial distribution by search where few successes are expected, and computes its chances again in
every draw. Here they are computed once for all draws of a size.
"""

import math

import numpy as np
from numba import njit

MOST = 60
"""Conversations of a pair up to which NumPy inverts: where the rarer outcome is expected up to 30 times."""


@njit(nogil=True, cache=True)
def _steps(n, p):
    """Return how many numbers of successes NumPy looks at, and the chance of none, for p up to 1/2."""
    q = 1.0 - p
    bound = int(min(float(n), n * p + 10.0 * math.sqrt(n * p * q + 1)))
    return bound + 1, math.exp(n * math.log(q))


@njit(nogil=True, cache=True)
def _fill(n, p, row, first, entries):
    """Write the chances of n trials into `entries` from `first` on, and where they are into `row`; return their end."""
    rarer = p
    if p > 0.5:
        rarer = 1.0 - p
    length, chance = _steps(n, rarer)
    row[0] = first
    row[1] = length
    row[2] = p > 0.5
    for k in range(length):
        entries[first + k] = chance
        chance = ((n - k) * rarer * chance) / ((k + 1) * (1.0 - rarer))
    return first + length


@njit(nogil=True, cache=True)
def chances_of(size):
    """Return chances for all that can be drawn with shares of `size` conversations.

    Returns
    -------
    rows : int array (size + 1, size + 1, size + 1, 3)
        Of wins, ties and trials: where the chances begin, how many there are, whether they are those of failures. Wins
        are drawn with as many trials as conversations (row ``[wins, 0, 0]``), then ties with what is left.
    entries : float array
    """
    rows = np.zeros((size + 1, size + 1, size + 1, 3), dtype=np.int32)
    entries = np.empty((size + 1) ** 2 * (size + 2))
    end = 0
    for wins in range(1, size + 1):
        end = _fill(size, wins / size, rows[wins, 0, 0], end, entries)
    for wins in range(size):
        for ties in range(1, size - wins + 1):
            p = (ties / size) / (1.0 - wins / size)
            for n in range(1, size + 1):
                if end + size + 1 > len(entries):
                    entries = np.concatenate((entries, np.empty_like(entries)))
                end = _fill(n, p, rows[wins, ties, n], end, entries)
    return rows, entries[:end]


@njit(nogil=True, cache=True)
def _drawn(rng, n, row, entries):
    """Return successes in `n` trials."""
    first = row[0]
    length = row[1]
    if length == 0:  # of probability 0
        return 0
    left = rng.random()
    k = 0
    while left > entries[first + k]:
        left -= entries[first + k]
        k += 1
        if k == length:
            left = rng.random()
            k = 0
    if row[2]:
        return n - k
    return k


@njit(nogil=True, cache=True)
def replicate_scores(rng, sample, pairs, opponents, chances, scores):
    """Draw one replicate of `sample` (P, 3): mean of wins less losses -> `scores` (K,)."""
    rows, entries = chances
    scores[:] = 0.0
    size = len(rows) - 1
    for pair in range(len(sample)):
        wins = sample[pair, 0]
        won = _drawn(rng, size, rows[wins, 0, 0], entries)
        left = size - won
        if left > 0:
            left -= _drawn(rng, left, rows[wins, sample[pair, 1], left], entries)
        scores[pairs[pair, 0]] += won - left
        scores[pairs[pair, 1]] -= won - left
    scores /= opponents


@njit(nogil=True, cache=True)
def rank_counts(rng, sample, pairs, opponents, replicates, chances, counts):
    """Count how often each bot has each rank among replicates, at best and at worst: `counts` (2, K, K)."""
    bots = len(opponents)
    scores = np.zeros(bots)
    counts[:] = 0
    for _ in range(replicates):
        replicate_scores(rng, sample, pairs, opponents, chances, scores)
        for bot in range(bots):
            above = 0
            level = 0
            for other in range(bots):
                above += scores[other] > scores[bot]
                level += scores[other] == scores[bot]
            counts[0, bot, above] += 1
            counts[1, bot, above + level - 1] += 1
