"""Separation: coefficients that grow without end because covariates tell spotted from unspotted rows perfectly."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, vstack

from parlai_spotbot.analysis.survival.semiparametric import DistinctRows, Maximum

# Nothing but separation, or a covariate of extreme scale, moves the linear predictor this far: exp(12) is 160,000.
SUSPECT = 12.0
LARGEST = 50_000


def separated(rows: DistinctRows, maximum: Maximum) -> tuple[np.ndarray, np.ndarray]:
    """Return which coefficients (p,) are infinite (Konis 2007): those without which nothing is separated, if any.

    A linear program looks for a direction in which the likelihood never falls. It is tried only where the estimate
    looks like it; beyond `LARGEST` rows, the look decides. The second mask (p,) is of those that went as far beside
    infinite ones: what these leave to be told says nothing of them.
    """
    width = rows.X.shape[1]
    reach = maximum.beta * np.ptp(rows.X, axis=0)
    looks = ~(np.abs(reach) < SUSPECT)
    none = np.zeros(width, dtype=bool)
    if not width or (maximum.converged and not looks.any()):
        return none, none
    if len(rows.weights) > LARGEST:
        return looks, none
    direction = _recession(rows, np.ones(width, dtype=bool))
    if direction is None:
        return none, none
    needed = np.array([_recession(rows, np.arange(width) != i) is None for i in range(width)])
    infinite = needed if needed.any() else np.abs(direction) > 1e-7
    return infinite, looks & ~infinite


def _recession(rows: DistinctRows, free: np.ndarray) -> np.ndarray | None:
    """A change of the `free` coefficients that never lowers the likelihood, however far it goes, and raises it.

    The predictor at an observation's start may only fall, that at its end only rise; the baseline stays monotone.
    """
    size = rows.size - 1
    parts = []
    for sign, boundary, use in ((1.0, rows.low, rows.low > 0), (-1.0, rows.high, rows.high < rows.size)):
        count = int(use.sum())
        # The baseline at boundary j is the first value and the rises up to j.
        place = boundary[use] - 1
        levels = csr_array((np.ones(count), (np.arange(count), place)), shape=(count, size))
        parts.append(sign * hstack([levels, csr_array(rows.X[use])]))
    rises = csr_array(
        (np.repeat([1.0, -1.0], size - 1), (np.tile(np.arange(size - 1), 2), np.r_[0 : size - 1, 1:size])),
        shape=(size - 1, size + rows.X.shape[1]),
    )
    matrix = vstack([*parts, rises]).tocsr()
    gain = vstack(parts).sum(axis=0)
    bounds = [(-1, 1)] * size + [(-1, 1) if f else (0, 0) for f in free]
    solution = linprog(np.asarray(gain).ravel(), A_ub=matrix, b_ub=np.zeros(matrix.shape[0]), bounds=bounds)
    return solution.x[size:] if solution.status == 0 and -solution.fun > 1e-7 else None
