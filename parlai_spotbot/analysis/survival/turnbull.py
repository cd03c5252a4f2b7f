"""The nonparametric maximum-likelihood estimate for interval-censored data (Turnbull 1976, JRSS-B 38; section 3.3).

Any mix of exact, left-, interval- and right-censored observations; how each kind is solved is in npmle.py.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg, npmle
from parlai_spotbot.analysis.survival.intervals import Intervals, innermost
from parlai_spotbot.analysis.survival.steps import StepDistribution


@dataclass(frozen=True)
class TurnbullFit(StepDistribution):
    """The estimate: `mass` (m,) on the innermost `intervals` (m, 2), each end included where `closed` (m, 2) says so.

    The likelihood doesn't depend on where in an innermost interval its mass lies: `bounds` shows how much that leaves
    open. `kkt` is the duality gap per observation: the mean log-likelihood is at most this far below its maximum.
    `backend` is the one that was used.
    """

    loglik: float
    kkt: float
    backend: str


def turnbull(
    left: ArrayLike,
    right: ArrayLike,
    weights: ArrayLike | None = None,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
) -> TurnbullFit:
    """Estimate the distribution of a time known to lie in (left, right].

    Parameters
    ----------
    left, right : sequences (n,)
        right = inf: right-censored; left == right: exact. Ends that differ by rounding are one end, see
        `intervals.merge_ends`.
    weights : sequence (n,), optional
        How often each observation counts.
    closed : (bool, bool), optional
        Which ends of an interval are included; by default (False, True). icenReg's ``B``.
    backend : str
        "native", "icenreg" (R's icenReg), or "auto": icenReg where it is installed, else native. Where icenReg fails
        the estimate is native and ``.backend`` says so.

    Returns
    -------
    TurnbullFit
        With ``survival(t)``, ``quantile(q)``.

    Raises
    ------
    ValueError
        Names the row that is no interval.
    RuntimeError
        Where the masses don't converge.

    Examples
    --------
    >>> fit = turnbull([0, 0, 2, 2], [2, 2, float("inf"), float("inf")], backend="native")
    >>> fit.survival([1, 2]).tolist()
    [1.0, 0.5]
    """
    return estimate(innermost(left, right, weights, closed), closed, icenreg.choose(backend))


def estimate(data: Intervals, closed: tuple[bool, bool] | None, backend: str) -> TurnbullFit:
    """Fit checked observations by "native" or "icenreg"; natively, with a warning, where icenReg fails."""
    mass = None
    if backend == "icenreg":
        try:
            mass = icenreg.ic_np(data.left, data.right, data.weights, closed or (False, True), len(data.ends))
        except RuntimeError as err:
            warnings.warn(f"turnbull: {err}; the native estimate is used", icenreg.IcenRegWarning, stacklevel=3)
    backend = "native" if mass is None else backend
    mass = npmle.solve(data) if mass is None else mass
    slope, probability = npmle.gradient(data, mass)
    loglik = float(data.weights @ np.log(probability))
    kkt = max(0.0, float(slope.max() / data.weights.sum() - 1))
    return TurnbullFit(data.ends, data.closed, mass, loglik, kkt, backend)
