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
STEPS = 200


@dataclass
class Problem:
    """A regression to solve, and its distinct observations: between boundaries `low` (0: from the start) and `high`
    (m: to the end), covariates X, and how often each was made.

    `size` is m, the number of innermost intervals; `cells` (n,) is the distinct observation of every row of the data.
    """

    model: str
    low: np.ndarray
    high: np.ndarray
    X: np.ndarray
    weights: np.ndarray
    size: int
    cells: np.ndarray

    @classmethod
    def build(cls, data: Intervals, X: np.ndarray, model: str) -> Problem:
        """`X` (n, p) belongs to the observations of `data`; equal ones are counted."""
        size = len(data.ends)
        cells = pd.factorize(data.first * size + data.last)[0]
        for column in X.T:
            codes, values = pd.factorize(column)
            cells = pd.factorize(cells * len(values) + codes)[0]
        row = np.unique(cells, return_index=True)[1]
        return cls(model, data.first[row], data.last[row] + 1, X[row], np.bincount(cells, data.weights), size, cells)

    def maximise(self, mass: np.ndarray) -> FitState:
        """Return the maximum; the steps start from the baseline without covariates, by the NPMLE's masses (m,)."""
        survival = np.clip(_behind(mass)[1:], 1e-300, 1 - 1e-16)
        alpha = links.inverse(survival, self.model)
        beta = np.zeros(self.X.shape[1])
        state = FitState(self, alpha, beta, self._terms(alpha, beta))
        for _ in range(STEPS):
            promise = state.promise
            # A promise that drowns in rounding can't be checked, but its full step doubles the digits: the last one.
            last = promise < 1e-11 * max(1.0, abs(state.loglik) * 1e-2)
            further = self._search(state, trust=last)
            state = further or state
            if last or further is None:
                state.converged = last or promise < 1e-7
                break
        return state

    def _terms(self, alpha: np.ndarray, beta: np.ndarray) -> links.Terms:
        """The likelihood of every observation, between the baseline plus linear predictor at its ends."""
        # Boundary 0 is the start and boundary m the end.
        padded = np.concatenate([[-np.inf], alpha, [np.inf]])
        shift = self.X @ beta
        return links.terms(padded[self.low] + shift, padded[self.high] + shift, self.model)

    def _search(self, state: FitState, *, trust: bool) -> FitState | None:
        """Go by the longest of the steps 1, 1/2, 1/4, … that makes enough of its promise; None without one."""
        count = len(state.places)
        longest = max(float(np.abs(state.step[count:]) @ np.ptp(self.X, axis=0)), 1e-300)
        scale = 1.0 if trust else min(1.0, LONGEST / longest)
        while scale > 1e-12:
            step = scale * state.step
            rise = state.rise + step[:count]
            full = np.zeros(len(state.alpha))
            full[state.places] = np.append(rise[:1], np.maximum(rise[1:], 0.0))
            alpha = np.cumsum(full)
            beta = state.beta + step[count:]
            terms = self._terms(alpha, beta)
            value = self.weights @ terms.value
            if np.isfinite(value) and (trust or value >= state.loglik + 1e-4 * scale * state.promise):
                return FitState(self, alpha, beta, terms)
            scale /= 2
        return None


class FitState:
    """The log-likelihood to second order at a baseline `alpha` (m - 1,) and coefficients `beta` (p,): in the rises in
    use or worth trying, and the coefficients."""

    converged = False

    def __init__(self, problem: Problem, alpha: np.ndarray, beta: np.ndarray, t: links.Terms) -> None:
        self.alpha, self.beta = alpha, beta
        weights = problem.weights
        self.loglik = float(weights @ t.value)
        by_a = weights * t.by_a
        by_b = weights * t.by_b
        slope = np.bincount(problem.low, by_a, problem.size + 1) + np.bincount(problem.high, by_b, problem.size + 1)
        # Raising boundary j and all behind it.
        self.slope = _behind(slope[1:-1])
        self.slope_beta = (by_a + by_b) @ problem.X
        rises = np.diff(alpha)
        self.used = np.append(True, rises > FLAT * max(1.0, float(alpha[-1] - alpha[0])))
        self.places = candidates(self.used, self.slope, 0.0)
        self.rise = np.append(alpha[:1], np.where(self.used[1:], rises, 0.0))[self.places]
        self._by_level = self._second_order(problem, t)
        self._solve()

    def _second_order(self, problem: Problem, t: links.Terms) -> np.ndarray:
        """Minus the Hessian (count + p, count + p) by the levels of the baseline from each place on, then X."""
        count = len(self.places)
        if count > DENSE:
            raise ValueError(
                f"left: {count} steps in the baseline, expected at most {DENSE}; round the times to fewer distinct ones"
            )
        size = count + 2
        low, high = self._levels(problem)

        def by_level(at_low: np.ndarray, at_high: np.ndarray) -> np.ndarray:
            return np.bincount(low, at_low, size) + np.bincount(high, at_high, size)

        aa, bb, ab = (problem.weights * second for second in (t.by_aa, t.by_bb, t.by_ab))
        grid = np.bincount(low * size + high, ab, size**2).reshape(size, size)
        levels = grid + grid.T + np.diag(by_level(aa, bb))
        at_low = aa + ab
        at_high = bb + ab
        cross = np.empty((size, problem.X.shape[1]))
        for column, x in zip(cross.T, problem.X.T, strict=True):
            column[:] = by_level(at_low * x, at_high * x)
        regression_part = (problem.X * (at_low + at_high)[:, None]).T @ problem.X
        return -np.block([[levels[1:-1, 1:-1], cross[1:-1]], [cross[1:-1].T, regression_part]])

    def _levels(self, problem: Problem) -> ArrayPair:
        """Numbers of places at or before both ends of each observation; one more at the end."""
        mark = np.zeros(problem.size + 1, dtype=np.int64)
        mark[self.places + 1] = 1
        mark[-1] = 1
        level = np.cumsum(mark)
        return level[problem.low], level[problem.high]

    def _solve(self) -> None:
        """Find the best `step` (count + p,) of the quadratic approximation, of rises and coefficients, and what it
        promises."""
        count = len(self.places)
        matrix = self._by_level.copy()
        matrix[:count] = _behind(matrix[:count])
        matrix[:, :count] = _behind(matrix[:, :count].T).T
        slope = np.append(self.slope[self.places], self.slope_beta)
        free = np.ones(len(slope), dtype=bool)
        guess = np.append(self.used[self.places], free[count:])
        free[1:count] = False
        # The coefficients move by a step, the rises to a target >= 0: both are targets here.
        origin = np.append(self.rise, np.zeros(len(self.beta)))
        target = nonnegative_quadratic((matrix + matrix.T) / 2, slope + matrix @ origin, guess, free)
        self.step = target - origin
        self.promise = float(slope @ self.step)

    @property
    def information(self) -> np.ndarray:
        """Minus the Hessian (levels + p, levels + p) by the distinct values of the baseline, in order, then X."""
        first = np.flatnonzero(np.append(self.used[self.places], np.ones(len(self.beta), dtype=bool)))
        return np.add.reduceat(np.add.reduceat(self._by_level, first, axis=0), first, axis=1)


def _behind(x: np.ndarray) -> np.ndarray:
    """Sums over each place and all behind it, along the first axis."""
    return np.cumsum(x[::-1], axis=0)[::-1]
