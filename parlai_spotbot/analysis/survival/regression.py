"""Semi-parametric regression of the time until an entity is spotted: proportional hazards (Cox 1972) and odds.

For any interval-censored data (Finkelstein 1986, Biometrics 42; section 3.3 of the paper). The maximum is exact, and
standard errors come from the observed information of the profile likelihood (Murphy & van der Vaart 2000, JASA 95) or
from a bootstrap of rows or of clusters.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg, npmle
from parlai_spotbot.analysis.survival.design import DesignMatrix, design
from parlai_spotbot.analysis.survival.intervals import Intervals, arrange, check
from parlai_spotbot.analysis.survival.refits import refit
from parlai_spotbot.analysis.survival.resample import bootstrap, clusterings, covariance_of
from parlai_spotbot.analysis.survival.results import (
    BootstrapWarning,
    ConvergenceWarning,
    RegressionFit,
    SeparationWarning,
)
from parlai_spotbot.analysis.survival.semiparametric import DistinctRows, Maximum, Problem
from parlai_spotbot.analysis.survival.separation import separated
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap

ERRORS = ("information", "bootstrap", "none")
SHORT = 1e-7
"""By how much icenReg's log-likelihood may be less than the greatest."""
AWAY = 1e-4
"""By how much its coefficients, per half of a covariate's range, may differ where the likelihood is flat."""


def cox(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame,
    model: str = "ph",
    *,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    errors: str = "information",
    clusters: ArrayLike | None = None,
    replicates: int = 200,
    seed: int | np.random.Generator = 0,
    backend: str = "auto",
) -> RegressionFit:
    """Fit proportional hazards ("ph") or proportional odds ("po"), the baseline left free.

    Parameters
    ----------
    left, right : sequences (n,)
        Intervals (left, right]; right = inf: right-censored; left == right: exact. Ends that differ by rounding are
        one end, see `intervals.merge_ends`.
    X : array or frame (n, p)
        The covariates. They are centred and scaled inside: their level and unit change nothing but the unit of the
        coefficients.
    weights : sequence (n,), optional
        How often each observation counts.
    names : sequence of str, optional
        What the covariates are called; by default the frame's columns.
    errors : str
        Where standard errors come from: "information" (observed information; rows taken as independent), "bootstrap"
        (of rows, or of `clusters`), or "none".
    clusters : sequence (n,), or several in a list, optional
        What the bootstrap draws, such as conversations; of two, such as conversations and workers, it draws each and
        their cells (see `ClusterBootstrap`), and tests and intervals are by Student's t with as many degrees of freedom
        as those clusters allow. Implies errors="bootstrap".
    replicates : int
        How many replicates of each bootstrap.
    seed : int or Generator
        Of the bootstrap.
    backend : str
        "native", "icenreg" (R's icenReg), or "auto": icenReg where it is installed, else native. icenReg gives
        coefficients; standard errors are the same with both. Where icenReg fails or doesn't reach the
        maximum, or where data are separated or the likelihood is flat, the estimate is native and ``.backend`` says so.

    Returns
    -------
    RegressionFit
        Coefficients are positive where the covariate goes with being spotted sooner.

    Raises
    ------
    ValueError
        Names the row, column or argument that is wrong; or says that nothing can be learned from the data.

    Warns
    -----
    SeparationWarning, CollinearityWarning, ConvergenceWarning, BootstrapWarning

    Examples
    --------
    >>> inf = float("inf")
    >>> fit = cox([0, 2, 0, 2, 0, 2], [2, inf] * 3, [1, 1, 1, 0, 0, 0], "po", names=["polite"], backend="native")
    >>> round(float(fit.coef[0]), 4)  # the log of the odds ratio (2 / 1) / (1 / 2)
    1.3863
    """
    if model not in ("ph", "po"):
        raise ValueError(f"model is {model!r}, expected ph or po")
    errors = "bootstrap" if clusters is not None and errors == "information" else errors
    if errors not in ERRORS:
        raise ValueError(f"errors is {errors!r}, expected one of {', '.join(ERRORS)}")
    left, right, weights = check(left, right, weights)
    data = arrange(left, right, weights)
    if len(data.ends) == 1:
        raise ValueError(
            "left: all observations overlap, so nothing shows who is spotted sooner; expected some spotted by a time "
            "up to which, or later, others were not"
        )
    weighted = weights > 0
    tells = np.zeros(len(left))
    tells[weighted] = (data.first > 0) | (data.last < len(data.ends) - 1)
    covariates = design(X, len(left), names=names, weights=weights * tells)
    units, drawn = clusterings(clusters, len(left), weighted), None
    if errors == "bootstrap":
        if replicates < 2:
            raise ValueError(f"replicates is {replicates}, expected at least 2")
        drawn = bootstrap(units, int(weighted.sum()), replicates, seed)
    backend = icenreg.choose(backend)
    return _Fit(data, covariates, weighted, model).result(errors, drawn, seed, backend)


