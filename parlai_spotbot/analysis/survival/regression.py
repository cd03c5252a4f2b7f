"""Semi-parametric regression of the time until an entity is spotted: proportional hazards (Cox 1972) and odds.

For current-status data at lengths k the model is a binomial regression on cells (k, spotted, covariates) with the link
cloglog (hazards) or logit (odds) and a baseline that may only rise with k (section 3.3 of the paper).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import linprog, lsq_linear
from scipy.stats import norm

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.intervals import check


class SeparationWarning(UserWarning):
    """A covariate tells spotted from unspotted rows perfectly: its coefficient is infinite."""


@dataclass(frozen=True)
class CoxFit:
    """Coefficients (p,): positive where the covariate goes with being spotted sooner (log hazard or log odds ratio).

    `se` is from the observed information, rows taken as independent; `pvalue` is Wald's. A separated coefficient is
    infinite, with NaN beside it. `baseline` maps k to the survival at covariates 0.
    """

    names: tuple[str, ...]
    coef: np.ndarray
    se: np.ndarray
    pvalue: np.ndarray
    loglik: float
    baseline: dict[float, float]
    model: str
    backend: str


def cox(
    left: Sequence,
    right: Sequence,
    X: np.ndarray | pd.DataFrame,
    model: str = "ph",
    *,
    weights: Sequence | None = None,
    names: Sequence[str] | None = None,
    backend: str = "auto",
) -> CoxFit:
    """Fit proportional hazards ("ph") or proportional odds ("po") to current-status data.

    Parameters
    ----------
    left, right : sequences (n,)
        (0, k] where spotted, (k, inf) otherwise.
    X : array or frame (n, p)
        The covariates; `names` are theirs, by default the frame's columns.

    Raises
    ------
    ValueError
        Other intervals; a covariate that is constant or a combination of the others; nothing to learn from.
    """
    if model not in ("ph", "po"):
        raise ValueError(f"model is {model!r}, expected ph or po")
    left, right, weights = check(left, right, weights)
    values, names = _covariates(X, names, len(left))
    k, spotted = _current_status(left, right)
    backend = icenreg.choose(backend)
    cells = _Cells.build(k, spotted, values, weights, model)
    theta = cells.fit()
    coef = theta[cells.levels :]
    if backend == "icenreg":
        coef = icenreg.ic_sp(left, right, values, weights, model).coef
        theta = cells.fit(coef)
    se = cells.standard_errors(theta)
    runaway = cells.separated()
    if runaway.any():
        which = ", ".join(n for n, r in zip(names, runaway, strict=True) if r)
        warnings.warn(
            f"cox: {which} separates spotted from unspotted rows: no finite estimate; drop it or collect more data",
            SeparationWarning,
            stacklevel=2,
        )
        coef = np.where(runaway, np.copysign(np.inf, coef), coef)
        se = np.where(runaway, np.nan, se)
    with np.errstate(invalid="ignore"):
        pvalue = np.where(runaway, np.nan, 2 * norm.sf(np.abs(coef / se)))
    return CoxFit(names, coef, se, pvalue, cells.evaluate(theta)[0], cells.baseline(theta), model, backend)


def _covariates(
    X: np.ndarray | pd.DataFrame, names: Sequence[str] | None, n: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    if names is None and isinstance(X, pd.DataFrame):
        names = [str(c) for c in X.columns]
    values = np.asarray(X, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != n:
        raise ValueError(f"X: shape {values.shape}, expected one row for every observation ({n})")
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(f"X: row {row}, column {column} is {values[row, column]}, expected a finite number")
    names = tuple(names) if names is not None else tuple(f"x{i + 1}" for i in range(values.shape[1]))
    if len(names) != values.shape[1]:
        raise ValueError(f"names: {len(names)} of them, expected {values.shape[1]}")
    rank = 1
    for column, name in enumerate(names):
        known = np.linalg.matrix_rank(np.column_stack([np.ones(n), values[:, : column + 1]]))
        if known == rank:
            raise ValueError(
                f"X: covariate '{name}' is constant or a combination of the others, expected one that tells rows apart"
            )
        rank = known
    return values, names


def _current_status(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spotted = (left == 0) & np.isfinite(right) & (right > 0)
    passed = np.isinf(right)
    wrong = ~(spotted | passed)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"left: row {row} is ({left[row]}, {right[row]}], expected current-status data: (0, k] or (k, inf)"
        )
    return np.where(spotted, right, left), spotted


@dataclass(frozen=True)
class _Cells:
    """Distinct rows (level of k, spotted, covariates) with their weights, and the linear predictor ``design @ theta``.

    theta holds the baseline at the first level, its rises (>= 0) at the later ones, then the coefficients.
    """

    design: np.ndarray
    spotted: np.ndarray
    weights: np.ndarray
    levels: int
    times: np.ndarray
    certain: dict[float, float]
    model: str

    @classmethod
    def build(cls, k: np.ndarray, spotted: np.ndarray, X: np.ndarray, weights: np.ndarray, model: str) -> _Cells:
        """Leave out lengths at and before which nobody was spotted, or at and after which everybody was.

        There the baseline is 0 or 1 whatever the covariates, and the rows say nothing about them.
        """
        seen = weights > 0
        some, none = k[spotted & seen], k[~spotted & seen]
        first = some.min() if len(some) else np.inf
        final = none.max() if len(none) else -np.inf
        keep = seen & (k >= first) & (k <= final)
        if not keep.any():
            raise ValueError(
                "left: no length at which some were spotted and others, there or later, were not; expected both"
            )
        times = np.unique(k[keep])
        certain = {float(t): 1.0 if t < first else 0.0 for t in np.unique(k[seen]) if t < first or t > final}
        level = np.searchsorted(times, k[keep])
        table = np.column_stack([level, spotted[keep], X[keep]])
        cells, place = np.unique(table, axis=0, return_inverse=True)
        total = np.bincount(place.ravel(), weights[keep])
        rises = np.arange(len(times))[None, :] <= cells[:, :1]
        design = np.column_stack([rises.astype(float), cells[:, 2:]])
        return cls(design, cells[:, 1] == 1, total, len(times), times, certain, model)

    def evaluate(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Log-likelihood, gradient (p,) and information (p, p): minus the Hessian."""
        eta = np.clip(self.design @ theta, -500.0, 500.0)
        value, first, second = (_hazard if self.model == "ph" else _odds)(eta, self.spotted)
        gradient = self.design.T @ (self.weights * first)
        information = (self.design * (-self.weights * second)[:, None]).T @ self.design
        return float(self.weights @ value), gradient, information

    def fit(self, coef: np.ndarray | None = None) -> np.ndarray:
        """Maximise by Newton steps, each a least-squares problem with the rises bounded below by 0.

        With `coef` the coefficients are held there.
        """
        size = self.design.shape[1]
        theta = np.zeros(size)
        free = np.ones(size, dtype=bool)
        if coef is not None:
            theta[self.levels :] = coef
            free[self.levels :] = False
        bounded = np.zeros(size, dtype=bool)
        bounded[1 : self.levels] = True
        loglik, gradient, information = self.evaluate(theta)
        for _ in range(200):
            low = np.where(bounded, -theta, -5.0)[free]
            step = np.zeros(size)
            step[free] = _bounded_newton(information[np.ix_(free, free)], gradient[free], low)
            promise = float(gradient @ step)
            # A promise that drowns in rounding can't be checked, but its full step doubles the digits: the last one.
            last = promise < 1e-12 * max(1.0, abs(loglik))
            scale = 1.0
            while True:
                trial = theta + scale * step
                trial[bounded] = np.maximum(trial[bounded], 0.0)
                result = self.evaluate(trial)
                if last or result[0] >= loglik + 1e-4 * scale * promise or scale < 1e-10:
                    break
                scale /= 2
            theta, (loglik, gradient, information) = trial, result
            if last or np.abs(self.design @ theta).max() > 40:  # beyond 40: separation, there is no maximum
                break
        return theta

    def standard_errors(self, theta: np.ndarray) -> np.ndarray:
        """From the observed information, rises that are 0 held there."""
        free = np.ones(len(theta), dtype=bool)
        free[1 : self.levels] = theta[1 : self.levels] > 1e-9
        covariance = np.linalg.pinv(self.evaluate(theta)[2][np.ix_(free, free)], hermitian=True)
        return np.sqrt(np.diag(covariance)[-(len(theta) - self.levels) :])

    def separated(self) -> np.ndarray:
        """The coefficients that grow without end (Konis 2007): those without which nothing is separated, if any."""
        size = self.design.shape[1] - self.levels
        direction = self._recession(np.ones(size, dtype=bool))
        if direction is None:
            return np.zeros(size, dtype=bool)
        needed = np.array([self._recession(np.arange(size) != i) is None for i in range(size)])
        return needed if needed.any() else np.abs(direction) > 1e-7

    def _recession(self, free: np.ndarray) -> np.ndarray | None:
        """A change of the `free` coefficients that never lowers the likelihood, however far it goes."""
        signed = np.where(self.spotted, 1.0, -1.0)[:, None] * self.design
        bounds = [(-1, 1)] + [(0, 1)] * (self.levels - 1) + [(-1, 1) if f else (0, 0) for f in free]
        found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=bounds)
        return found.x[self.levels :] if found.status == 0 and -found.fun > 1e-7 else None

    def baseline(self, theta: np.ndarray) -> dict[float, float]:
        eta = np.cumsum(theta[: self.levels])
        survival = np.exp(-np.exp(eta)) if self.model == "ph" else 1 / (1 + np.exp(eta))
        known = dict(zip(self.times.tolist(), survival.tolist(), strict=True)) | self.certain
        return dict(sorted(known.items()))


