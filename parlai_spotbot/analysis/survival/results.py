"""What every regression returns, whatever its model and backend; its tests and predictions; and the named warnings.

Tests and intervals are Wald's from the covariance of the coefficients (its origin is said in ``errors``), or compare
likelihoods. Predictions follow from the baseline: proportional hazards S0(t)^exp(xb) (Cox 1972, JRSS-B 34),
proportional odds F0/(1-F0) exp(xb) (Bennett 1983, Stat. Med. 2), accelerated failure time S0(t exp(-xb)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, hyperu, stdtr, stdtrit
from scipy.stats import norm

from parlai_spotbot.analysis.survival.intervals import numbers
from parlai_spotbot.analysis.survival.robust import f_test, hotelling

MODELS = {"ph": "proportional hazards", "po": "proportional odds", "aft": "accelerated failure time"}
RATIOS = {"ph": "hazard ratio", "po": "odds ratio", "aft": "time ratio"}

SINGULAR = 1e-8
"""The smallest eigenvalue of a correlation matrix of coefficients below which it says nothing of all of them."""


class SurvivalWarning(UserWarning):
    """Something about the data limits what an estimate says."""


class SeparationWarning(SurvivalWarning):
    """A covariate tells spotted from unspotted rows perfectly: its coefficient is infinite."""


class CollinearityWarning(SurvivalWarning):
    """A covariate is constant or a combination of the others: it has no coefficient."""


class ConvergenceWarning(SurvivalWarning):
    """An estimate stopped short of its maximum, or the maximum is at the edge of the parameters' range."""


class BootstrapWarning(SurvivalWarning):
    """Bootstrap intervals do not hold for data like these."""


@dataclass(frozen=True)
class ChiSquareTest:
    """A chi-squared test; `log_pvalue`, the natural logarithm, stays exact where `pvalue` is too small for a float."""

    chi2: float
    df: int
    pvalue: float
    log_pvalue: float


def chi_square_test(chi2: float, df: int) -> ChiSquareTest:
    """The test of a chi-squared statistic with `df` degrees of freedom; NaN with df 0."""
    if df < 1 or not np.isfinite(chi2):
        return ChiSquareTest(float(chi2), df, float("nan"), float("nan"))
    pvalue = float(chdtrc(df, chi2))  # scipy.stats has the same, ten times as slowly
    if pvalue > 1e-280:
        return ChiSquareTest(float(chi2), df, pvalue, math.log(pvalue))
    # The upper incomplete gamma function is exp(-x) x^a U(1, 1 + a, x), U being Tricomi's; scipy's own logsf is -inf.
    a, x = df / 2, chi2 / 2
    log_pvalue = a * math.log(x) - x - math.lgamma(a) + math.log(hyperu(1.0, 1.0 + a, x))
    return ChiSquareTest(float(chi2), df, pvalue, log_pvalue)


class Baseline(Protocol):
    """The distribution at covariates 0."""

    def survival(self, t: ArrayLike) -> np.ndarray:
        """P(T > t)."""

    def quantile(self, q: ArrayLike) -> np.ndarray:
        """The time by which a share q has been spotted; inf where that share is never reached."""


