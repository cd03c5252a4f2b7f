"""The nonparametric maximum-likelihood estimate for interval-censored data (Turnbull 1976, JRSS-B 38; section 3.3).

Any mix of exact, left-, interval- and right-censored observations; how each kind is solved is in npmle.py.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import icenreg, npmle
from parlai_spotbot.analysis.survival.intervals import ROUNDING, Intervals, arrange, check, numbers
from parlai_spotbot.analysis.values import ArrayPair

# Shares are sums of masses that a solver may leave inexact, so a quantile counts as reached within this.
INEXACT = 1e-8


@dataclass(frozen=True)
class TurnbullFit:
    """The estimate: `mass` (m,) on the innermost `intervals` (m, 2), each end included where `closed` (m, 2) is true.

    Where in an innermost interval its mass lies, no data can say: `survival` counts it from the right end. `kkt` is the
    duality gap per observation: the mean log-likelihood is at most this far below its maximum. `backend` is the one
    that was used.
    """

    intervals: np.ndarray
    closed: np.ndarray
    mass: np.ndarray
    loglik: float
    kkt: float
    backend: str

    def survival(self, t: ArrayLike) -> np.ndarray:
        """P(T > t), of the shape of t; each mass counts from the right end of its interval.

        A time that differs from an end by rounding is that end, see `intervals.ROUNDING`.
        """
        t = numbers(t, "t")
        if np.isnan(t).any():
            raise ValueError("t is NaN, expected times")
        place = np.searchsorted(self.intervals[:, 1] * (1 - ROUNDING), t, side="right")
        before = np.concatenate([[0.0], np.cumsum(self.mass)])[place]
        return np.clip(np.where(np.isinf(t), 0.0, 1.0 - before), 0.0, 1.0)

    def quantile(self, q: ArrayLike) -> np.ndarray:
        """The time by which a share q has been spotted, at the latest; inf where the data never reach that share."""
        return self.quantile_bounds(q)[1]

    @property
    def median(self) -> float:
        """The median by the right ends; inf where half are never spotted."""
        return float(self.quantile(0.5))

    def quantile_bounds(self, q: ArrayLike) -> ArrayPair:
        """The interval in which the share q is reached: its left and right ends.

        A right end of inf says that it was not reached by the left end, the last time at which anyone looked.
        """
        q = numbers(q, "q")
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError(f"q is {np.unique(q).tolist()}, expected shares from 0 to 1")
        positive = np.flatnonzero(self.mass > 0)
        reached = np.cumsum(self.mass[positive])
        place = positive[np.minimum(np.searchsorted(reached + INEXACT, q), len(positive) - 1)]
        return self.intervals[place, 0], self.intervals[place, 1]


def turnbull(
    left: ArrayLike,
    right: ArrayLike,
    weights: ArrayLike | None = None,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
    *,
    entry: None = None,
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
        the estimate is native, as ``.backend`` shows.
    entry : None
        Left truncation is not supported: anything else is refused.

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
    return estimate(arrange(*check(left, right, weights, entry), closed), closed, icenreg.choose(backend))


def estimate(data: Intervals, closed: tuple[bool, bool] | None, backend: str) -> TurnbullFit:
    """Fit checked observations by "native" or "icenreg"; natively, with a warning, where icenReg fails."""
    mass = None
    if backend == "icenreg":
        try:
            mass = icenreg.ic_np(data.left, data.right, data.weights, closed or (False, True), len(data.ends))
        except RuntimeError as err:
            warnings.warn(f"turnbull: {err}; the native estimate is used", icenreg.IcenRegWarning, stacklevel=3)
    if mass is None:
        backend = "native"
        mass = npmle.solve(data)
    slope, loglik = npmle.evaluate(data, mass)
    kkt = max(0.0, float(slope.max() / data.weights.sum() - 1))
    return TurnbullFit(data.ends, data.closed, mass, loglik, kkt, backend)
