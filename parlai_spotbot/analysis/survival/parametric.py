"""Parametric regression of interval-censored times by R's icenReg: proportional hazards, odds, accelerated failure.

See Anderson-Bergman (2017, J. Stat. Softw. 81); Lawless (2003), chapter 6.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.design import design
from parlai_spotbot.analysis.survival.intervals import check, check_choice
from parlai_spotbot.analysis.survival.results import RATIOS, RegressionFit


@dataclass(frozen=True)
class ParametricFit(RegressionFit):
    """A `RegressionFit` with a parametric baseline: `parameters`, by icenReg's names, of the distribution `dist` at the
    means of the covariates."""

    dist: str = "weibull"
    parameters: dict[str, float] = field(default_factory=dict)


def parametric(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame | None = None,
    model: str = "ph",
    dist: str = "weibull",
    *,
    weights: ArrayLike | None = None,
    entry: None = None,
) -> ParametricFit:
    """Fit a parametric regression by maximum likelihood, with R's icenReg; rows are taken as independent.

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
    entry : None
        Left truncation is not supported: anything else is refused.

    Raises
    ------
    ValueError
        Names the argument, row and value that cannot be used, or says how to install icenReg.
    RuntimeError
        Gives the error of R.
    """
    check_choice(model, "model", RATIOS)
    check_choice(dist, "dist", icenreg.DISTRIBUTIONS)
    icenreg.choose("icenreg")
    left, right, weights = check(left, right, weights, entry)
    covariates = design(np.empty((len(left), 0)) if X is None else X, len(left), weights)
    used = weights > 0
    X = covariates.values[used][:, covariates.use]
    fit = icenreg.ic_par(left[used], right[used], X, weights[used], model, dist)
    covariance = covariates.spread(covariates.spread(fit.covariance).T).T
    values = (covariates.names, covariates.spread(fit.coef), covariance, fit.loglik, model, "icenreg")
    return ParametricFit(*values, dist=dist, parameters=fit.parameters)
