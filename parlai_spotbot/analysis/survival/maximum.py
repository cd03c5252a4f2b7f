"""The maximum likelihood of a parametric regression, over the family's shape where it has one.

For a given shape the maximum is found by Newton's method (`locationscale`). The gamma's and the generalized gamma's
shape is searched on a grid and refined around every peak, since its profile may have several (Lawless 1980,
Technometrics 22); its row of the information is by differences of the analytic gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from parlai_spotbot.analysis.survival.families import law_of
from parlai_spotbot.analysis.survival.locationscale import Likelihood, LogTimeRows, Maximum, maximise

PROFILED = ("gamma", "generalgamma")
FLAT = 1e-9  # information by observation, in units of the predictors' spread, that counts as none


@dataclass(frozen=True)
class Estimate:
    """The maximum: phi = (u, b, a, slopes), u the shape on the scale it is searched on; see `shape_of`."""

    dist: str
    model: str
    rows: LogTimeRows
    u: float | None
    inner: Maximum
    shape_at_edge: bool

    @property
    def value(self) -> float:
        return self.inner.value

    @property
    def phi(self) -> np.ndarray:
        return np.append(0.0 if self.u is None else self.u, self.inner.theta)

    @property
    def free(self) -> np.ndarray:
        """Which of phi were estimated, inside their range."""
        free = np.append(self.u is not None and not self.shape_at_edge, self.inner.free)
        free[1] &= not self.inner.at_edge
        return free

    def location_scale(self) -> tuple[float, float, float | None]:
        """mu, sigma and shape on the data's scale."""
        b, a = self.inner.theta[:2]
        sigma = self.rows.spread / b
        return self.rows.center + a * sigma, sigma, shape_of(self.dist, self.u)

    def slopes(self) -> np.ndarray:
        """The coefficients (p,)."""
        factor = self.rows.spread / self.inner.theta[0] if self.model == "aft" else 1.0
        return self.inner.theta[2:] * factor


def shape_of(dist: str, u: float | None) -> float | None:
    """The shape (a gamma's as logarithm, a generalized gamma's Q) at u; Q = sinh(u) brings both tails in reach."""
    return None if u is None else float(np.sinh(u)) if dist == "generalgamma" else u


def likelihood(rows: LogTimeRows, dist: str, model: str, u: float | None) -> Likelihood:
    """The log-likelihood with the shape held at u."""
    held = None
    if dist == "exponential":
        held = rows.spread
    elif dist == "gamma":
        held = rows.spread * float(np.exp(u / 2))
    return Likelihood(rows, law_of(dist, shape_of(dist, u)), model, held)


def estimate(rows: LogTimeRows, dist: str, model: str, start: Estimate | None = None) -> Estimate:
    """Maximise; `start` is an estimate from the same rows with other weights."""
    if dist not in PROFILED:
        starts = [start.inner.theta] if start is not None else _starts(rows, dist, model)
        best = max((maximise(likelihood(rows, dist, model, None), s) for s in starts), key=lambda m: m.value)
        return Estimate(dist, model, rows, None, best, False)
    profile = _Profile(rows, dist, model)
    if start is None:
        grid, ends = profile.explore()
        brackets = profile.peaks(grid)
    else:
        profile.known[start.u] = start.inner
        brackets, ends = [(start.u - 1.0, start.u + 1.0)], ()
    for low, high in brackets:
        minimize_scalar(
            lambda u: -profile.at(u).value, bounds=(low, high), method="bounded", options={"xatol": 1e-8, "maxiter": 60}
        )
    u = max(profile.known, key=lambda v: profile.known[v].value)
    inner = profile.known[u]
    return Estimate(dist, model, rows, u, inner, any(abs(u - end) < 0.01 for end in ends))


