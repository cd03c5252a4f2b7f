"""The maximum of semi-parametric regression for interval-censored data, hazards or odds (section 3.3 of the paper).

The baseline is a value at every boundary between innermost intervals (log cumulative hazard, or logit), a first value
and rises >= 0. Newton steps on rises and coefficients together with the true Hessian, each a quadratic program over
the rises now in use and the best new ones, start from the nonparametric estimate and end at the maximum to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import links
from parlai_spotbot.analysis.survival.intervals import Intervals
from parlai_spotbot.analysis.survival.quadratic import candidates, nonnegative_quadratic
from parlai_spotbot.analysis.values import ArrayPair

# A rise below this share of the range of the baseline is 0 but for rounding.
FLAT = 1e-12
# Beyond this many levels the dense Hessian would not fit.
DENSE = 3000
LONGEST = 4.0


@dataclass
class DistinctRows:
    """Distinct observations: between boundaries `low` (0: from the start) and `high` (m: to the end), covariates X.

    `cells` (n,) is the distinct observation of every row of the data.
    """

    low: np.ndarray
    high: np.ndarray
    X: np.ndarray
    weights: np.ndarray
    size: int
    cells: np.ndarray

    @classmethod
    def build(cls, data: Intervals, X: np.ndarray) -> DistinctRows:
        """`X` (n, p) belongs to the observations of `data`; equal ones are counted."""
        size = len(data.ends)
        cells = pd.factorize(data.first * size + data.last)[0]
        for column in X.T:
            codes, values = pd.factorize(column)
            cells = pd.factorize(cells * len(values) + codes)[0]
        row = np.unique(cells, return_index=True)[1]
        return cls(data.first[row], data.last[row] + 1, X[row], np.bincount(cells, data.weights), size, cells)


@dataclass
class Maximum:
    """The maximum: the baseline at the boundaries (m - 1,), the coefficients (p,), and whether it was reached.

    `information` (levels + p, levels + p) is minus the Hessian by the distinct values of the baseline, in order, and
    the coefficients.
    """

    alpha: np.ndarray
    beta: np.ndarray
    loglik: float
    information: np.ndarray
    converged: bool


class Problem:
    """A regression to solve."""

    def __init__(self, rows: DistinctRows, model: str) -> None:
        self.model = model
        self.size, self.width = rows.size - 1, rows.X.shape[1]
        self.low, self.high = rows.low, rows.high
        self.weights, self.X = rows.weights, rows.X
        self.range = np.ptp(rows.X, axis=0)

    def start(self, mass: np.ndarray) -> np.ndarray:
        """The baseline without covariates, from the NPMLE's masses."""
        return links.inverse(np.clip(np.cumsum(mass[::-1])[::-1][1:], 1e-300, 1 - 1e-16), self.model)

    def ends(self, alpha: np.ndarray, beta: np.ndarray) -> ArrayPair:
        """Baseline plus linear predictor at both ends of every observation."""
        # Boundary 0 is the start and boundary m the end.
        padded = np.concatenate([[-np.inf], alpha, [np.inf]])
        shift = self.X @ beta if self.width else 0.0
        return padded[self.low] + shift, padded[self.high] + shift

    def loglik(self, alpha: np.ndarray, beta: np.ndarray) -> float:
        value = self.weights @ links.loglik(*self.ends(alpha, beta), self.model)
        return float(value) if np.isfinite(value) else -np.inf

    def maximise(self, alpha: np.ndarray, beta: np.ndarray, steps: int = 200) -> Maximum:
        """From values under which every observation is possible."""
        converged = False
        for _ in range(steps):
            local = Expansion(self, alpha, beta)
            promise = local.promise
            # A promise that drowns in rounding can't be checked, but its full step doubles the digits: the last one.
            last = promise < 1e-11 * max(1.0, abs(local.value) * 1e-2)
            alpha, beta, moved = self.search(local, alpha, beta, promise, trust=last)
            if last or not moved:
                converged = last or promise < 1e-7
                break
        local = Expansion(self, alpha, beta)
        return Maximum(alpha, beta, local.value, local.information_of_levels(), converged)

    def search(
        self, local: Expansion, alpha: np.ndarray, beta: np.ndarray, promise: float, *, trust: bool
    ) -> tuple[np.ndarray, np.ndarray, bool]:
        """The longest of the steps 1, 1/2, 1/4, … that makes enough of its promise."""
        change = local.step[1]
        longest = max(float(np.abs(change) @ self.range), 1e-300)
        scale = 1.0 if trust else min(1.0, LONGEST / longest)
        while scale > 1e-12:
            trial, coef = local.moved(alpha, scale), beta + scale * change
            value = self.loglik(trial, coef)
            if np.isfinite(value) and (trust or value >= local.value + 1e-4 * scale * promise):
                return trial, coef, True
            scale /= 2
        return alpha, beta, False


