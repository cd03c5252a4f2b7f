"""Semi-parametric regression of the time until an entity is spotted: proportional hazards (Cox 1972) and odds.

For any interval-censored data (Finkelstein 1986, Biometrics 42; section 3.3 of the paper). The maximum is exact, and
standard errors come from the observed information of the profile likelihood (Murphy & van der Vaart 2000, JASA 95) or
from a bootstrap of clusters.
"""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg, npmle
from parlai_spotbot.analysis.survival.design import DesignMatrix, design
from parlai_spotbot.analysis.survival.intervals import Intervals, arrange, check, check_choice
from parlai_spotbot.analysis.survival.refits import profile_information, refit, with_infinite
from parlai_spotbot.analysis.survival.resample import clusterings
from parlai_spotbot.analysis.survival.results import (
    BootstrapWarning,
    ConvergenceWarning,
    RegressionFit,
    SeparationWarning,
)
from parlai_spotbot.analysis.survival.semiparametric import FitState, Problem
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.values import ArrayPair

SHORT = 1e-7
"""By how much icenReg's log-likelihood may be less than the greatest."""
AWAY = 1e-4
"""By how much its coefficients, per half of a covariate's range, may differ where the likelihood is flat."""
REPLICATES = 200


def cox(
    left: ArrayLike,
    right: ArrayLike,
    X: ArrayLike | pd.DataFrame,
    model: str = "ph",
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | ClusterBootstrap | None = None,
    backend: str = "auto",
    entry: None = None,
) -> RegressionFit:
    """Fit proportional hazards ("ph") or proportional odds ("po"), the baseline left free.

    Parameters
    ----------
    left, right : sequences (n,)
        Intervals (left, right]; right = inf: right-censored; left == right: exact. Ends that differ by rounding are
        one end, see `intervals.merge_ends`.
    X : array or frame (n, p)
        The covariates, centred and scaled inside.
    weights : sequence (n,), optional
        How often each observation counts.
    clusters : sequence (n,), two of them in a list, or `ClusterBootstrap`, optional
        What a bootstrap draws for the standard errors, such as conversations and workers; tests and intervals then are
        by Student's t. By default rows are taken as independent (observed information).
    backend : str
        "native", "icenreg" (R's icenReg), or "auto": icenReg where it is installed, else native. Coefficients and
        log-likelihood are icenReg's, standard errors are the same with both. Where icenReg fails, or ends below the
        maximum, the estimate is native, as `.backend` shows, and a warning gives the reason.
    entry : None
        Left truncation is not supported: anything else is refused.

    Raises
    ------
    ValueError
        Names the row, column or option that is wrong, or says that the data show nothing.

    Examples
    --------
    >>> inf = float("inf")
    >>> fit = cox([0, 0, 2, 0, 2, 2], [2, 2, inf, 2, inf, inf], [1, 1, 1, 0, 0, 0], model="po", backend="native")
    >>> round(float(fit.coef[0]), 4)  # the log of the odds ratio (2 / 1) / (1 / 2)
    1.3863
    """
    check_choice(model, "model", ("ph", "po"))
    left, right, weights = check(left, right, weights, entry)
    data = arrange(left, right, weights)
    weighted = weights > 0
    if len(data.ends) == 1:
        raise ValueError(
            "left: all observations overlap, so nothing shows who is spotted sooner; expected some spotted by a time "
            "up to which, or later, others were not"
        )
    tells = np.zeros(len(left))
    tells[weighted] = (data.first > 0) | (data.last < len(data.ends) - 1)
    covariates = design(X, len(left), weights * tells)
    if clusters is not None and not isinstance(clusters, ClusterBootstrap):
        units = clusterings(clusters, len(left), weighted)
        if any(codes.max(initial=0) < 1 for codes in units):
            raise ValueError("clusters: only one, expected at least two")
        clusters = ClusterBootstrap(*units, rng=np.random.default_rng(0), replicates=REPLICATES)
    elif clusters is not None:
        clusters = _replicates(clusters, weighted)
    covariates = replace(covariates, values=covariates.values[weighted])
    return _fit(data, covariates, model, clusters, icenreg.choose(backend))


def _replicates(drawn: ClusterBootstrap, weighted: np.ndarray) -> ClusterBootstrap:
    """Return the replicates of the rows with a weight."""
    try:
        return drawn.take(weighted)
    except IndexError:
        raise ValueError(f"clusters: a bootstrap of other rows, expected one of {len(weighted)} observations") from None


