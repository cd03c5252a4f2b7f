"""Quadratic programs with coordinates bounded below by 0: the inner step of the survival room's Newton methods.

Solved by block principal pivoting (Portugal, Júdice & Vicente 1994, Math. Comp. 63; Kim & Park 2011, SIAM J. Sci.
Comput. 33), which starts well from a guess of which coordinates are positive and changes many of them at a time.
"""

import numpy as np
from scipy.linalg.lapack import dposv

RIDGE = 1e-14
PATIENCE = 4


def nonnegative_quadratic(
    matrix: np.ndarray, linear: np.ndarray, positive: np.ndarray, free: np.ndarray | None = None
) -> np.ndarray:
    """Minimise ½ x·matrix·x - linear·x subject to x >= 0 but for the `free` coordinates.

    Parameters
    ----------
    matrix : array (n, n)
        Symmetric, positive semi-definite.
    linear : array (n,)
    positive : array of bool (n,)
        A guess of the coordinates above 0.
    free : array of bool (n,), optional
        Coordinates without a bound.

    Raises
    ------
    RuntimeError
        Where pivoting doesn't end, which a positive semi-definite matrix doesn't cause.
    """
    free = np.zeros(len(linear), dtype=bool) if free is None else free
    passive = positive | free
    least = len(linear) + 1
    patience = PATIENCE
    slack = 1e-13 * max(float(np.abs(linear).max(initial=0.0)), 1e-300)
    for _ in range(100 + 20 * len(linear)):
        x = _solve(matrix, linear, passive)
        wrong = np.where(passive, ~free & (x < 0), linear - matrix @ x > slack)
        count = int(wrong.sum())
        if not count:
            return x
        if count < least:
            least = count
            patience = PATIENCE
        elif patience:
            patience -= 1
        else:  # one coordinate at a time, the last one: this always ends (Murty 1974)
            wrong[: np.flatnonzero(wrong)[-1]] = False
        passive = passive ^ wrong
    raise RuntimeError("nonnegative_quadratic: pivoting did not end")


def _solve(matrix: np.ndarray, linear: np.ndarray, passive: np.ndarray) -> np.ndarray:
    x = np.zeros(len(linear))
    place = np.flatnonzero(passive)
    if not len(place):
        return x
    part = matrix[np.ix_(place, place)]
    part.flat[:: len(place) + 1] *= 1 + RIDGE
    _, solved, failed = dposv(part, linear[place], lower=True)
    x[place] = np.linalg.lstsq(part, linear[place], rcond=1e-14)[0] if failed else solved
    return x


def candidates(used: np.ndarray, slope: np.ndarray, least: float) -> np.ndarray:
    """Return the places in use, and of every gap between them the one with the greatest slope, if above `least`."""
    inside = np.flatnonzero(~used & (slope > least))
    gap = np.cumsum(used)[inside]
    steepest = np.lexsort((-slope[inside], gap))
    first = np.unique(gap[steepest], return_index=True)[1]
    return np.union1d(np.flatnonzero(used), inside[steepest[first]])
