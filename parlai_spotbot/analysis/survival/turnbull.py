"""The nonparametric maximum-likelihood estimate for interval-censored data (Turnbull 1976; section 3.3 of the paper).

Current-status data, which is what Spot The Bot yields, need only an isotonic regression and come out exact; everything
else is solved by constrained Newton steps on the masses (Wang 2007, JRSS-B 69) until the gradient shows the maximum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression, nnls

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.intervals import Intervals, innermost

TOLERANCE = 1e-10


@dataclass(frozen=True)
class TurnbullFit:
    """The estimate: `mass` (m,) on the innermost `intervals` (m, 2), each end included where `closed` (m, 2) says so.

    `kkt` is the duality gap per observation: the mean log-likelihood is at most this far below its maximum. `backend`
    is the one that was used.
    """

    intervals: np.ndarray
    closed: np.ndarray
    mass: np.ndarray
    loglik: float
    kkt: float
    backend: str

    def survival(self, t: float | Sequence) -> np.ndarray:
        """P(T > t). The data don't say where in an innermost interval its mass is: it counts from the right end."""
        t = np.asarray(t, dtype=float)
        before = np.concatenate([[0.0], np.cumsum(self.mass)])
        return np.clip(1.0 - before[np.searchsorted(self.intervals[:, 1], t, side="right")], 0.0, 1.0)


def turnbull(
    left: Sequence,
    right: Sequence,
    weights: Sequence | None = None,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
) -> TurnbullFit:
    """Estimate the distribution of a time known to lie in (left, right].

    Parameters
    ----------
    left, right : sequences (n,)
        right = inf: right-censored; left == right: exact.
    weights : sequence (n,), optional
    closed : (bool, bool), optional
        Which ends of an interval are included; by default (False, True).
    backend : str
        "native", "icenreg" (R's icenReg), or "auto": icenReg where it is installed, else native.

    Raises
    ------
    ValueError
        Names the row that is no interval.
    RuntimeError
        Where the masses don't converge.
    """
    data = innermost(left, right, weights, closed)
    backend = icenreg.choose(backend)
    if backend == "icenreg":
        mass = icenreg.ic_np(data.left, data.right, data.weights, closed or (False, True), len(data.ends))
    elif data.current_status:
        mass = _isotonic(data)
    else:
        mass = _constrained_newton(data)
    gradient, probability = _gradient(data, mass)
    loglik = float(data.weights @ np.log(probability))
    kkt = max(0.0, float(gradient.max() / data.weights.sum() - 1))
    return TurnbullFit(data.ends, data.closed, mass, loglik, kkt, backend)