def _fit(
    data: Intervals, covariates: DesignMatrix, model: str, drawn: ClusterBootstrap | None, backend: str
) -> RegressionFit:
    """The fit to covariates moved to the middle of their range and divided by half of it, so that neither their level
    nor their unit changes anything but the unit of the coefficients."""
    X = covariates.values[:, covariates.use]
    scale = np.ptp(X, axis=0) / 2
    X = (X - X.min(axis=0) - scale) / scale
    problem = Problem.build(data, X, model)
    best = problem.maximise(npmle.solve(data))
    beta = with_infinite(best, X)
    loglik = best.loglik
    infinite = np.isinf(beta)
    if infinite.any():
        which = ", ".join(np.array(covariates.names)[covariates.use][infinite])
        text = f"{which} separates spotted from unspotted rows: no finite estimate; drop it or collect more data"
        _warn(text, SeparationWarning)
    elif not best.converged:
        text = "no convergence in 200 steps; drop nearly collinear covariates, or round the times"
        _warn(text, ConvergenceWarning)
    # Both backends have the standard errors of the native maximum, so that they differ in nothing but rounding.
    df = None
    if drawn is None:
        covariance = _profile(best, infinite)
    else:
        covariance, df = _bootstrapped(drawn, refit(data, problem, best, drawn, infinite), infinite)
    theirs = None
    if backend == "icenreg" and not infinite.any():
        theirs = _by_icenreg(data, X, model, best)
    if theirs is None:
        backend = "native"
    else:
        beta, loglik = theirs
    coef = covariates.spread(beta / scale)
    df = None if df is None else covariates.spread(df)
    covariance = covariates.spread(covariates.spread(covariance / np.outer(scale, scale)).T).T
    return RegressionFit(covariates.names, coef, covariance, loglik, model, backend, df)


def _warn(text: str, category: type[Warning]) -> None:
    warnings.warn(f"cox: {text}", category, stacklevel=4)


def _by_icenreg(data: Intervals, X: np.ndarray, model: str, best: FitState) -> tuple[np.ndarray, float] | None:
    """icenReg's estimate; None, with a warning, where R stops or ends below the maximum of the likelihood."""
    try:
        coef, loglik = icenreg.ic_sp(data.left, data.right, X, data.weights, model)
    except RuntimeError as err:
        problem = str(err)
    else:
        short = best.loglik - loglik
        away = np.abs(coef - best.beta).max(initial=0.0)
        if short <= SHORT and away <= AWAY:
            return coef, loglik
        problem = f"icenReg stopped {short:.2g} below the greatest log-likelihood, at coefficients {away:.2g} away"
    _warn(f"{problem}; the native estimate is used", icenreg.IcenRegWarning)
    return None


def _bootstrapped(drawn: ClusterBootstrap, samples: np.ndarray, unknown: np.ndarray) -> ArrayPair:
    """The covariance (p, p) of the coefficients from replicates (bootstraps · replicates, p), and degrees of freedom of
    each; NaN for `unknown` ones, and where there are too few clusters, or replicates with finite coefficients."""
    covariance = np.full((len(unknown), len(unknown)), np.nan)
    df = np.full(len(unknown), np.nan)
    known = ~unknown
    if not known.any():
        return covariance, df
    samples = samples[:, known]
    lost = np.asarray(~np.isfinite(samples).all(axis=1))
    if lost.mean() > 0.05:
        _warn(
            f"{lost.sum()} of {len(lost)} bootstrap replicates have no finite estimate and are left out of the "
            "standard errors, which are then too small; collect more data or use fewer covariates",
            BootstrapWarning,
        )
    spread = drawn.spread(samples)
    parts = [*spread.single, *([] if spread.both is None else [spread.both])]
    if not drawn.why and all(np.isfinite(part).all() for part in parts):
        covariance[np.ix_(known, known)] = spread.covariance
        df[known] = spread.variance(np.eye(int(known.sum())))[1]
    return covariance, df


def _profile(best: FitState, unknown: np.ndarray) -> np.ndarray:
    """Covariance from the profile's information: levels of the baseline that are equal stay so; NaN where unknown."""
    covariance = np.full((len(unknown), len(unknown)), np.nan)
    if not unknown.all():
        information = profile_information(best, ~unknown)
        covariance[np.ix_(~unknown, ~unknown)] = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    return covariance
