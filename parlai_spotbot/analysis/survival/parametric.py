"""Parametric regression of interval-censored times, as proportional hazards, proportional odds or accelerated failure.

Families: exponential, Weibull, gamma, log-normal, log-logistic, generalized gamma (`families`). Exact, left-, right-
and interval-censored rows may be mixed. See Kalbfleisch & Prentice (2002), chapters 2 and 3; Lawless (2003), chapter 6.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.design import DesignMatrix, design
from parlai_spotbot.analysis.survival.families import PARAMETERS, ParametricBaseline, parameters_of
from parlai_spotbot.analysis.survival.intervals import check, numbers
from parlai_spotbot.analysis.survival.locationscale import LARGEST, LogTimeRows, build, cells
from parlai_spotbot.analysis.survival.maximum import Estimate, estimate, flat_directions, information
from parlai_spotbot.analysis.survival.resample import bootstrap, clusterings, covariance_of
from parlai_spotbot.analysis.survival.results import (
    MODELS,
    BootstrapWarning,
    ConvergenceWarning,
    RegressionFit,
    SeparationWarning,
)
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap

ERRORS = ("information", "bootstrap")
RUNAWAY = 8.0  # effect of a covariate, in its standard deviations on the predictor, that stands for infinity


@dataclass(frozen=True)
class ParametricFit(RegressionFit):
    """A `RegressionFit` with a parametric baseline.

    `parameters` (see `families.PARAMETERS`) are those of the distribution at `offset` (p,), the covariates' weighted
    means, so that the fit doesn't depend on where a covariate has its 0; `baseline` is moved to covariates 0.
    `parameter_se` are their standard errors, NaN where the data don't determine them.
    """

    dist: str = "weibull"
    offset: np.ndarray = field(default_factory=lambda: np.empty(0))
    parameter_se: dict[str, float] = field(default_factory=dict)

    def survival(self, t: ArrayLike, X: ArrayLike | pd.DataFrame) -> np.ndarray:
        """P(T > t) for every row of covariates: (rows, times); exact however far the rows are from covariates 0."""
        return self._at(X).survival(np.atleast_1d(numbers(t, "t", truth=False))[None, :])

    def quantile(self, q: ArrayLike, X: ArrayLike | pd.DataFrame) -> np.ndarray:
        """The times by which shares q are spotted, for every row of covariates: (rows, shares)."""
        q = np.atleast_1d(numbers(q, "q"))[None, :]
        if not ((q > 0) & (q < 1)).all():
            raise ValueError(f"q is {q.ravel().tolist()}, expected shares between 0 and 1")
        return self._at(X).quantile(q)

    def _at(self, X: ArrayLike | pd.DataFrame) -> ParametricBaseline:
        """The distributions at rows of covariates, one in each row of what they are asked for."""
        return replace(self.baseline, shift=self.baseline.shift + self._predictor(X)[:, None])


def parametric(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame | None = None,
    model: str = "ph",
    dist: str = "weibull",
    *,
    formula: str | None = None,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    errors: str = "information",
    clusters: ArrayLike | None = None,
    replicates: int = 200,
    seed: int | np.random.Generator = 0,
    backend: str = "auto",
) -> ParametricFit:
    """Fit a parametric regression by maximum likelihood.

    Parameters
    ----------
    left, right : sequences (n,)
        T in (left, right]; right = inf: right-censored; left == right: exact, above 0. Ends that differ by rounding
        are one end, see `intervals.merge_ends`.
    X : array or frame (n, p), optional
        Covariates, or with a `formula` the frame that has its columns; none by default.
    model : str
        "ph": S0(t)^exp(xb); "po": odds of F0(t) times exp(xb); "aft": S0(t exp(-xb)).
    dist : str
        "exponential", "weibull", "gamma", "lognormal", "loglogistic" or "generalgamma".
    weights : sequence (n,), optional
        How often each row counts.
    errors : str
        "information": covariance from the observed information; "bootstrap": of rows or, with `clusters` (n,), of
        whole clusters, `replicates` times, drawn with `seed`; of two clusterings, as a list or frame, as in `cox`.
    backend : str
        "native", "icenreg" (R's icenReg), or "auto": icenReg where it is installed, else native.

    Raises
    ------
    ValueError
        Names the argument, row and value that can't be used; or says why the likelihood has no maximum.

    Warns
    -----
    ConvergenceWarning
        The maximum is at the edge of the parameters' range, or the data don't determine all parameters.
    SeparationWarning
        A covariate tells early from late rows perfectly.
    """
    _one_of("model", model, MODELS)
    _one_of("dist", dist, PARAMETERS)
    _one_of("errors", errors, ERRORS)
    left, right, weights = check(left, right, weights)
    if X is None and (formula is not None or names is not None):
        raise ValueError("X is None, expected covariates where there is a formula or names")
    covariates = DesignMatrix(np.empty((len(left), 0)), (), np.zeros(0, dtype=bool))
    if X is not None:
        covariates = design(X, len(left), formula=formula, names=names, weights=weights, caller="parametric")
    _refuse_hopeless(left, right, weights, dist)
    backend = icenreg.choose(backend)
    used = covariates.values[:, covariates.use]
    data = _Data.collapse(left, right, used, weights)
    fit = _icenreg_fit if backend == "icenreg" else _native_fit
    result, start = fit(data, model, dist, [n for n, u in zip(covariates.names, covariates.use, strict=True) if u])
    for category, text in result.pop("said"):
        warnings.warn(f"parametric: {text}", category, stacklevel=2)
    origin = errors if errors == "information" else "bootstrap of " + ("rows" if clusters is None else "clusters")
    draws = None
    if errors == "bootstrap":
        if replicates < 2:
            raise ValueError(f"replicates is {replicates}, expected a whole number from 2 up")
        units = clusterings(clusters, len(weights), np.ones(len(weights), dtype=bool))
        drawn = bootstrap(units, len(weights), replicates, seed)
        draws = _bootstrap(data, weights, drawn, fit, model, dist, start)
        result["covariance"], result["df"] = _covariance(drawn, draws)
    return _spread_out(result, covariates, draws, errors=origin, model=model, dist=dist, backend=backend)


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(known)}")


def _refuse_hopeless(left: np.ndarray, right: np.ndarray, weights: np.ndarray, dist: str) -> None:
    """Data under which the likelihood has no maximum whatever the covariates."""
    zero = right == 0
    if zero.any():
        raise ValueError(
            f"right: row {int(np.flatnonzero(zero)[0])} is an exact time 0, where these distributions have no density; "
            "expected a time above 0, or give the row as left-censored at the smallest time that can be told from 0"
        )
    left, right = left[weights > 0], right[weights > 0]
    if np.isinf(right).all():
        raise ValueError("right: every row is right-censored, so the hazard goes to 0; expected at least one event")
    if (left == 0).all():
        raise ValueError(
            "left: every row is left-censored, so the times go to 0; expected a row with left above 0 (not yet spotted)"
        )
    if dist != "exponential" and (left == right).any() and left.max() <= right.min():
        raise ValueError(
            f"left: every row allows the exact time {left.max():g}, where the density grows without end; "
            "expected at least two different times, or dist='exponential'"
        )


@dataclass(frozen=True)
class _Data:
    """Distinct rows and weights; `cell` (n,) is the one of every original row, `offset` the covariates' means."""

    left: np.ndarray
    right: np.ndarray
    X: np.ndarray
    weights: np.ndarray
    cell: np.ndarray
    offset: np.ndarray

    @classmethod
    def collapse(cls, left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray) -> _Data:
        cell, first = cells([left, right, *X.T])
        total = np.bincount(cell, weights)
        values = X[first]
        offset = total @ values / total.sum() if values.shape[1] else np.empty(0)
        return cls(left[first], right[first], values, total, cell, offset)

    def rows(self, weights: np.ndarray | None = None) -> LogTimeRows:
        return build(self.left, self.right, self.X - self.offset, self.weights if weights is None else weights)

    def without_covariates(self) -> _Data:
        return _Data.collapse(self.left, self.right, np.empty((len(self.left), 0)), self.weights)


def _native_fit(data: _Data, model: str, dist: str, names: Sequence[str], start=None, weights=None):
    found = estimate(data.rows(weights), dist, model, start)
    if weights is not None:
        return np.where(_reach(found) > RUNAWAY, np.nan, found.slopes()), None
    covariance, runaway, said = _natural_covariance(found, names)
    coef = np.where(runaway, np.copysign(np.inf, found.slopes()), found.slopes())
    null = found.value if not len(names) else estimate(data.without_covariates().rows(), dist, "aft").value
    own = len(PARAMETERS[dist])
    with np.errstate(invalid="ignore"):
        se = np.sqrt(np.diag(covariance))
    parameters = parameters_of(dist, *found.location_scale())
    return {
        "said": said,
        "coef": coef,
        "shift": -float(found.slopes() @ data.offset),
        "covariance": covariance[own:, own:],
        "loglik": found.value,
        "loglik_null": null,
        "parameters": parameters,
        "parameter_se": dict(zip(parameters, se[:own].tolist(), strict=True)),
        "offset": data.offset,
    }, found


def _natural_covariance(found: Estimate, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray, list[tuple]]:
    """Covariance of (parameters, coefficients), and which coefficients are infinite, and what to warn of."""
    matrix, gram = information(found)
    free = found.free.copy()
    flat = flat_directions(matrix[np.ix_(free, free)], gram[np.ix_(free, free)])
    own = len(free) - len(names)
    runaway = np.zeros(len(names), dtype=bool)
    lost = np.zeros(len(free), dtype=bool)
    if len(flat):
        lost[free] = (np.abs(flat) > 1e-3).any(axis=0)
        # Where the likelihood is flat, Newton's method has gone as far as a predictor can be seen to move it.
        runaway = lost[own:] & (_reach(found) > RUNAWAY) & (not found.inner.at_edge) & (not found.shape_at_edge)
    keep = free & ~lost
    covariance = np.full(matrix.shape, np.nan)
    if keep.any():
        covariance[np.ix_(keep, keep)] = np.linalg.pinv(matrix[np.ix_(keep, keep)], hermitian=True)
    held = ~keep & ~lost & ~_at_bound(found)  # b of the exponential or gamma is no parameter: it doesn't vary
    covariance[held, :] = covariance[:, held] = 0.0
    jacobian = _jacobian(found)
    # A parameter is unknown where it depends on something unknown; NaN times 0 must not spread.
    unknown = (np.abs(jacobian) > 0) @ np.isnan(np.diag(covariance)) > 0
    result = jacobian @ np.nan_to_num(covariance) @ jacobian.T
    result[unknown, :] = result[:, unknown] = np.nan
    return result, runaway, _doubts(found, names, lost, runaway)


def _reach(found: Estimate) -> np.ndarray:
    """How far a standard deviation of each covariate moves the predictor."""
    return np.abs(found.inner.theta[2:]) * np.sqrt(np.diag(found.inner.gram)[2:] / found.rows.weight)


def _at_bound(found: Estimate) -> np.ndarray:
    bound = np.zeros(len(found.phi), dtype=bool)
    bound[0], bound[1] = found.shape_at_edge, found.inner.at_edge
    return bound


def _jacobian(found: Estimate) -> np.ndarray:
    """Derivatives of (parameters, coefficients) by phi = (u, b, a, slopes)."""
    (b, a), slopes, spread = found.inner.theta[:2], found.inner.theta[2:], found.rows.spread
    size = len(found.phi)
    mu, log_sigma = np.zeros(size), np.zeros(size)
    log_sigma[1] = -1 / b
    mu[1], mu[2] = -a * spread / b**2, spread / b
    coefs = np.eye(size)[3:]
    if found.model == "aft":
        coefs = coefs * spread / b
        coefs[:, 1] = -slopes * spread / b**2
    shape = np.zeros(size)
    shape[0] = np.cosh(found.u) if found.dist == "generalgamma" else 1.0
    if found.dist == "gamma":  # here b is spread · exp(u / 2)
        for row in (mu, *coefs):
            row[0], row[1] = row[1] * b / 2, 0.0
    by_name = {
        "exponential": [mu],
        "weibull": [-log_sigma, mu],
        "gamma": [shape, mu - shape],
        "lognormal": [mu, log_sigma],
        "loglogistic": [mu, -log_sigma],
        "generalgamma": [mu, log_sigma, shape],
    }[found.dist]
    return np.vstack([*by_name, coefs])


def _doubts(
    found: Estimate, names: Sequence[str], lost: np.ndarray, runaway: np.ndarray
) -> list[tuple[type[Warning], str]]:
    """What is wrong with the maximum: warnings and their texts."""
    said = []
    if found.inner.at_edge:
        said.append(
            "the maximum is at sigma -> infinity, where every event happens at once or never: the data show none that "
            "comes with time"
        )
    if found.inner.theta[0] >= LARGEST / 10 and found.dist not in ("exponential", "gamma"):
        said.append("the maximum is at sigma -> 0: given the covariates, one time fits every row")
    if found.shape_at_edge:
        said.append(f"the maximum is at the edge of the shape's range ({found.location_scale()[2]:.3g})")
    if not found.inner.converged:
        said.append("Newton's method stopped short of the maximum")
    if lost.any() and not said and not runaway.any():
        said.append("the data don't determine all parameters: other values fit as well")
    doubts: list[tuple[type[Warning], str]] = []
    if runaway.any():
        which = ", ".join(n for n, r in zip(names, runaway, strict=True) if r)
        doubts.append(
            (
                SeparationWarning,
                f"{which} separates early from late rows: no finite estimate; drop it or collect more data",
            )
        )
    if said:
        advice = "a family with fewer parameters, such as the exponential, may fit as well"
        doubts.append((ConvergenceWarning, f"{'; '.join(said)}; {advice}"))
    return doubts


def _spread_out(result: dict, covariates: DesignMatrix, draws: np.ndarray | None, **rest) -> ParametricFit:
    """The fit, with NaN for covariates that were left out."""
    use = covariates.use
    coef, offset = np.full(len(use), np.nan), np.zeros(len(use))
    covariance = np.full((len(use), len(use)), np.nan)
    coef[use], offset[use] = result["coef"], result["offset"]
    covariance[np.ix_(use, use)] = result["covariance"]
    df = None
    if "df" in result:
        df = np.full(len(use), np.nan)
        df[use] = result["df"]
    if draws is not None:
        wide = np.full((len(draws), len(use)), np.nan)
        wide[:, use] = draws
        draws = wide
    baseline = ParametricBaseline(rest["dist"], result["parameters"], rest["model"], result["shift"])
    same = {name: result[name] for name in ("loglik", "loglik_null", "parameters", "parameter_se")}
    return ParametricFit(
        covariates.names, coef, covariance, baseline=baseline, replicates=draws, df=df, offset=offset, **same, **rest
    )


def _bootstrap(
    data: _Data, weights: np.ndarray, drawn: ClusterBootstrap, fit, model: str, dist: str, start
) -> np.ndarray:
    """Coefficients (bootstraps · replicates, p) of data whose rows, or clusters, were drawn with replacement."""
    totals = drawn.cell_sums(data.cell, len(data.weights), weights)
    draws = np.full((len(totals), data.X.shape[1]), np.nan)
    for replicate, total in enumerate(totals):
        try:
            _refuse_hopeless(data.left, data.right, total, dist)
            draws[replicate] = fit(data, model, dist, [], start, total)[0]
        except (ValueError, RuntimeError):
            continue  # a replicate without a maximum has no coefficients
    return draws


def _covariance(drawn: ClusterBootstrap, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = np.isfinite(draws).all(axis=1)
    if known.sum() < 0.95 * len(draws):
        warnings.warn(
            f"parametric: {int((~known).sum())} of {len(draws)} bootstrap replicates have no maximum: "
            "their spread is not in the standard errors",
            BootstrapWarning,
            stacklevel=3,
        )
    return covariance_of(drawn, draws)


def _icenreg_fit(data: _Data, model: str, dist: str, names: Sequence[str], start=None, weights=None):
    total = data.weights if weights is None else weights
    rows = total > 0
    left, right, X, total = data.left[rows], data.right[rows], (data.X - data.offset)[rows], total[rows]
    # icenReg puts its reference point at the plain mean of the rows that it is given. One more row (0, inf), which says
    # nothing, brings that to the weighted mean.
    left, right, total = np.append(left, 0.0), np.append(right, np.inf), np.append(total, 1.0)
    result = icenreg.ic_par(left, right, np.vstack([X, -X.sum(axis=0)]), total, model, dist)
    if weights is not None:
        return result.coef, None
    values, covariance = np.array(list(result.parameters.values())), result.covariance
    if dist == "generalgamma":  # icenReg's third parameter is log Q
        values[2] = np.exp(values[2])
        covariance = covariance * np.outer(*[np.append([1, 1, values[2]], np.ones(len(result.coef)))] * 2)
    own = len(PARAMETERS[dist])
    unknown = ~(np.diag(covariance) > 0)
    covariance[unknown, :] = covariance[:, unknown] = np.nan
    said = (
        [
            (
                ConvergenceWarning,
                "icenReg has no standard errors for some: it may have stopped early; try backend='native'",
            )
        ]
        if unknown.any()
        else []
    )
    se = np.sqrt(np.diag(covariance))
    null = data.without_covariates()
    return {
        "said": said,
        "coef": result.coef,
        "shift": -float(result.coef @ data.offset),
        "covariance": covariance[own:, own:],
        "loglik": result.loglik,
        "loglik_null": icenreg.ic_par(null.left, null.right, null.X, null.weights, model, dist).loglik
        if len(names)
        else result.loglik,
        "parameters": dict(zip(PARAMETERS[dist], values.tolist(), strict=True)),
        "parameter_se": dict(zip(PARAMETERS[dist], se[:own].tolist(), strict=True)),
        "offset": data.offset,
    }, None
