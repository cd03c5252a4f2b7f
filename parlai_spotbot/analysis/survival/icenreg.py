"""R's icenReg (Anderson-Bergman 2017, J. Stat. Softw. 81) through rpy2.

This is the only module that imports rpy2, and only when called. Every call runs in a local conversion context, since
rpy2's conversion rules are lost in threads.
"""

from __future__ import annotations

import functools
import os

import numpy as np

from parlai_spotbot.analysis.survival.intervals import BACKENDS

HOW = "install R, then in R install.packages('icenReg'), then: pip install 'parlai_spotbot[r]'"


@functools.cache
def unusable() -> str:
    """Why icenReg can't be used here; "" where it can."""
    paths = os.environ.get("LD_LIBRARY_PATH")
    try:
        from rpy2 import robjects
    except Exception as err:  # rpy2 raises various errors where R is missing or broken
        return f"rpy2 can't be imported ({type(err).__name__}: {err})"
    finally:
        # Starting R puts the system's folders first, where child processes may find another Python's library and crash.
        os.environ.pop("LD_LIBRARY_PATH", None)
        if paths is not None:
            os.environ["LD_LIBRARY_PATH"] = paths
    return "" if robjects.r('nzchar(system.file(package = "icenReg"))')[0] else "R has no package icenReg"


def choose(backend: str) -> str:
    """The backend to use, "native" or "icenreg", for one of "auto", "native", "icenreg"."""
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}, expected one of {', '.join(BACKENDS)}")
    if backend == "auto":
        return "native" if unusable() else "icenreg"
    if backend == "icenreg" and unusable():
        raise ValueError(f"backend is 'icenreg', but {unusable()}; expected icenReg to be installed: {HOW}")
    return backend


def ic_np(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, closed: tuple[bool, bool], count: int
) -> np.ndarray:
    """icenReg's NPMLE: the masses (count,) of its innermost intervals, in ascending order as ours are."""
    if len(left) == 1:  # ic_np stops on a single row; two halves of it are the same data
        left, right, weights = np.repeat(left, 2), np.repeat(right, 2), np.repeat(weights / 2, 2)
    code = """function(l, r, w, b) {
        fit <- icenReg::ic_np(cbind(l, r), weights = w, B = b)
        list(mass = fit$p_hat)
    }"""
    mass = _call(code, "ic_np", left, right, weights, np.asarray(closed, dtype=int))["mass"]
    if len(mass) != count:
        raise RuntimeError(f"icenReg::ic_np: {len(mass)} innermost intervals, expected {count}")
    return mass / mass.sum()


def ic_sp(
    left: np.ndarray, right: np.ndarray, X: np.ndarray, weights: np.ndarray, model: str
) -> tuple[np.ndarray, float]:
    """icenReg's semi-parametric regression: coefficients (p,) with its own signs, and the log-likelihood."""
    code = """function(l, r, w, x, p, model) {
        data <- as.data.frame(matrix(x, ncol = p))
        names(data) <- paste0("x", seq_len(p))
        data$l <- l; data$r <- r
        form <- stats::as.formula(paste("cbind(l, r) ~", paste(paste0("x", seq_len(p)), collapse = " + ")))
        fit <- icenReg::ic_sp(form, data = data, model = model, weights = w, bs_samples = 0)
        list(coef = as.numeric(fit$coefficients), llk = as.numeric(fit$llk))
    }"""
    columns = np.asfortranarray(X).ravel(order="F")
    result = _call(code, "ic_sp", left, right, weights, columns, np.array([X.shape[1]]), model)
    return result["coef"], float(result["llk"][0])


def _call(code: str, name: str, *args: np.ndarray | str) -> dict[str, np.ndarray]:
    """Call an R function that returns a named list of numbers; an R error is a `RuntimeError` naming the call."""
    from rpy2 import robjects
    from rpy2.rinterface_lib.embedded import RRuntimeError

    with robjects.default_converter.context():
        values = [robjects.StrVector([a]) if isinstance(a, str) else _vector(robjects, a) for a in args]
        try:
            result = robjects.r(code)(*values)
        except RRuntimeError as err:
            raise RuntimeError(f"icenReg::{name}: {str(err).strip()}") from err
        return {key: np.array(list(value), dtype=float) for key, value in zip(result.names, result, strict=True)}


def _vector(robjects, values: np.ndarray):
    kind = robjects.IntVector if np.issubdtype(np.asarray(values).dtype, np.integer) else robjects.FloatVector
    return kind(np.asarray(values).tolist())
