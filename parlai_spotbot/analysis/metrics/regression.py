"""Linear and logistic regression by statsmodels, with p-values that allow for clusters.

Least squares with the F-test, logistic regression with McFadden's pseudo-R² and the likelihood-ratio test (ABC-Eval
2022, section 7.2). Clustered p-values are from the sandwich estimate, on Student's t (see `Clusters`).
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import stdtr
from scipy.stats import chi2

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.errors import packages_named

FLAT = 1e-9
"""A predictor whose spread is less than this share of its size is constant."""

SUSPECT = 20.0
"""From log-odds of this size on the outcomes may be separated."""

CONSTANT = "the metric has the same value everywhere, so it can't explain anything"
FEW = "too few rows: {n} for {k} predictors"
FLAT_OUTCOME = "the outcome is the same everywhere, so there is nothing to explain"
SEPARATED = "the predictors tell both outcomes apart without a single error, so the coefficients have no finite value"


@dataclass(frozen=True)
class Fit:
    """Result of a regression on k predictors; all is NaN if `why` explains what is wrong.

    Attributes
    ----------
    coef, se, se_clustered, df_clustered, p_clustered : arrays (k,)
        Without the intercept; the clustered ones are NaN with fewer than two effective clusters.
    r2, adjusted, p_model : float
        Share of variance explained or McFadden's pseudo-R², the same adjusted for k, and p of the F-test or the
        likelihood-ratio test.
    """

    coef: np.ndarray
    se: np.ndarray
    se_clustered: np.ndarray
    df_clustered: np.ndarray
    p_clustered: np.ndarray
    r2: float = np.nan
    adjusted: float = np.nan
    p_model: float = np.nan
    why: str = ""


def regress(x: np.ndarray, y: np.ndarray, model: str, clusters: Sequence | None = None) -> Fit:
    """Fit y (n,) on x (n, k) and an intercept by `model`, "linear" or "logistic" (y of 0 and 1).

    `clusters` (n,) is the cluster of each row; without them rows are independent.
    """
    n, k = x.shape
    why = obstacle(x, y)
    result = None if why else fitted(x, y, model)
    if result is None:
        return _unknown(k, why or SEPARATED)
    design = result.model.exog
    beta = result.params
    if model == "linear":
        rest = result.resid
        weights = np.ones(n)
        inverse = result.normalized_cov_params
        explained = (result.rsquared, result.rsquared_adj, result.f_pvalue)
    else:
        rest = result.resid_response
        weights = result.mu * (1 - result.mu)
        inverse = result.cov_params()
        gain = result.llf - result.llnull
        null = result.llnull
        explained = (-gain / null, -(gain - k) / null, chi2.sf(2 * gain, k))
    parts = design @ inverse
    grouping = Clusters.by(np.arange(n) if clusters is None else list(clusters))
    variance, df = grouping.variance(parts * rest[:, None], parts**2 * weights[:, None])
    clustered = np.sqrt(variance)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(df > 0, 2 * stdtr(df, -np.abs(beta / clustered)), np.nan)
    return Fit(beta[1:], result.bse[1:], clustered[1:], df[1:], p[1:], *explained)


def _unknown(k: int, why: str) -> Fit:
    """Return the result of a regression that can't be fitted."""
    nothing = np.full(k, np.nan)
    return Fit(nothing, nothing, nothing, nothing, nothing, why=why)


def fitted(x: np.ndarray, y: np.ndarray, model: str):
    """Return statsmodels' results of the regression on x (n, k); None where the predictors separate the outcomes."""
    with packages_named():
        from statsmodels.api import GLM, OLS, add_constant, families

    design = add_constant(x, has_constant="add")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of repeated columns, separation and steps, which are checked here
        if model == "linear":
            return OLS(y, design).fit()
        result = GLM(y, design, family=families.Binomial()).fit(tol=1e-13)
    far = np.abs(design @ result.params).max() >= SUSPECT
    return None if far and separated(design, y) else result


def separated(design: np.ndarray, y: np.ndarray) -> bool:
    """Return True if some combination of the columns (n, k) puts no 1 below and no 0 above zero, and some row off it.

    Then the log-likelihood has no maximum (Albert & Anderson 1984, Biometrika 71).
    """
    sided = design * np.where(y > 0, 1.0, -1.0)[:, None]
    solution = linprog(-sided.sum(axis=0), A_ub=-sided, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    return bool(solution.status == 0 and -solution.fun > 1e-7 * len(y))


def constant(values: np.ndarray) -> bool:
    """Return True if values (n,) differ by no more than rounding."""
    return len(values) == 0 or bool(np.ptp(values) <= FLAT * max(1.0, np.abs(values).max()))


def obstacle(x: np.ndarray, y: np.ndarray) -> str:
    """Return why y (n,) can't be regressed on x (n, k); "" if it can."""
    n, k = x.shape
    if n < k + 3:
        return FEW.format(n=n, k=k)
    if constant(y):
        return FLAT_OUTCOME
    return CONSTANT if not k or any(constant(column) for column in x.T) else ""