@dataclass(frozen=True)
class RegressionFit:
    """A fitted regression with p covariates.

    `coef` (p,): with "ph" (log hazard ratio) and "po" (log odds ratio) positive where the covariate goes with being
    spotted sooner; with "aft" (log time ratio), as is usual there, positive where it goes with being spotted later. A
    separated coefficient is infinite, one of a collinear covariate NaN; `covariance` (p, p) is NaN for both. `errors`
    says where the covariance is from: "information", "bootstrap of rows", "bootstrap of clusters" or "none".
    `parameters` are the baseline's own (none in semi-parametric models). `baseline` is the distribution at covariates
    0; `central`, where there is one, that at covariates `centre` (p,), from which predictions follow with all their
    digits however far from 0 the covariates lie. `loglik_null` is the log-likelihood of the
    same model without covariates. `df` (p,) are the degrees of freedom that clusters allow for Student's t; without
    them tests and intervals are by the normal distribution.
    """

    names: tuple[str, ...]
    coef: np.ndarray
    covariance: np.ndarray
    loglik: float
    loglik_null: float
    baseline: Baseline
    model: str
    backend: str
    errors: str = "information"
    parameters: dict[str, float] = field(default_factory=dict)
    replicates: np.ndarray | None = None
    df: np.ndarray | None = None
    centre: np.ndarray | float = 0.0
    central: Baseline | None = None

    @property
    def reference(self) -> Baseline:
        """The distribution at covariates `centre`."""
        return self.baseline if self.central is None else self.central

    @property
    def se(self) -> np.ndarray:
        """Standard errors (p,)."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def z(self) -> np.ndarray:
        """Wald's statistics (p,)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.coef / self.se

    @property
    def pvalue(self) -> np.ndarray:
        """Two-sided p-values of Wald's test (p,); see `log_pvalue` where they are too small for a float."""
        return 2 * norm.sf(np.abs(self.z)) if self.df is None else 2 * stdtr(self.df, -np.abs(self.z))

    @property
    def log_pvalue(self) -> np.ndarray:
        """Natural logarithms of `pvalue` (p,)."""
        if self.df is None:
            return np.log(2) + norm.logsf(np.abs(self.z))
        return np.array([f_test(z * z, 1, df)[1] for z, df in zip(self.z, self.df, strict=True)])

    @property
    def _df(self) -> np.ndarray:
        return np.full(len(self.coef), np.inf) if self.df is None else self.df

    @property
    def aic(self) -> float:
        """Akaike's criterion; NaN for a semi-parametric model, whose baseline has no fixed number of parameters."""
        if not self.parameters:
            return float("nan")
        return -2 * self.loglik + 2 * (len(self.parameters) + int(np.isfinite(self.coef).sum()))

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Wald's confidence interval of each coefficient (p, 2)."""
        _level(level)
        reach = stdtrit(self._df, (1 + level) / 2) * self.se
        return np.stack([self.coef - reach, self.coef + reach], axis=-1)

    def wald(self, names: Sequence[str] | None = None) -> ChiSquareTest:
        """Test that the coefficients `names`, by default all, are 0 together; with `df`, p is Hotelling's.

        With 0 degrees of freedom and a p of NaN where none can be told, or where the covariance is singular: a robust
        one of fewer clusters than coefficients, or one whose negative directions were set to 0.
        """
        chosen = range(len(self.names)) if names is None else [self._place(name) for name in names]
        use = [i for i in chosen if np.isfinite(self.coef[i]) and np.isfinite(self.covariance[i, i])]
        if not use:
            return chi_square_test(float("nan"), 0)
        covariance, se = self.covariance[np.ix_(use, use)], self.se[use]
        if not (se > 0).all() or np.linalg.eigvalsh(covariance / np.outer(se, se))[0] < SINGULAR:
            return chi_square_test(float("nan"), 0)
        chi2 = float(self.coef[use] @ np.linalg.solve(covariance, self.coef[use]))
        if self.df is None:
            return chi_square_test(chi2, len(use))
        return ChiSquareTest(chi2, len(use), *hotelling(chi2, len(use), float(self.df[use].min())))

    def likelihood_ratio(self, reduced: RegressionFit | None = None) -> ChiSquareTest:
        """Compare with a fit to the same rows that has fewer covariates; by default with none."""
        if reduced is not None and (reduced.model != self.model or not set(reduced.names) < set(self.names)):
            raise ValueError(
                f"reduced: {reduced.model} with {list(reduced.names)}, expected {self.model} with fewer of the "
                f"covariates {list(self.names)}"
            )
        less = self.loglik_null if reduced is None else reduced.loglik
        known = int((~np.isnan(self.coef)).sum())
        fewer = 0 if reduced is None else int((~np.isnan(reduced.coef)).sum())
        return chi_square_test(max(0.0, 2 * (self.loglik - less)), known - fewer)

    def survival(self, t: ArrayLike, X: ArrayLike | pd.DataFrame) -> np.ndarray:
        """P(T > t) for every row of covariates: (rows, times)."""
        shift = self._predictor(X)[:, None]
        t = np.atleast_1d(numbers(t, "t", truth=False))[None, :]
        if self.model == "aft":
            return self.reference.survival(t * np.exp(-shift))
        base = np.clip(self.reference.survival(t), 0.0, 1.0)
        if self.model == "ph":
            return base ** np.exp(shift)
        return base / (base + (1 - base) * np.exp(shift))

    def quantile(self, q: ArrayLike, X: ArrayLike | pd.DataFrame) -> np.ndarray:
        """The times by which shares q are spotted, for every row of covariates: (rows, shares); inf: never."""
        shift = self._predictor(X)[:, None]
        q = np.atleast_1d(numbers(q, "q"))[None, :]
        if ((q <= 0) | (q >= 1)).any():
            raise ValueError(f"q is {q.ravel().tolist()}, expected shares between 0 and 1")
        if self.model == "aft":
            return self.reference.quantile(q) * np.exp(shift)
        if self.model == "ph":
            return self.reference.quantile(-np.expm1(np.log1p(-q) * np.exp(-shift)))
        return self.reference.quantile(q / (q + (1 - q) * np.exp(shift)))

    def summary(self, level: float = 0.95) -> pd.DataFrame:
        """One row per covariate: coefficient, ratio and its interval, standard error, z and p."""
        ends = self.interval(level)
        ratio = RATIOS[self.model].replace(" ", "_")
        columns = {"coef": self.coef, "se": self.se, ratio: np.exp(self.coef)}
        columns |= {"low": np.exp(ends[:, 0]), "high": np.exp(ends[:, 1]), "z": self.z, "p": self.pvalue}
        return pd.DataFrame(columns, index=list(self.names))

    def __str__(self) -> str:
        head = (
            f"{MODELS[self.model]}, log-likelihood {self.loglik:.4f}, standard errors: {self.errors} ({self.backend})"
        )
        return f"{head}\n{self.summary().to_string(float_format=lambda v: f'{v:.4g}')}"

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"names: {name!r}, expected one of {', '.join(self.names)}")
        return self.names.index(name)

    def _predictor(self, X: ArrayLike | pd.DataFrame) -> np.ndarray:
        """The linear predictor of every row, 0 at `centre`; a frame's columns are found by name, in any order."""
        if isinstance(X, pd.DataFrame):
            missing = [name for name in self.names if name not in X.columns]
            if missing:
                raise ValueError(f"X: no column {missing[0]!r}, expected {', '.join(self.names)}")
            X = X[list(self.names)]
        values = np.atleast_2d(numbers(X, "X"))
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise ValueError(f"X: shape {values.shape}, expected {len(self.names)} columns: {', '.join(self.names)}")
        values, use = values - self.centre, ~np.isnan(self.coef)
        with np.errstate(invalid="ignore"):
            product = np.where(values[:, use] == 0, 0.0, values[:, use] * self.coef[use])
        return product.sum(axis=1)


def _level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1")