def _bounded_newton(information: np.ndarray, gradient: np.ndarray, low: np.ndarray) -> np.ndarray:
    """The step that maximises gradient·d - ½ d·information·d subject to d >= low, no longer than 5 a coordinate."""
    values, vectors = np.linalg.eigh(information)
    keep = values > values[-1] * 1e-14
    root = np.sqrt(values[keep])
    matrix = root[:, None] * vectors[:, keep].T
    target = vectors[:, keep].T @ gradient / root
    return lsq_linear(matrix, target, bounds=(low - 1e-300, np.full(len(low), 5.0)), method="bvls", tol=1e-14).x


def _hazard(eta: np.ndarray, spotted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and derivatives by eta of log(1 - exp(-exp(eta))) where spotted, of -exp(eta) otherwise."""
    u = np.exp(np.minimum(eta, 30.0))
    with np.errstate(over="ignore"):  # u / inf is 0, as it should be
        ratio = u / np.expm1(u)
    second = ratio * (1 + u / np.expm1(-u))
    value = np.log(-np.expm1(-u))
    return np.where(spotted, value, -u), np.where(spotted, ratio, -u), np.where(spotted, second, -u)


def _odds(eta: np.ndarray, spotted: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and derivatives by eta of log p where spotted, of log(1 - p) otherwise, p the logistic function of eta."""
    sign = np.where(spotted, 1.0, -1.0)
    value = -np.logaddexp(0.0, -sign * eta)
    p = 1 / (1 + np.exp(-eta))
    return value, spotted - p, -p * (1 - p)
