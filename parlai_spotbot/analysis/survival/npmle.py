"""Solvers of the nonparametric maximum-likelihood estimate: masses on the innermost intervals.

Closed forms where there are any: isotonic regression for current-status data, the product-limit estimate (Kaplan &
Meier 1958) where every observation lies in one innermost interval or is right-censored. Otherwise a few steps of the
iterative convex minorant (Jongbloed 1998, J. Comput. Graph. Stat. 7), then constrained Newton steps on the masses (Wang
2007, JRSS-B 69), which end at the maximum to rounding; where many intervals have mass, steps of EM and of the convex
minorant in turn (Wellner & Zhan 1997, JASA 92).
"""

import numpy as np

from parlai_spotbot.analysis.survival.intervals import Intervals
from parlai_spotbot.analysis.survival.quadratic import candidates, nonnegative_quadratic
from parlai_spotbot.analysis.values import ArrayPair, ratio

TOLERANCE = 1e-10
CONVEX_STEPS = 8
# Newton's Gram matrix is dense; with more intervals of mass than DENSE it would not fit. In the first ROUNDS, steps in
# turn are quicker where the square of their number is above MANY times the observations.
DENSE = 2500
ROUNDS = 200
MANY = 4


def solve(data: Intervals, tolerance: float = TOLERANCE) -> np.ndarray:
    """The masses (m,), to a duality gap per observation of `tolerance`.

    Raises
    ------
    RuntimeError
        Where they don't converge.
    """
    size = len(data.ends)
    if size == 1:
        return np.ones(1)
    if data.current_status:
        return _isotonic(data)
    narrow = data.first == data.last
    if (narrow | (data.last == size - 1)).all():
        return _product_limit(data.first, narrow, data.weights, size)
    return _Problem(data).maximise(tolerance)


def evaluate(data: Intervals, mass: np.ndarray) -> tuple[np.ndarray, float]:
    """Derivative of the log-likelihood by each mass (m,), and the log-likelihood."""
    problem = _Problem(data)
    probability = problem.probability(mass)
    return problem.slope(probability), float(problem.weights @ np.log(probability))


def _isotonic(data: Intervals) -> np.ndarray:
    """Current status: the share spotted by each boundary, made monotone by weighted isotonic regression."""
    from scipy.optimize import isotonic_regression  # slow to load, and most rankings have no curve

    size = len(data.ends)
    spotted = (data.first == 0) & (data.last < size - 1)
    passed = (data.last == size - 1) & (data.first > 0)
    events = np.bincount(data.last[spotted], data.weights[spotted], size)[:-1]
    total = events + np.bincount(data.first[passed] - 1, data.weights[passed], size)[:-1]
    return np.diff(np.concatenate([[0.0], isotonic_regression(events / total, weights=total).x, [1.0]]))


def _product_limit(first: np.ndarray, event: np.ndarray, weights: np.ndarray, size: int) -> np.ndarray:
    """Every observation is in one innermost interval, or in all from `first` on: censored, at risk until there."""
    deaths = np.bincount(first[event], weights[event], size)
    leave = np.bincount(np.where(event, first + 1, first), weights, size + 1)[1:]
    risk = np.cumsum(leave[::-1])[::-1]
    share = ratio(deaths, risk, 0.0)
    share[-1] = 1.0
    return share * np.concatenate([[1.0], np.cumprod(1 - share[:-1])])


