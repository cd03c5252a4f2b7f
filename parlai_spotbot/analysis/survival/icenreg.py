"""R's icenReg (Anderson-Bergman 2017, J. Stat. Softw. 81) through rpy2.

This is the only module that imports rpy2, and only when called. R runs one call at a time, in a local conversion
context, since rpy2's conversion rules are lost in threads. Coefficients come with this package's signs.
"""

import functools
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parlai_spotbot.analysis.survival.intervals import BACKENDS, check_choice

LIBRARY = Path(sys.prefix, "R")
"""R's packages of this environment, where `spotbot setup` puts icenReg."""

HOW = "install R, run spotbot setup, then in R install.packages('icenReg', repos = 'https://cloud.r-project.org')"
DISTRIBUTIONS = {
    "exponential": "exponential",
    "weibull": "weibull",
    "gamma": "gamma",
    "lognormal": "lnorm",
    "loglogistic": "loglogistic",
    "generalgamma": "generalgamma",
}
_LOCK = threading.RLock()


class IcenRegWarning(UserWarning):
    """A warning of icenReg, or of R under it."""


class Parametric(NamedTuple):
    """Result of `ic_par`; p covariates, k parameters of the baseline.

    `parameters` (k,) by icenReg's names, of the distribution at the means of the covariates; `coef` (p,) with this
    package's signs, and `covariance` (p, p).
    """

    coef: np.ndarray
    loglik: float
    parameters: dict[str, float]
    covariance: np.ndarray


def unusable() -> str:
    """Return why icenReg can't be used here; "" where it can."""
    with _LOCK:
        return _unusable()


@functools.cache
def _unusable() -> str:
    paths = os.environ.get("LD_LIBRARY_PATH")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in a thread rpy2 warns that Ctrl-C won't reach R
            from rpy2 import robjects
    except Exception as err:  # rpy2 raises various errors where R is missing or broken
        return f"rpy2 can't be imported ({type(err).__name__}: {err})"
    finally:
        # Starting R puts the system's folders first, where child processes may find another Python's library and crash.
        os.environ.pop("LD_LIBRARY_PATH", None)
        if paths is not None:
            os.environ["LD_LIBRARY_PATH"] = paths
    with robjects.default_converter.context():
        if LIBRARY.is_dir():
            robjects.r[".libPaths"](robjects.StrVector([str(LIBRARY), *robjects.r[".libPaths"]()]))
        installed = robjects.r('nzchar(system.file(package = "icenReg"))')[0]
    return "" if installed else "R has no package icenReg"


def choose(backend: str) -> str:
    """The backend to use, "native" or "icenreg", for one of "auto", "native", "icenreg"."""
    check_choice(backend, "backend", BACKENDS)
    if backend == "auto":
        return "native" if unusable() else "icenreg"
    if backend == "icenreg" and unusable():
        raise ValueError(f"backend is 'icenreg', but {unusable()}; expected icenReg to be installed: {HOW}")
    return backend


def ic_np(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, closed: tuple[bool, bool], count: int
) -> np.ndarray:
    """icenReg's NPMLE: the masses (count,) of its innermost intervals, in ascending order as ours are."""
    mass = _call("ic_np", left, right, weights, np.array(closed, dtype=int))["mass"]
    if len(mass) != count:
        raise RuntimeError(f"icenReg::ic_np: {len(mass)} innermost intervals, expected {count}")
    return mass / mass.sum()


def ic_sp(
    left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray, model: str
) -> tuple[np.ndarray, float]:
    """Fit icenReg's semi-parametric regression, proportional hazards ("ph") or odds ("po"), to covariates X (n, p).

    Returns coefficients (p,), positive where the covariate goes with an earlier event, and the log-likelihood.
    """
    result = _call("ic_sp", left, right, weights, X, model)
    sign = 1.0 if model == "ph" else -1.0
    return sign * result["coef"][: X.shape[1]], float(result["llk"][0])


def ic_par(
    left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray, model: str, dist: str
) -> Parametric:
    """Fit icenReg's parametric regression; arguments as for `ic_sp`, `dist` by this package's names."""
    result = _call("ic_par", left, right, weights, X, model, DISTRIBUTIONS[dist])
    values = result["coef"]
    baseline = len(values) - X.shape[1]
    parameters = dict(zip(map(str, result["names"][:baseline]), values[:baseline].tolist(), strict=True))
    sign = -1.0 if model == "po" else 1.0
    covariance = result["covariance"][baseline:, baseline:]
    return Parametric(sign * values[baseline:], float(result["llk"][0]), parameters, covariance)


# Every function returns a named list of vectors. `guarded` adds the warnings, or the error instead of the values.
_R = """(function() {
    guarded <- function(fun) function(...) {
        said <- character(0)
        withCallingHandlers(
            tryCatch({
                utils::capture.output(value <- fun(...), type = "output")
                c(value, list(r_warnings = said))
            }, error = function(e) list(r_error = conditionMessage(e), r_warnings = said)),
            warning = function(w) { said <<- c(said, conditionMessage(w)); invokeRestart("muffleWarning") },
            message = function(m) invokeRestart("muffleMessage"))
    }
    frame <- function(l, r, x) {
        data <- as.data.frame(x)
        names(data) <- if (ncol(x) > 0) paste0("x", seq_len(ncol(x))) else character(0)
        data$l <- l
        data$r <- r
        data
    }
    model_formula <- function(p) {
        terms <- if (p > 0) paste0("x", seq_len(p)) else "0"
        stats::as.formula(paste("cbind(l, r) ~", paste(terms, collapse = " + ")), env = globalenv())
    }
    ic_np <- function(l, r, w, b) {
        fit <- icenReg::ic_np(cbind(l, r), weights = w, B = b)
        list(mass = fit$p_hat)
    }
    ic_sp <- function(l, r, w, x, model) {
        fit <- icenReg::ic_sp(model_formula(ncol(x)), data = frame(l, r, x), model = model, weights = w)
        list(coef = fit$coefficients, llk = fit$llk)
    }
    ic_par <- function(l, r, w, x, model, dist) {
        fit <- icenReg::ic_par(model_formula(ncol(x)), data = frame(l, r, x), model = model, dist = dist, weights = w)
        list(coef = fit$coefficients, names = names(fit$coefficients), llk = fit$llk, covariance = fit$var)
    }
    list(ic_np = guarded(ic_np), ic_sp = guarded(ic_sp), ic_par = guarded(ic_par))
})()"""


@functools.cache
def _functions() -> dict:
    from rpy2 import robjects

    functions = robjects.r(_R)
    return dict(zip(functions.names, functions, strict=True))


def _call(name: str, *args: np.ndarray | str) -> dict[str, np.ndarray]:
    """Call one of the functions in R; its error is a `RuntimeError`, its warnings are warnings, that name the call."""
    with _LOCK:
        from rpy2.rinterface_lib import openrlib
        from rpy2.robjects import default_converter, numpy2ri

        # Whoever else uses rpy2 in this process holds its lock only for single steps: this keeps them out between.
        with openrlib.rlock:
            with default_converter.context():
                function = _functions()[name]
            with (default_converter + numpy2ri.converter).context():
                values = dict(function(*args).items())
    for message in dict.fromkeys(values.pop("r_warnings")):
        warnings.warn(f"icenReg::{name}: {message}", IcenRegWarning, stacklevel=3)
    if "r_error" in values:
        raise RuntimeError(f"icenReg::{name}: {values['r_error'][0]}")
    return values
