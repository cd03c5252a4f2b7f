"""The likelihood of a log-location-scale regression with interval-censored times, and its maximum by Newton's method.

The parameters are theta = (b, a, slopes): a time stands at z = b log t - a of the law, with b = 1 / sigma. In these the
log-likelihood of accelerated failure time is concave (Burridge 1981, JRSS-B 43), and b = 0, the edge at which every
event happens at once or never, is an ordinary point. Derivatives are analytic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival.distributions import (
    LINKS,
    ExtremeValue,
    LogGamma,
    Logistic,
    Normal,
    Scale,
    log1mexp,
    on_link,
)

Law = ExtremeValue | Normal | Logistic | LogGamma
NARROW = 1e-6  # relative width of an interval below which its probability is density times width
SMALLEST, LARGEST = 1e-9, 1e9  # of b, in units of the spread of log t


@dataclass(frozen=True)
class Kind:
    """Rows that say one kind of thing: log times `y` of one or two ends, covariates and weights."""

    y: np.ndarray
    x: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class LogTimeRows:
    """Distinct rows, log times less `center` in units of `spread`: T in (0, t], T > t, T in (s, t], T about t.

    `constant` is the part of each of the last ones' log-likelihood that no parameter changes.
    """

    below: Kind
    above: Kind
    between: Kind
    at: Kind
    center: float
    spread: float
    constant: np.ndarray

    @property
    def size(self) -> int:
        """The number of covariates."""
        return self.at.x.shape[1]

    @property
    def weight(self) -> float:
        return float(sum(kind.weights.sum() for kind in (self.below, self.above, self.between, self.at)))


def cells(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The cell of every row, rows with equal values sharing one, and a first row of each cell."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        part, values = pd.factorize(column)
        code = pd.factorize(code * len(values) + part)[0]
    first = np.full(code.max() + 1, len(code), dtype=np.int64)
    np.minimum.at(first, code, np.arange(len(code)))
    return code, first


def build(left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray) -> LogTimeRows:
    """Sort rows, best distinct ones, into kinds; those of (0, inf) say nothing and are left out."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.log(left), np.log(right)
        width = np.log1p((right - left) / left)
    known = np.isfinite(left) & (left > 0) & np.isfinite(right)
    at = known & (width < NARROW)
    middle = np.where(at, low, 0.0) + np.where(at, width, 0.0) / 2
    guess = np.concatenate(
        [
            middle[at],
            low[known & ~at],
            high[known & ~at],
            low[np.isinf(right) & (left > 0)],
            high[(left == 0) & np.isfinite(right)],
        ]
    )
    center = float(guess.mean())
    spread = float(np.std(guess)) or 1.0

    def kind(rows: np.ndarray, *ends: np.ndarray) -> Kind:
        rows = rows & (weights > 0)
        y = np.stack([(end[rows] - center) / spread for end in ends])
        return Kind(y[0] if len(ends) == 1 else y, X[rows], weights[rows])

    # The density of t is that of log t over t, and that of log t is that of y over the spread.
    used = at & (weights > 0)
    with np.errstate(divide="ignore"):
        constant = np.where(width[used] > 0, np.log(width[used]), -low[used]) - np.log(spread)
    return LogTimeRows(
        kind((left == 0) & np.isfinite(right), high),
        kind((left > 0) & np.isinf(right), low),
        kind(known & ~at, low, high),
        kind(at, middle),
        center,
        spread,
        constant,
    )