class _Fit:
    """A regression on covariates moved to the middle of their range and divided by half of it.

    So neither their level nor their unit changes anything but the unit of the coefficients.
    """

    def __init__(self, data: Intervals, covariates: DesignMatrix, weighted: np.ndarray, model: str) -> None:
        self.data, self.model = data, model
        self.names, self.use = covariates.names, covariates.use
        X = covariates.values[weighted][:, covariates.use]
        self.scale = np.ptp(X, axis=0) / 2
        self.X = (X - X.min(axis=0) - self.scale) / self.scale
        self.rows = DistinctRows.build(data, self.X)
        self.problem = Problem(self.rows, model)

    def result(
        self, errors: str, drawn: ClusterBootstrap | None, seed: int | np.random.Generator, backend: str
    ) -> RegressionFit:
        mass = npmle.solve(self.data)
        null = float(self.data.weights @ np.log(npmle.gradient(self.data, mass)[1]))
        best = self.problem.maximise(self.problem.start(mass), np.zeros(self.X.shape[1]))
        runaway, untold = self._separated(best)
        if not best.converged and not runaway.any():
            warnings.warn(
                "cox: no convergence in 200 steps; drop nearly collinear covariates, or round the times",
                ConvergenceWarning,
                stacklevel=4,
            )
        # Both backends have the standard errors of the native maximum, so that they differ in nothing but rounding.
        covariance, df, samples = self._errors(errors, best, runaway | untold, drawn, seed)
        beta, loglik = best.beta, best.loglik
        if backend == "icenreg":
            theirs = None if runaway.any() else self._by_icenreg(best)
            backend = "native" if theirs is None else backend
            beta, loglik = (beta, loglik) if theirs is None else theirs
        coef = np.where(untold, np.nan, np.where(runaway, np.copysign(np.inf, beta), beta)) / self.scale
        origin = errors
        if drawn is not None:
            origin = f"bootstrap of {'rows' if drawn.names == ('annotations',) else 'clusters'}"
        return RegressionFit(
            self.names,
            self._spread(coef),
            self._spread_square(covariance / np.outer(self.scale, self.scale)),
            loglik,
            null,
            self.model,
            backend,
            origin,
            replicates=None if samples is None else self._spread(samples / self.scale),
            df=None if df is None else self._spread(df),
        )

    def _by_icenreg(self, best: Maximum) -> tuple[np.ndarray, float] | None:
        """icenReg's estimate; None, with a warning, where R stops or ends below the maximum of the likelihood."""
        data = self.data
        try:
            theirs = icenreg.ic_sp(data.left, data.right, self.X, data.weights, self.model)
        except RuntimeError as err:
            problem = str(err)
        else:
            short, away = best.loglik - theirs.loglik, np.abs(theirs.coef - best.beta).max(initial=0.0)
            if short <= SHORT and away <= AWAY:
                return theirs.coef, theirs.loglik
            problem = f"icenReg stopped {short:.2g} below the greatest log-likelihood, at coefficients {away:.2g} away"
        warnings.warn(f"cox: {problem}; the native estimate is used", icenreg.IcenRegWarning, stacklevel=5)
        return None

    def _separated(self, best: Maximum) -> tuple[np.ndarray, np.ndarray]:
        runaway, untold = separated(self.rows, best)
        if runaway.any():
            used = [name for name, use in zip(self.names, self.use, strict=True) if use]
            which = ", ".join(name for name, r in zip(used, runaway, strict=True) if r)
            warnings.warn(
                f"cox: {which} separates spotted from unspotted rows: no finite estimate; drop it or collect more data",
                SeparationWarning,
                stacklevel=5,
            )
        return runaway, untold

    def _errors(
        self,
        errors: str,
        best: Maximum,
        unknown: np.ndarray,
        drawn: ClusterBootstrap | None,
        seed: int | np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
        """The covariance of the coefficients, NaN for `unknown` ones, degrees of freedom of each, and replicates."""
        width = len(unknown)
        if errors == "none":
            return np.full((width, width), np.nan), None, None
        if drawn is None:
            return _profile(best, unknown), None, None
        samples = refit(self.data, self.rows, self.X, self.model, best, drawn, np.random.default_rng(seed))
        lost = ~np.isfinite(samples).all(axis=1)
        if lost.mean() > 0.05:
            warnings.warn(
                f"cox: {lost.sum()} of {len(lost)} bootstrap replicates have no finite estimate and are left out of "
                "the standard errors, which are then too small; collect more data or use fewer covariates",
                BootstrapWarning,
                stacklevel=5,
            )
        covariance, df = covariance_of(drawn, samples)
        covariance = np.where(unknown[:, None] | unknown[None, :], np.nan, covariance)
        return covariance, df, samples

    def _spread(self, values: np.ndarray) -> np.ndarray:
        full = np.full((*values.shape[:-1], len(self.names)), np.nan)
        full[..., self.use] = values
        return full

    def _spread_square(self, values: np.ndarray) -> np.ndarray:
        return self._spread(self._spread(values).T).T


def _profile(best: Maximum, unknown: np.ndarray) -> np.ndarray:
    """Covariance from the profile's information: levels of the baseline that are equal stay so; NaN where unknown."""
    levels = len(best.information) - len(unknown)
    covariance = np.full((len(unknown), len(unknown)), np.nan)
    a = best.information[:levels, :levels]
    b = best.information[:levels, levels:][:, ~unknown]
    c = best.information[levels:, levels:][np.ix_(~unknown, ~unknown)]
    if not unknown.all():
        inner = c - b.T @ np.linalg.lstsq(a, b, rcond=1e-14)[0]
        covariance[np.ix_(~unknown, ~unknown)] = np.linalg.pinv(inner, rcond=1e-12, hermitian=True)
    return covariance
