"""Linear and logistic regression with the figures by which metrics are judged: R², pseudo-R² and their p-values.

Ordinary least squares with the F-test, and logistic regression with McFadden's pseudo-R² and the likelihood-ratio test
(ABC-Eval 2022, section 7.2). Beside the usual p of each coefficient stands one that knows rows of one cluster to be
alike: the sandwich estimate, on Student's t with one degree of freedom less than effective clusters (see `Clusters`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.special import expit, stdtr, xlogy
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, codes_of

FLAT = 1e-9
"""A predictor whose spread is less than this share of its size is constant."""

STEPS = 60
TOLERANCE = 1e-10
FAR = 30.0
"""At log-odds of this size the search pauses: it would run for ever, if the outcomes are separated."""

SUSPECT = 20.0
"""From log-odds of this size on it is found out whether the outcomes are separated: where they are, the search gains
more than `TOLERANCE` until they are larger."""

CONSTANT = "the metric has the same value everywhere, so it can't explain anything"
FEW = "too few rows: {n} for {k} predictors"
FLAT_OUTCOME = "the outcome is the same everywhere, so there is nothing to explain"
SEPARATED = "the predictors tell both outcomes apart without a single error, so the coefficients have no finite value"
COLLINEAR = "the predictors repeat each other, so their coefficients can't be told apart"


@dataclass(frozen=True)
class Fit:
    """A regression of n rows on k predictors.

    Attributes
    ----------
    coef, se, p : arrays (k,)
        Without the intercept; NaN where `why` says that they aren't known.
    se_clustered, p_clustered : arrays (k,)
        From the sandwich estimate by clusters; NaN with fewer than two.
    r2, adjusted : float
        Share of variance explained, or McFadden's pseudo-R²; adjusted for the number of predictors.
    p_model : float
        Of the F-test, or of the likelihood-ratio test.
    clusters : int
        How many there are.
    why : str
        What is wrong; "" where nothing is.
    """

    n: int
    coef: np.ndarray
    se: np.ndarray
    p: np.ndarray
    se_clustered: np.ndarray
    p_clustered: np.ndarray
    intercept: float
    r2: float
    adjusted: float
    p_model: float
    loglik: float
    clusters: int
    why: str = ""


def linear(x: np.ndarray, y: np.ndarray, clusters: Sequence | None = None) -> Fit:
    """Least squares of y (n,) on x (n, k) and an intercept; clusters (n,), by default each row its own."""
    x, y, codes = _checked(x, y, clusters)
    n, k = x.shape
    problem = _problem(x, y)
    if problem:
        return _nothing(n, k, codes, problem)
    design = np.column_stack([np.ones(n), x])
    if np.linalg.matrix_rank(design / np.linalg.norm(design, axis=0)) <= k:
        return _nothing(n, k, codes, COLLINEAR)
    inverse = np.linalg.inv(design.T @ design)
    beta = inverse @ (design.T @ y)
    rest = y - design @ beta
    rss, total = float(rest @ rest), float(np.square(y - y.mean()).sum())
    df = n - k - 1
    r2 = 1 - rss / total
    se = np.sqrt(rss / df * np.diag(inverse))
    statistic = (r2 / k) / ((1 - r2) / df) if r2 < 1 else np.inf
    own, own_df = _clustered(design, rest, np.ones(n), inverse, codes)
    return Fit(
        n,
        beta[1:],
        se[1:],
        _two_sided(beta, se, df)[1:],
        own[1:],
        _two_sided(beta, own, own_df)[1:],
        float(beta[0]),
        r2,
        1 - (1 - r2) * (n - 1) / df,
        float(f_distribution.sf(statistic, k, df)),
        float(-n / 2 * (np.log(2 * np.pi * max(rss, 1e-300) / n) + 1)),
        int(codes.max()) + 1,
    )


def logistic(x: np.ndarray, y: np.ndarray, clusters: Sequence | None = None) -> Fit:
    """Logistic regression of y (n,) of 0 and 1 on x (n, k) and an intercept, by Newton's method.

    Where the predictors separate the outcomes there is no maximum: `why` says so, and nothing is estimated.
    """
    x, y, codes = _checked(x, y, clusters)
    n, k = x.shape
    problem = _problem(x, y)
    if problem:
        return _nothing(n, k, codes, problem)
    middle, scale = x.mean(axis=0), x.std(axis=0)
    design = np.column_stack([np.ones(n), (x - middle) / scale])
    if np.linalg.matrix_rank(design) <= k:
        return _nothing(n, k, codes, COLLINEAR)
    beta, loglik = newton(design, y)
    if np.abs(design @ beta).max() >= SUSPECT:
        if separated(design, y):
            return _nothing(n, k, codes, SEPARATED)
        beta, loglik = newton(design, y, beta, far=np.inf)
    null = null_loglik(y)
    chance = expit(design @ beta)
    inverse = np.linalg.inv((design * (chance * (1 - chance))[:, None]).T @ design)
    se = np.sqrt(np.diag(inverse))
    own, own_df = _clustered(design, y - chance, chance * (1 - chance), inverse, codes)
    z = np.abs(beta / se)
    slope = beta[1:] / scale
    return Fit(
        n,
        slope,
        se[1:] / scale,
        np.asarray(2 * stdtr(np.inf, -z))[1:],
        own[1:] / scale,
        _two_sided(beta, own, own_df)[1:],
        float(beta[0] - slope @ middle),
        1 - loglik / null,
        1 - (loglik - k) / null,
        float(chi2.sf(2 * (loglik - null), k)),
        loglik,
        int(codes.max()) + 1,
    )


def newton(
    design: np.ndarray, y: np.ndarray, start: np.ndarray | None = None, far: float = FAR
) -> tuple[np.ndarray, float]:
    """Coefficients (k,) and log-likelihood of the logistic regression of y on `design` (n, k), intercept included.

    Stops where a log-odds passes `far`.
    """
    beta = np.zeros(design.shape[1]) if start is None else start.copy()
    loglik = _loglik(design @ beta, y)
    for _ in range(STEPS):
        chance = expit(design @ beta)
        hessian = (design * (chance * (1 - chance))[:, None]).T @ design
        hessian[np.diag_indices(len(beta))] += 1e-12
        step = np.linalg.lstsq(hessian, design.T @ (y - chance), rcond=None)[0]
        size, now = 1.0, _loglik(design @ (beta + step), y)
        while now < loglik - 1e-12 and size > 1e-6:
            size /= 2
            now = _loglik(design @ (beta + size * step), y)
        beta, gain, loglik = beta + size * step, now - loglik, now
        if gain < TOLERANCE or np.abs(design @ beta).max() >= far:
            break
    return beta, loglik


def separated(design: np.ndarray, y: np.ndarray) -> bool:
    """Whether some combination of the columns (n, k) puts no 1 below and no 0 above nought, and some row off it.

    Then the log-likelihood has no maximum (Albert & Anderson 1984, Biometrika 71). Found by linear programming.
    """
    sided = design * np.where(y > 0, 1.0, -1.0)[:, None]
    found = linprog(-sided.sum(axis=0), A_ub=-sided, b_ub=np.zeros(len(y)), bounds=(-1, 1), method="highs")
    return bool(found.status == 0 and -found.fun > 1e-7 * len(y))


def null_loglik(y: np.ndarray) -> float:
    """The log-likelihood of 0s and 1s (n,) by their mean alone."""
    ones, n = float(y.sum()), len(y)
    return float(xlogy(ones, ones / n) + xlogy(n - ones, 1 - ones / n))


def _loglik(odds: np.ndarray, y: np.ndarray) -> float:
    return float(-np.logaddexp(0, np.where(y > 0, -odds, odds)).sum())


def _checked(x: np.ndarray, y: np.ndarray, clusters: Sequence | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y = np.asarray(y, dtype=float)
    x = np.asarray(x, dtype=float)
    x = x[:, None] if x.ndim == 1 else x
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("x, y: hold values that aren't finite, expected rows without gaps")
    codes = np.arange(len(y)) if clusters is None else codes_of(list(clusters))
    if len(codes) != len(y):
        raise ValueError(f"clusters has {len(codes)} entries, expected one for each of {len(y)} rows")
    return x, y, codes


def constant(values: np.ndarray) -> bool:
    """Whether values (n,) differ by no more than rounding."""
    return len(values) == 0 or bool(np.ptp(values) <= FLAT * max(1.0, np.abs(values).max()))


def _problem(x: np.ndarray, y: np.ndarray) -> str:
    n, k = x.shape
    if n < k + 3:
        return FEW.format(n=n, k=k)
    if constant(y):
        return FLAT_OUTCOME
    return CONSTANT if any(constant(column) for column in x.T) else ""


def _nothing(n: int, k: int, codes: np.ndarray, why: str) -> Fit:
    lost = np.full(k, np.nan)
    return Fit(
        n,
        lost,
        lost,
        lost,
        lost,
        lost,
        np.nan,
        np.nan,
        np.nan,
        np.nan,
        np.nan,
        int(codes.max()) + 1 if len(codes) else 0,
        why,
    )


def _clustered(
    design: np.ndarray, rest: np.ndarray, weights: np.ndarray, inverse: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors (k,) by the sandwich of residuals (n,), and degrees of freedom (k,); NaN with fewer than two
    effective clusters."""
    parts = design @ inverse
    variance, df = Clusters.by(codes).variance(parts * rest[:, None], parts**2 * weights[:, None])
    return np.sqrt(variance), df


