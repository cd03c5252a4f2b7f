"""Result of every regression, whatever its model and backend, and the named warnings.

Tests and intervals are Wald's from the covariance of the coefficients (``errors`` names its origin). The models:
proportional hazards S0(t)^exp(xb) (Cox 1972, JRSS-B 34), proportional odds F0/(1-F0) exp(xb) (Bennett 1983, Stat. Med.
2), accelerated failure time S0(t exp(-xb)).
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.special import chdtrc, ndtr, stdtr, stdtrit

from parlai_spotbot.analysis.survival.robust import TINY

RATIOS = {"ph": "hazard_ratio", "po": "odds_ratio", "aft": "time_ratio"}


class SurvivalWarning(UserWarning):
    """The data limit the reach of an estimate."""


class SeparationWarning(SurvivalWarning):
    """A covariate tells spotted from unspotted rows perfectly: its coefficient is infinite."""


class CollinearityWarning(SurvivalWarning):
    """A covariate is constant or a combination of the others: it has no coefficient."""


class ConvergenceWarning(SurvivalWarning):
    """An estimate stopped short of its maximum, or the maximum is at the edge of the parameters' range."""


class BootstrapWarning(SurvivalWarning):
    """Bootstrap intervals do not hold for data like these."""


def chi_square_p(chi2: float, df: int) -> float:
    """Return the p-value of a chi-squared statistic, not below the smallest float."""
    return max(float(chdtrc(df, chi2)), TINY)  # scipy.stats has the same, ten times as slowly


@dataclass(frozen=True)
class RegressionFit:
    """A fitted regression with p covariates.

    `coef` (p,): with "ph" (log hazard ratio) and "po" (log odds ratio) positive where the covariate goes with being
    spotted sooner; with "aft" (log time ratio), as is usual there, positive where it goes with being spotted later. A
    separated coefficient is infinite, one of a collinear covariate NaN; `covariance` (p, p) is NaN for both.
    `df` (p,) are the degrees of freedom that clusters allow for Student's t; without them tests and intervals are by
    the normal distribution.
    """

    names: tuple[str, ...]
    coef: np.ndarray
    covariance: np.ndarray
    loglik: float
    model: str
    backend: str
    df: np.ndarray | None = None

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
        """Two-sided p-values of Wald's test (p,), not below the smallest float."""
        p = 2 * ndtr(-np.abs(self.z)) if self.df is None else 2 * stdtr(self.df, -np.abs(self.z))
        return np.maximum(p, TINY)

    def interval(self, level: float = 0.95) -> np.ndarray:
        """Return Wald's confidence interval of each coefficient (p, 2)."""
        if not (isinstance(level, Real) and 0 < level < 1):
            raise ValueError(f"level is {level!r}, expected a number between 0 and 1")
        df = np.full(len(self.coef), np.inf) if self.df is None else self.df
        reach = stdtrit(df, (1 + level) / 2) * self.se
        return np.stack([self.coef - reach, self.coef + reach], axis=-1)