def _gradient(data: Intervals, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivative of the log-likelihood by each mass, and the probability of each observation (all above 0)."""
    probability = _probability(data, mass)
    ratio = data.weights / probability
    steps = np.bincount(data.first, ratio, len(mass) + 1) - np.bincount(data.last + 1, ratio, len(mass) + 1)
    return np.cumsum(steps[:-1]), probability


def _probability(data: Intervals, mass: np.ndarray) -> np.ndarray:
    total = np.concatenate([[0.0], np.cumsum(mass)])
    # Intervals that reach the end are summed from there: differences of sums near 1 lose digits.
    behind = np.concatenate([np.cumsum(mass[::-1])[::-1], [0.0]])
    return np.where(data.last == len(mass) - 1, behind[data.first], total[data.last + 1] - total[data.first])


def _isotonic(data: Intervals) -> np.ndarray:
    """Current status: the share spotted by each boundary, made monotone by weighted isotonic regression."""
    size = len(data.ends)
    spotted = (data.first == 0) & (data.last < size - 1)
    passed = (data.last == size - 1) & (data.first > 0)
    events = np.bincount(data.last[spotted], data.weights[spotted], size)[:-1]
    total = events + np.bincount(data.first[passed] - 1, data.weights[passed], size)[:-1]
    if size == 1:
        return np.ones(1)
    share = isotonic_regression(events / total, weights=total).x
    return np.diff(np.concatenate([[0.0], share, [1.0]]))


def _constrained_newton(data: Intervals) -> np.ndarray:
    weight = data.weights.sum()
    data = _collapse(data)
    mass = _stabbing(data)
    gradient, probability = _gradient(data, mass)
    for _ in range(500):
        if gradient.max() / weight - 1 <= TOLERANCE:
            return mass
        support = _support(mass, gradient)
        target = _newton_target(data, support, mass, gradient, probability, weight)
        mass = _line_search(data, mass, target, gradient, weight)
        gradient, probability = _gradient(data, mass)
    raise RuntimeError(f"turnbull: no convergence: the duality gap is still {gradient.max() / weight - 1:.1e}")


def _collapse(data: Intervals) -> Intervals:
    """Observations with the same innermost intervals, as one."""
    size = len(data.ends)
    key, place = np.unique(data.first * size + data.last, return_inverse=True)
    weights = np.bincount(place, data.weights)
    return Intervals(data.left, data.right, weights, key // size, key % size, data.ends, data.closed)


def _stabbing(data: Intervals) -> np.ndarray:
    """A start under which every observation is possible: mass on the fewest innermost intervals that hit them all."""
    points: list[int] = []
    for place in np.argsort(data.last, kind="stable"):
        if not points or data.first[place] > points[-1]:
            points.append(int(data.last[place]))
    mass = np.zeros(len(data.ends))
    mass[points] = 1 / len(points)
    return mass


def _support(mass: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Where there is mass, and the steepest place of every gap between."""
    kept = np.flatnonzero(mass > 0)
    steepest = [
        start + int(np.argmax(gradient[start:stop]))
        for start, stop in zip(np.append(0, kept + 1), np.append(kept, len(mass)), strict=True)
        if stop > start
    ]
    return np.union1d(kept, np.asarray(steepest, dtype=int))


def _newton_target(
    data: Intervals,
    support: np.ndarray,
    mass: np.ndarray,
    gradient: np.ndarray,
    probability: np.ndarray,
    weight: float,
) -> np.ndarray:
    """The maximum of the quadratic approximation on `support`, masses >= 0.

    With the Lagrangian Σ w log P - weight Σ mass no constraint on the sum is needed: the problem is one of non-negative
    least squares with the Gram matrix G of the derivatives and right side 2 * gradient - weight.
    """
    size = len(support)
    low, high = np.searchsorted(support, data.first), np.searchsorted(support, data.last, side="right") - 1
    hit = high >= low
    cells = np.zeros((size, size))
    np.add.at(cells, (low[hit], high[hit]), data.weights[hit] / probability[hit] ** 2)
    # G[i, j] sums the observations with low <= min(i, j) and high >= max(i, j).
    reach = np.cumsum(np.cumsum(cells, axis=0)[:, ::-1], axis=1)[:, ::-1]
    gram = np.triu(reach) + np.triu(reach, 1).T
    values, vectors = np.linalg.eigh(gram)
    keep = values > values[-1] * 1e-14
    root = np.sqrt(values[keep])
    right_side = vectors[:, keep].T @ (2 * gradient[support] - weight) / root
    solution = nnls(root[:, None] * vectors[:, keep].T, right_side, maxiter=30 * size)[0]
    target = np.zeros(len(mass))
    target[support] = solution
    return target


def _line_search(
    data: Intervals, mass: np.ndarray, target: np.ndarray, gradient: np.ndarray, weight: float
) -> np.ndarray:
    """The longest of the steps 1, 1/2, 1/4, … towards `target` that makes enough of its promise; masses sum to 1."""

    def value(trial: np.ndarray) -> float:
        p = _probability(data, trial)
        return float(data.weights @ np.log(p)) - weight * trial.sum() if (p > 0).all() else -np.inf

    start = value(mass)
    start -= 1e-12 * max(1.0, abs(start))  # near the maximum, gains drown in rounding: trust the full step there
    promise = float((gradient - weight) @ (target - mass))
    scale = 1.0
    while scale > 1e-12 and value(mass + scale * (target - mass)) < start + 1e-4 * scale * promise:
        scale /= 2
    trial = mass + scale * (target - mass)
    return trial / trial.sum()