class Expansion:
    """The log-likelihood to second order around a state, in the rises in use or worth trying, and the coefficients."""

    def __init__(self, problem: Problem, alpha: np.ndarray, beta: np.ndarray) -> None:
        self.problem = problem
        size, weights = problem.size, problem.weights
        t = links.terms(*problem.ends(alpha, beta), problem.model)
        self.value = float(weights @ t.value)
        by_a, by_b = weights * t.by_a, weights * t.by_b
        slope = np.bincount(problem.low, by_a, size + 2) + np.bincount(problem.high, by_b, size + 2)
        # Raising boundary j and all behind it.
        self.slope = _behind(slope[1:-1])
        self.slope_beta = (by_a + by_b) @ problem.X
        rises = np.diff(alpha)
        flat = FLAT * max(1.0, float(alpha[-1] - alpha[0]) if size else 1.0)
        self.used = np.concatenate([[True], rises > flat])[:size]
        self.places = candidates(self.used, self.slope, 0.0)
        self.rise = np.concatenate([alpha[:1], np.where(self.used[1:], rises, 0.0)])[self.places]
        self._second_order(t)
        self.step = self._solve()

    def _second_order(self, t: links.Terms) -> None:
        problem, count = self.problem, len(self.places)
        if count > DENSE:
            raise ValueError(
                f"left: {count} steps in the baseline, expected at most {DENSE}; round the times to fewer distinct ones"
            )
        mark = np.zeros(problem.size + 2, dtype=np.int64)
        mark[self.places + 1] = 1
        level = np.cumsum(mark)
        level[-1] = count + 1
        low, high = level[problem.low], level[problem.high]
        w = problem.weights
        grid = np.bincount(low * (count + 2) + high, w * t.by_ab, (count + 2) ** 2).reshape(count + 2, -1)
        levels = grid + grid.T
        levels.flat[:: count + 3] += np.bincount(low, w * t.by_aa, count + 2) + np.bincount(
            high, w * t.by_bb, count + 2
        )
        a, b = w * (t.by_aa + t.by_ab), w * (t.by_bb + t.by_ab)
        cross = np.empty((count + 2, problem.width))
        for column, x in zip(cross.T, problem.X.T, strict=True):
            column[:] = np.bincount(low, a * x, count + 2) + np.bincount(high, b * x, count + 2)
        own = (problem.X * (a + b)[:, None]).T @ problem.X
        self.information = -np.block([[levels[1:-1, 1:-1], cross[1:-1]], [cross[1:-1].T, own]])

    def _solve(self) -> ArrayPair:
        """The best step of the quadratic approximation: changes of the rises and of the coefficients."""
        count = len(self.places)
        matrix = self.information.copy()
        matrix[:count] = _behind(matrix[:count])
        matrix[:, :count] = _behind(matrix[:, :count].T).T
        slope = np.concatenate([self.slope[self.places], self.slope_beta])
        free = np.ones(len(slope), dtype=bool)
        free[1:count] = False
        # The coefficients move by a step, the rises to a target >= 0: both are targets here.
        origin = np.zeros(len(slope))
        origin[:count] = self.rise
        guess = free.copy()
        guess[:count] = self.used[self.places]
        step = nonnegative_quadratic((matrix + matrix.T) / 2, slope + matrix @ origin, guess, free) - origin
        self.promise = float(slope @ step)
        return step[:count], step[count:]

    def moved(self, alpha: np.ndarray, scale: float) -> np.ndarray:
        """The baseline (m - 1,) after `scale` times the step."""
        rise = self.rise + scale * self.step[0]
        full = np.zeros(len(alpha))
        full[self.places] = np.concatenate([rise[:1], np.maximum(rise[1:], 0.0)])
        return np.cumsum(full)

    def information_of_levels(self) -> np.ndarray:
        """The information (levels + p, levels + p) with flat stretches held flat: by levels, then coefficients."""
        level = np.cumsum(self.used[self.places]) - 1
        place = np.append(level, level[-1] + 1 + np.arange(self.problem.width))
        merge = np.zeros((place[-1] + 1, len(place)))
        merge[place, np.arange(len(place))] = 1.0
        return merge @ self.information @ merge.T


def _behind(x: np.ndarray) -> np.ndarray:
    """Sums over each place and all behind it, along the first axis."""
    return np.cumsum(x[::-1], axis=0)[::-1]