class _Problem:
    """The observations, equal ones as one where they are few, and the steps towards the maximum."""

    def __init__(self, data: Intervals) -> None:
        self.size = size = len(data.ends)
        self.first, self.last, self.weights = data.first.astype(np.intp), data.last.astype(np.intp), data.weights
        if size * size <= 4 * len(data.first):
            cells = np.bincount(self.first * size + self.last, self.weights, size * size)
            nonzero = np.flatnonzero(cells)
            self.first, self.last, self.weights = nonzero // size, nonzero % size, cells[nonzero]
        self.total = float(self.weights.sum())
        self.least = 1e-3 * float(self.weights.min()) / self.total  # of a probability: at the maximum it is above that
        self.after = self.last + 1
        self.tail = np.flatnonzero(self.last == size - 1)
        self.tail_first = self.first[self.tail]

    def probability(self, mass: np.ndarray) -> np.ndarray:
        """The probability of each observation (all above 0); of those that reach the end summed from there, since
        differences of sums near 1 lose digits."""
        total = np.zeros(self.size + 1)
        np.cumsum(mass, out=total[1:])
        probability = total[self.after]
        probability -= total[self.first]
        probability[self.tail] = np.cumsum(mass[::-1])[::-1][self.tail_first]
        return probability

    def maximise(self, tolerance: float) -> np.ndarray:
        mass = np.full(self.size, 1 / self.size)
        probability = self.probability(mass)
        for _ in range(CONVEX_STEPS):
            mass, probability = self.convex_step(mass, probability)
        rounds = 0
        slope = self.slope(probability)
        while rounds < 20_000:
            if self.gap(slope) <= tolerance:
                return mass
            many = rounds < ROUNDS and np.count_nonzero(mass) ** 2 > MANY * len(self.first)
            if many or len(support := candidates(mass > 0, slope, self.total * (1 - 1e-3))) > DENSE:
                mass = np.maximum(mass, 1e-300) * slope
                mass /= mass.sum()
                mass, probability = self.convex_step(mass, self.probability(mass))
                rounds += 1
            else:
                step = self.newton(support, mass, slope, probability) - mass
                mass, probability = self.search(mass, probability, step, float((slope - self.total) @ step))
                rounds += 40
            slope = self.slope(probability)
        raise RuntimeError(f"turnbull: no convergence: the duality gap is still {self.gap(slope):.1e}")

    def gap(self, slope: np.ndarray) -> float:
        return float(slope.max()) / self.total - 1

    def slope(self, probability: np.ndarray) -> np.ndarray:
        """Return the derivative of the log-likelihood by each mass."""
        ratio = self.weights / probability
        steps = np.bincount(self.first, ratio, self.size + 1)
        steps[1:] -= np.bincount(self.last, ratio, self.size)
        return np.cumsum(steps[:-1])

    def by_boundary(self, values: np.ndarray) -> ArrayPair:
        """Sums (m - 1,) of values of the observations that end at each boundary, and of those that begin there."""
        return np.bincount(self.last, values, self.size)[:-1], np.bincount(self.first, values, self.size)[1:]

    def convex_step(self, mass: np.ndarray, probability: np.ndarray) -> ArrayPair:
        """Isotonic regression of a Newton step on the distribution function with the diagonal of the Hessian."""
        from scipy.optimize import isotonic_regression

        ratio = self.weights / probability
        ended, begun = self.by_boundary(ratio)
        rise = ended - begun
        ended, begun = self.by_boundary(ratio / probability)
        curve = ended + begun
        now = np.cumsum(mass)[:-1]
        target = np.clip(isotonic_regression(now + rise / curve, weights=curve).x, 0.0, 1.0)
        step = np.diff(np.concatenate([[0.0], target, [1.0]])) - mass
        return self.search(mass, probability, step, float(rise @ (target - now)))

    def newton(self, support: np.ndarray, mass: np.ndarray, slope: np.ndarray, probability: np.ndarray) -> np.ndarray:
        """The maximum of the quadratic approximation on `support`, masses >= 0.

        With the Lagrangian Σ w log P - total Σ mass no constraint on the sum is needed: the problem is one of
        non-negative least squares with the Gram matrix of the derivatives and right side 2 slope - total.
        """
        size = len(support)
        mark = np.zeros(self.size + 1, dtype=np.int64)
        mark[support + 1] = 1
        before = np.cumsum(mark)
        low = before[self.first]
        high = before[self.last + 1] - 1
        hit = high >= low
        low, high, probability, weights = (x[hit] for x in (low, high, probability, self.weights))
        cells = np.bincount(low * size + high, weights / probability**2, size * size).reshape(size, size)
        # The Gram matrix sums the observations with low <= min(i, j) and high >= max(i, j).
        reach = np.cumsum(np.cumsum(cells, axis=0)[:, ::-1], axis=1)[:, ::-1]
        gram = np.triu(reach) + np.triu(reach, 1).T
        target = np.zeros(self.size)
        target[support] = nonnegative_quadratic(gram, 2 * slope[support] - self.total, mass[support] > 0)
        return target

    def search(self, mass: np.ndarray, probability: np.ndarray, step: np.ndarray, promise: float) -> ArrayPair:
        """Go by the longest of 1, 1/2, 1/4, … times `step` that makes enough of its promise; the sum is 1."""
        change = self.probability(step)
        total = self.total * step.sum()
        start = float(self.weights @ np.log(probability))
        start -= 1e-12 * max(1.0, abs(start))  # near the maximum, gains drown in rounding: trust the full step there
        scale = 1.0
        while scale > 1e-12:
            trial = probability + scale * change
            gain = self.weights @ np.log(trial) - scale * total if trial.min() > self.least else -np.inf
            if gain >= start + 1e-4 * scale * promise:
                mass = mass + scale * step
                return mass / mass.sum(), trial / mass.sum()
            scale /= 2
        return mass, probability