class _Profile:
    """The greatest log-likelihood by shape; each maximum starts from those found next to it."""

    def __init__(self, rows: LogTimeRows, dist: str, model: str) -> None:
        self.rows, self.dist, self.model = rows, dist, model
        self.known: dict[float, Maximum] = {}

    def at(self, u: float) -> Maximum:
        u = float(u)
        if u not in self.known:
            problem = likelihood(self.rows, self.dist, self.model, u)
            if self.known:
                near = min(self.known, key=lambda v: abs(v - u))
                ratio = _unit(self.dist, u) / _unit(self.dist, near)
                theta = self.known[near].theta.copy()
                if self.dist == "gamma":  # the location, a over b, is what stays
                    ratio = max(1.0, np.exp((u - near) / 2)) if u > near else np.exp((near - u) / 2)
                keep = slice(0, None if self.model == "aft" else 2)
                theta[keep] *= ratio
                starts = [theta]
            else:
                starts = _starts(self.rows, self.dist, self.model)
            self.known[u] = max((maximise(problem, start) for start in starts), key=lambda m: m.value)
        return self.known[u]

    def explore(self) -> tuple[np.ndarray, tuple[float, float]]:
        """Go outwards on a grid, each way until the end or far below the best; the points, and the ends."""
        center, step, ends = _range(self.rows, self.dist)
        best = self.at(center).value
        for way in (step, -step):
            u = center + way
            while ends[0] <= u <= ends[1]:
                value = self.at(u).value
                best = max(best, value)
                if not value > best - 50:
                    break
                u += way
        return np.array(sorted(self.known)), ends

    def peaks(self, grid: np.ndarray) -> list[tuple[float, float]]:
        """The neighbours of the peaks on the grid that could still turn out to be the highest, four at most."""
        value = np.array([self.at(u).value for u in grid])
        padded = np.concatenate([[-np.inf], value, [-np.inf]])
        peak = (value >= padded[:-2]) & (value >= padded[2:]) & (value > value.max() - 2)
        last, found = len(grid) - 1, np.flatnonzero(peak)
        highest = found[np.argsort(-value[found], kind="stable")][:4]  # a flat tail has peaks, too
        return [(grid[max(i - 1, 0)], grid[min(i + 1, last)]) for i in highest]


def _unit(dist: str, u: float) -> float:
    """How wide the law is: a log-gamma law with a large |Q| has tails in units of Q."""
    return max(1.0, abs(np.sinh(u))) if dist == "generalgamma" else 1.0


def _range(rows: LogTimeRows, dist: str) -> tuple[float, float, tuple[float, float]]:
    """Where the search for the shape starts, its step, and its ends."""
    if dist == "generalgamma":
        return 0.0, 0.5, (-5.0, 5.0)
    # A gamma with a large shape is log-normal with sigma = shape^-½: so far the search must reach.
    normal = maximise(likelihood(rows, "lognormal", "aft", None), _start(rows))
    center = float(np.clip(np.round(2 * np.log(normal.theta[0] / rows.spread)), -14.0, 40.0))
    return center, 2.0, (min(-14.0, center - 4), max(14.0, center + 4))


def _start(rows: LogTimeRows) -> np.ndarray:
    return np.concatenate([[1.0, 0.0], np.zeros(rows.size)])


def _starts(rows: LogTimeRows, dist: str, model: str) -> list[np.ndarray]:
    """No effect of any covariate; where the likelihood isn't concave, also that of accelerated failure time."""
    start = _start(rows)
    if model == "aft" or dist in PROFILED or not rows.size:
        return [start]
    aft = maximise(likelihood(rows, dist, "aft", None), start).theta
    if not np.isfinite(aft).all():
        return [start]
    return [start, np.concatenate([aft[:2], -aft[2:]])]


def information(found: Estimate) -> tuple[np.ndarray, np.ndarray]:
    """Minus the Hessian by phi (u, b, a, slopes), and its yardstick: the spread of the predictor by each of phi."""
    size = len(found.phi)
    total, gram = np.zeros((size, size)), np.zeros((size, size))
    total[1:, 1:], gram[1:, 1:] = found.inner.information, found.inner.gram
    gram[0, 0] = found.rows.weight
    if found.u is None:
        return total, gram
    step = 2e-3
    values, slopes = [], []
    for k in (-2, -1, 0, 1, 2):
        u = found.u + k * step
        theta = found.inner.theta.copy()
        problem = likelihood(found.rows, found.dist, found.model, u)
        if problem.b is not None:
            theta[0] = problem.b
        with np.errstate(all="ignore"):
            value, gradient = problem.evaluate(theta)[:2]
        values.append(value)
        slopes.append(gradient)
    total[0, 0] = -np.dot([-1, 16, -30, 16, -1], values) / (12 * step**2)
    total[0, 1:] = total[1:, 0] = -np.dot([1, -8, 0, 8, -1], slopes) / (12 * step)
    return total, gram


def flat_directions(matrix: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """Directions (k, p), in units of the predictors' spread, in which the likelihood doesn't bend."""
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    return vectors[:, ~(values > FLAT)].T
