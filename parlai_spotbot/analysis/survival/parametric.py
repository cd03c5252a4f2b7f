"""Parametric regression of interval-censored times by R's icenReg: proportional hazards, odds, accelerated failure.

Families: exponential, Weibull, gamma, log-normal, log-logistic and generalized gamma. Exact, left-, right- and
interval-censored rows may be mixed. See Anderson-Bergman (2017, J. Stat. Softw. 81); Lawless (2003), chapter 6.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.design import DesignMatrix, design
from parlai_spotbot.analysis.survival.intervals import check
from parlai_spotbot.analysis.survival.results import RATIOS, ConvergenceWarning, RegressionFit

PARAMETERS = {
    "exponential": ("log_scale",),
    "weibull": ("log_shape", "log_scale"),
    "gamma": ("log_shape", "log_scale"),
    "lognormal": ("mu", "log_sigma"),
    "loglogistic": ("log_alpha", "log_beta"),
    "generalgamma": ("mu", "log_sigma", "Q"),
}
"""Parameters of each family; scales and shapes are reported as logarithms."""


@dataclass(frozen=True)
class ParametricFit(RegressionFit):
    """A `RegressionFit` with a parametric baseline.

    `parameters` (see `PARAMETERS`) are those of the distribution at covariates `centre` (p,), their weighted means;
    `parameter_se` their standard errors, NaN where icenReg has none.
    """

    parameters: dict[str, float] = field(default_factory=dict)
    parameter_se: dict[str, float] = field(default_factory=dict)
    dist: str = "weibull"
    centre: np.ndarray = field(default_factory=lambda: np.empty(0))


def parametric(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame | None = None,
    model: str = "ph",
    dist: str = "weibull",
    *,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> ParametricFit:
    """Fit a parametric regression by maximum likelihood, with R's icenReg.

    Rows are taken as independent; `cox` has standard errors by clusters.

    Parameters
    ----------
    left, right : sequences (n,)
        T in (left, right]; right = inf: right-censored; left == right: exact, above 0.
    X : array or frame (n, p), optional
        Covariates; none by default.
    model : str
        "ph": S0(t)^exp(xb); "po": odds of F0(t) times exp(xb); "aft": S0(t exp(-xb)).
    dist : str
        "exponential", "weibull", "gamma", "lognormal", "loglogistic" or "generalgamma".
    weights : sequence (n,), optional
        How often each row counts.
    names : sequence of str, optional
        Names of the covariates; by default the frame's columns.

    Raises
    ------
    ValueError
        Names the argument, row and value that cannot be used, or says how to install icenReg.
    RuntimeError
        Gives the error of R.

    Warns
    -----
    ConvergenceWarning
        icenReg has no standard errors for some parameters.
    """
    for name, value, expected in (("model", model, RATIOS), ("dist", dist, PARAMETERS)):
        if value not in expected:
            raise ValueError(f"{name} is {value!r}, expected one of {', '.join(expected)}")
    icenreg.choose("icenreg")
    left, right, weights = check(left, right, weights)
    if (right == 0).any():
        raise ValueError(f"right: row {int(np.argmin(right))} is an exact time 0, expected times above 0")
    covariates = DesignMatrix(np.empty((len(left), 0)), (), np.zeros(0, dtype=bool))
    if X is not None:
        covariates = design(X, len(left), names=names, weights=weights, caller="parametric")
    used = weights > 0
    left, right, weights = left[used], right[used], weights[used]
    fit, offset = _fit(left, right, covariates.values[used][:, covariates.use], weights, model, dist)
    null = _fit(left, right, np.empty((len(left), 0)), weights, model, dist)[0] if covariates.use.any() else fit
    return _result(fit, null.loglik, offset, covariates, model, dist)


def _fit(
    left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray, model: str, dist: str
) -> tuple[icenreg.Parametric, np.ndarray]:
    """Return icenReg's fit at the covariates' weighted means, and these means (p,).

    icenReg's reference point is the plain mean of its rows. An additional row (0, inf), which carries no information,
    moves it to the weighted mean.
    """
    offset = weights @ X / weights.sum()
    X = X - offset
    X = np.vstack([X, -X.sum(axis=0)])
    left, right, weights = np.append(left, 0.0), np.append(right, np.inf), np.append(weights, 1.0)
    return icenreg.ic_par(left, right, X, weights, model, dist), offset


def _result(
    fit: icenreg.Parametric, null: float, offset: np.ndarray, covariates: DesignMatrix, model: str, dist: str
) -> ParametricFit:
    """Return the fit with NaN for covariates that were left out."""
    baseline, use = len(PARAMETERS[dist]), covariates.use
    values, covariance = np.array(list(fit.parameters.values())), fit.covariance.copy()
    if dist == "generalgamma":  # icenReg's third parameter is log Q
        values[2] = np.exp(values[2])
        by_log = np.append([1, 1, values[2]], np.ones(len(fit.coef)))
        covariance *= np.outer(by_log, by_log)
    unknown = ~(np.diag(covariance) > 0)
    covariance[unknown, :] = covariance[:, unknown] = np.nan
    if unknown.any():
        text = "parametric: icenReg has no standard errors for some parameters: it may have stopped early"
        warnings.warn(text, ConvergenceWarning, stacklevel=3)
    coef, centre = np.full(len(use), np.nan), np.zeros(len(use))
    coef[use], centre[use] = fit.coef, offset
    square = np.full((len(use), len(use)), np.nan)
    square[np.ix_(use, use)] = covariance[baseline:, baseline:]
    se = np.sqrt(np.diag(covariance)[:baseline])
    return ParametricFit(
        covariates.names,
        coef,
        square,
        fit.loglik,
        null,
        model,
        "icenreg",
        parameters=dict(zip(PARAMETERS[dist], values.tolist(), strict=True)),
        parameter_se=dict(zip(PARAMETERS[dist], se.tolist(), strict=True)),
        dist=dist,
        centre=centre,
    )