@dataclass(frozen=True)
class Likelihood:
    """The log-likelihood of `rows` under `model` with this `law`; with `b` given, b is held there."""

    rows: LogTimeRows
    law: Law
    model: str
    b: float | None = None

    def evaluate(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Value, gradient (p,), information (p, p): minus the Hessian, and Σ w v v' of the predictors' gradients v."""
        rows = self.rows
        sums = _Sums(len(theta))
        for rule, kind in ((_below, rows.below), (_above, rows.above), (_at, rows.at)):
            if len(kind.weights):
                scale, at = self._place(theta, kind.y, kind.x)
                value, first, second = rule(at)
                sums.add(value, first, second, scale, kind.y, self._signed(kind.x), kind.weights)
                if rule is _at:
                    sums.add_density(theta[0], scale, kind.y, kind.weights)
        if len(rows.between.weights):
            self._between(theta, sums)
        return sums.value + float(rows.at.weights @ rows.constant), sums.gradient, -sums.hessian, sums.gram

    def _signed(self, x: np.ndarray) -> np.ndarray:
        return -x if self.model == "aft" else x

    def _place(self, theta: np.ndarray, y: np.ndarray, x: np.ndarray):
        z = theta[0] * y - theta[1]
        if self.model == "aft":
            zero = np.zeros_like(z)
            return Scale(z, zero + 1, zero, zero, zero), self.law.tails(z - x @ theta[2:])
        scale = on_link(self.law, self.model, z)
        return scale, LINKS[self.model].tails(scale.eta + x @ theta[2:])

    def _between(self, theta: np.ndarray, sums: _Sums) -> None:
        kind = self.rows.between
        (low_y, high_y), x, w = kind.y, self._signed(kind.x), kind.weights
        low_scale, low = self._place(theta, low_y, kind.x)
        high_scale, high = self._place(theta, high_y, kind.x)
        # The probability is a difference, of whichever tails are the smaller.
        value = np.where(
            high.log_cdf < low.log_sf,
            high.log_cdf + log1mexp(np.minimum(low.log_cdf - high.log_cdf, 0.0)),
            low.log_sf + log1mexp(np.minimum(high.log_sf - low.log_sf, 0.0)),
        )
        by_low, by_high = np.exp(low.log_pdf - value), np.exp(high.log_pdf - value)
        sums.add(value, by_high, by_high * (high.slope - by_high), high_scale, high_y, x, w)
        sums.add(0.0, -by_low, -by_low * (low.slope + by_low), low_scale, low_y, x, w)
        sums.add_cross(by_low * by_high, _gradient_of(low_scale, low_y, x), _gradient_of(high_scale, high_y, x), w)


class _Sums:
    def __init__(self, size: int) -> None:
        self.value = 0.0
        self.gradient = np.zeros(size)
        self.hessian = np.zeros((size, size))
        self.gram = np.zeros((size, size))

    def add(self, value, first, second, scale: Scale, y: np.ndarray, x: np.ndarray, weights: np.ndarray) -> None:
        """Add w · value(eta), given its first two derivatives by the linear predictor eta."""
        self.value += float(np.sum(weights * value))
        v = _gradient_of(scale, y, x)
        self.gradient += v.T @ (weights * first)
        self.hessian += (v * (weights * second)[:, None]).T @ v
        self.gram += (v * weights[:, None]).T @ v
        self._bend(weights * first * scale.rate * scale.slope, y)

    def add_density(self, b: float, scale: Scale, y: np.ndarray, weights: np.ndarray) -> None:
        """Add w · log(d eta / dy)."""
        total = weights.sum()
        self.value += float(weights @ scale.log_rate) + total * (np.log(b) if b > 0 else -np.inf)
        self.gradient[0] += (weights * scale.slope) @ y + total / b
        self.gradient[1] -= (weights * scale.slope).sum()
        self._bend(weights * scale.curvature, y)
        self.hessian[0, 0] -= total / b**2

    def add_cross(self, cross: np.ndarray, low: np.ndarray, high: np.ndarray, weights: np.ndarray) -> None:
        part = (low * (weights * cross)[:, None]).T @ high
        self.hessian += part + part.T

    def _bend(self, c: np.ndarray, y: np.ndarray) -> None:
        """Add Σ c u u' with u = (y, -1), the gradient of z."""
        cy = float(c @ y)
        self.hessian[:2, :2] += np.array([[float((c * y) @ y), -cy], [-cy, float(c.sum())]])


def _gradient_of(scale: Scale, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.column_stack([scale.rate * y, -scale.rate, x])


def _below(at):
    rate = np.exp(at.log_pdf - at.log_cdf)
    return at.log_cdf, rate, rate * (at.slope - rate)


def _above(at):
    hazard = np.exp(at.log_pdf - at.log_sf)
    return at.log_sf, -hazard, -hazard * (at.slope + hazard)


def _at(at):
    return at.log_pdf, at.slope, at.curvature


@dataclass(frozen=True)
class Maximum:
    """Where Newton's method ended; `information` and `gram` over all of theta, `free` (p,) what was not held."""

    theta: np.ndarray
    value: float
    information: np.ndarray
    gram: np.ndarray
    free: np.ndarray
    converged: bool

    @property
    def at_edge(self) -> bool:
        """Whether b is at its lower bound."""
        return bool(self.theta[0] <= SMALLEST * 1.0001)


def maximise(likelihood: Likelihood, theta: np.ndarray, steps: int = 100) -> Maximum:
    """Newton's method with b in its bounds, a line search, and a Hessian made definite where it is not."""
    theta = np.array(theta, dtype=float)
    if likelihood.b is not None:
        theta[0] = likelihood.b
    reach = 5.0 * max(1.0, abs(getattr(likelihood.law, "Q", 0.0)))
    with np.errstate(all="ignore"):
        value, gradient, information, gram = likelihood.evaluate(theta)
        converged = False
        for _ in range(steps):
            step, free = _step(likelihood, theta, gradient, information, gram, reach)
            promise = float(gradient @ step)
            last = promise < 1e-13 * max(1.0, abs(value))
            scale, result = 1.0, likelihood.evaluate(theta + step)
            while not last and not result[0] >= value + 1e-4 * scale * promise and scale > 1e-9:
                scale /= 2
                result = likelihood.evaluate(theta + scale * step)
            # Where not even a small step gains, the promise drowns in rounding.
            converged = promise < 1e-9 * max(1.0, abs(value))
            if result[0] > value or (last and result[0] >= value - 1e-12 * max(1.0, abs(value))):
                theta = theta + scale * step
                value, gradient, information, gram = result
            else:
                break
            if last:
                break
        value = value if np.isfinite(value) else -np.inf
    return Maximum(theta, value, information, gram, free, converged)


def _step(likelihood, theta, gradient, information, gram, reach) -> tuple[np.ndarray, np.ndarray]:
    """Newton's step within the bounds of b, moving no predictor by much more than `reach`."""
    free = np.ones(len(theta), dtype=bool)
    if likelihood.b is not None or (theta[0] <= SMALLEST and gradient[0] <= 0):
        free[0] = False
    step = np.zeros(len(theta))
    step[free] = _definite_solve(information[np.ix_(free, free)], gradient[free], gram[np.ix_(free, free)])
    if free[0] and not SMALLEST <= theta[0] + step[0] <= LARGEST:
        step[0] = np.clip(theta[0] + step[0], SMALLEST, LARGEST) - theta[0]
        rest = np.arange(len(theta)) > 0
        pull = gradient[rest] - information[rest, 0] * step[0]
        step[rest] = _definite_solve(information[np.ix_(rest, rest)], pull, gram[np.ix_(rest, rest)])
    length = np.sqrt(max(float(step @ gram @ step), 0.0) / likelihood.rows.weight)
    if length > reach:
        step = step * (reach / length)
    return step, free


def _definite_solve(information: np.ndarray, gradient: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """Solve with the information's eigenvalues made positive; coordinates are scaled by the Gram matrix."""
    scale = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    scale = np.where(scale > 1e-100, scale, 1.0)
    matrix = information / np.outer(scale, scale)
    if not np.isfinite(matrix).all():
        return gradient / scale**2
    values, vectors = np.linalg.eigh(matrix)
    values = np.maximum(np.abs(values), max(1e-15, 1e-14 * np.abs(values).max()))
    return (vectors @ ((vectors.T @ (gradient / scale)) / values)) / scale
