"""Compiled loops over third contestants, for one study of many contestants; their NumPy twins are in `betting`.

With odds of losing to c, o, `against_third` gives (1 + o) / `divisor` as the weight of a match.
NumPy's rules for division by zero are what lets the inner loops be vectorised.
"""

import numpy as np
from numba import njit

from parlai_spotbot.sequential.evidence import TINY


@njit(cache=True, error_model="numpy")
def divisor(of_a, of_b, odds):
    """Return what the weight of a match is divided by, of single numbers."""
    reach = max(2 * of_a, 2 * of_b) * max(odds, 1.0)
    return max((of_a + of_b) * (1 + odds), reach, TINY)


@njit(cache=True, error_model="numpy")
def variance_by_thirds(chance, strengths):
    """Return the variance of one answer by matches of either with third contestants."""
    size = len(strengths)
    worth = np.exp(-strengths / 2)
    wins = np.exp(strengths)
    terms = np.zeros(size)
    variance = np.zeros((size, size))
    for a in range(size):
        for b in range(a + 1, size):
            against = worth[a] * worth[b]
            for c in range(size):
                of_a = chance[a, c]
                of_b = chance[b, c]
                odds = against * wins[c]
                terms[c] = (of_a + of_b) * (of_a * of_b) * odds / divisor(of_a, of_b, odds) ** 2
            variance[a, b] = variance[b, a] = terms.sum()
    return variance


@njit(cache=True, error_model="numpy")
def gain_through_thirds(chance, strengths, gain):
    """Return what a match of a with c (a, c) gains for pairs of a and others, whose gain (a, b) is known."""
    size = len(strengths)
    worth = np.exp(-strengths / 2)
    wins = np.exp(strengths)
    through = np.zeros((size, size))
    for a in range(size):
        for b in range(a + 1, size):
            against = worth[a] * worth[b]
            for c in range(size):
                of_a = chance[a, c]
                of_b = chance[b, c]
                odds = against * wins[c]
                cut = (1 + odds) / divisor(of_a, of_b, odds)
                through[a, c] += gain[a, b] * (cut * of_b) ** 2
                through[b, c] += gain[a, b] * (cut * of_a) ** 2
    return through