def _two_sided(beta: np.ndarray, se: np.ndarray, df: float | np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.asarray(df) > 0, 2 * stdtr(df, -np.abs(beta / se)), np.nan)


def signed_r2(x: np.ndarray, y: np.ndarray, weights: np.ndarray, model: str) -> np.ndarray:
    """R² with the slope's sign (replicates,) of y on one predictor x, the rows counted by weights (replicates, n).

    `model`: "linear", or "logistic" for McFadden's pseudo-R². NaN where a replicate has nothing to explain.
    """
    if model == "linear":
        return _signed_correlation(x, y, weights)
    scale = x.std() or 1.0
    return _signed_pseudo((x - x.mean()) / scale, y, weights)


def _signed_correlation(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1)
    mean_x, mean_y = weights @ x / total, weights @ y / total
    var_x, var_y = weights @ (x * x) / total - mean_x**2, weights @ (y * y) / total - mean_y**2
    both = weights @ (x * y) / total - mean_x * mean_y
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where((var_x > 1e-12) & (var_y > 1e-12), both / np.sqrt(var_x * var_y), np.nan)
    return np.sign(r) * r * r


def _signed_pseudo(x: np.ndarray, y: np.ndarray, weights: np.ndarray, steps: int = 25) -> np.ndarray:
    total, ones = weights.sum(axis=1), weights @ y
    share = ones / total
    null = xlogy(ones, share) + xlogy(total - ones, 1 - share)
    a, b = np.zeros(len(weights)), np.zeros(len(weights))
    for _ in range(steps):
        chance = expit(a[:, None] + b[:, None] * x)
        spread = weights * chance * (1 - chance)
        rest = weights * (y - chance)
        h0, h1, h2 = spread.sum(axis=1) + 1e-9, spread @ x, spread @ (x * x) + 1e-9
        g0, g1 = rest.sum(axis=1), rest @ x
        det = np.maximum(h0 * h2 - h1 * h1, 1e-12)
        # Steps are held short, so that separated replicates creep to their limit and don't overflow.
        a += np.clip((h2 * g0 - h1 * g1) / det, -5, 5)
        b += np.clip((h0 * g1 - h1 * g0) / det, -5, 5)
        a, b = np.clip(a, -FAR, FAR), np.clip(b, -FAR, FAR)
    odds = a[:, None] + b[:, None] * x
    loglik = -(weights * np.logaddexp(0, np.where(y > 0, -odds, odds))).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(null < 0, np.sign(b) * np.clip(1 - loglik / null, 0, 1), np.nan)
