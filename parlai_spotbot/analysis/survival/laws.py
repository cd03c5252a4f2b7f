"""Distributions of the time until an entity is spotted, in one form: by a family's name, a fit, or quantiles.

Covariates act on survival at covariates 0 as in `results`: hazards S0^exp(xb), odds of having been spotted times
exp(xb), times multiplied by exp(xb).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from parlai_spotbot.analysis.survival.results import RegressionFit

MODELS = ("ph", "po", "aft")
# Parameters and what they are by default: times of a few exchanges.
FAMILIES = {
    "exponential": {"scale": 4.0},
    "weibull": {"shape": 1.5, "scale": 4.0},
    "gamma": {"shape": 1.5, "scale": 3.0},
    "lognormal": {"mu": 1.2, "sigma": 0.8},
    "loglogistic": {"shape": 2.0, "scale": 3.5},
    "generalized_gamma": {"mu": 1.2, "sigma": 0.8, "Q": 0.5},
}
ANY_SIGN = ("mu", "Q")
# Quantile functions refuse 0 and 1; a uniform draw is that close to them once in 1e16.
EDGE = 2.0**-53


@dataclass(frozen=True)
class Law:
    """Survival P(T > t) and its inverse, s -> t. Mass that is known only by interval stands in `intervals`, `mass`.

    `closed` (m, 2) says which ends of the intervals (m, 2) are included. All three are None where a time has a place.
    """

    inverse: Callable[[np.ndarray], np.ndarray]
    survival: Callable[[np.ndarray], np.ndarray] | None = None
    intervals: np.ndarray | None = None
    closed: np.ndarray | None = None
    mass: np.ndarray | None = None


def law(dist: Any, parameters: Mapping[str, float] | None = None, argument: str = "dist") -> Law:
    """Bring what describes a distribution into one form.

    Parameters
    ----------
    dist : str or object
        A family's name, with its `parameters`; a `TurnbullFit` (mass counts from the right end of its interval); a
        `RegressionFit`, for its baseline; a frozen distribution of `scipy.stats`; an object with ``survival(t)`` and
        ``quantile(q)``; or a function q -> the time by which a share q has been spotted.

    Raises
    ------
    ValueError
        Names the family or parameter that is unknown or out of range.
    """
    if isinstance(dist, str):
        return _frozen(_family(dist, parameters or {}, argument))
    if parameters:
        raise ValueError(f"parameters: {dict(parameters)}, expected none unless {argument} is a family's name")
    if isinstance(dist, RegressionFit):
        return law(dist.baseline, argument=argument)
    if getattr(dist, "intervals", None) is not None and getattr(dist, "mass", None) is not None:
        return _by_interval(dist)
    if hasattr(dist, "isf") and hasattr(dist, "sf"):
        return _frozen(dist)
    if hasattr(dist, "quantile"):
        return Law(_from_quantile(dist.quantile), getattr(dist, "survival", None))
    if callable(dist):
        return Law(_from_quantile(dist))
    raise ValueError(
        f"{argument}: {dist!r:.60}, expected one of {', '.join(FAMILIES)}, a fit, a scipy.stats distribution, or a "
        "function from shares to times"
    )


def forward(survival: np.ndarray, shift: np.ndarray | None, model: str) -> np.ndarray:
    """Survival under the linear predictor `shift` from that at covariates 0, for "ph" and "po"; -shift goes back."""
    if shift is None:
        return survival
    ratio = np.exp(np.clip(shift, -700.0, 700.0))
    if model == "po":
        return survival / (survival + (1 - survival) * ratio)
    with np.errstate(divide="ignore"):
        return np.exp(np.log(survival) * ratio)


def _family(name: str, given: Mapping[str, float], argument: str) -> Any:
    if name not in FAMILIES:
        raise ValueError(f"{argument} is {name!r}, expected one of {', '.join(FAMILIES)}")
    unknown = [key for key in given if key not in FAMILIES[name]]
    if unknown:
        raise ValueError(f"parameters: {unknown[0]!r}, expected {', '.join(FAMILIES[name])} for {name}")
    p = FAMILIES[name] | {key: float(value) for key, value in given.items()}
    for key, value in p.items():
        if not np.isfinite(value) or (key not in ANY_SIGN and value <= 0):
            expected = "a finite number" if key in ANY_SIGN else "a finite number above 0"
            raise ValueError(f"parameters: {key} is {value}, expected {expected}")
    if name == "exponential":
        return stats.expon(scale=p["scale"])
    if name == "lognormal" or (name == "generalized_gamma" and p["Q"] == 0):
        return stats.lognorm(p["sigma"], scale=np.exp(p["mu"]))
    if name == "generalized_gamma":  # in the form of Prentice (1974, Biometrika 61), whose Q = 0 is log-normal
        power = p["Q"] / p["sigma"]
        return stats.gengamma(p["Q"] ** -2, power, scale=np.exp(p["mu"]) * abs(p["Q"]) ** (2 / power))
    kind = {"weibull": stats.weibull_min, "gamma": stats.gamma, "loglogistic": stats.fisk}[name]
    return kind(p["shape"], scale=p["scale"])


def _frozen(dist: Any) -> Law:
    return Law(lambda s: dist.isf(np.maximum(s, np.finfo(float).tiny)), dist.sf)


def _from_quantile(quantile: Callable) -> Callable[[np.ndarray], np.ndarray]:
    return lambda s: np.asarray(quantile(np.clip(1 - np.asarray(s), EDGE, 1 - EDGE)), dtype=float)


def _by_interval(fit: Any) -> Law:
    used = np.asarray(fit.mass) > 0
    intervals, mass = np.asarray(fit.intervals)[used], np.asarray(fit.mass)[used]
    closed = getattr(fit, "closed", None)
    if closed is None:
        closed = np.stack([intervals[:, 0] == intervals[:, 1], np.isfinite(intervals[:, 1])], axis=-1)
    else:
        closed = np.asarray(closed)[used]
    mass = mass / mass.sum()

    def inverse(s: np.ndarray) -> np.ndarray:
        return intervals[place(mass, s), 1]

    return Law(inverse, fit.survival, intervals, closed, mass)


def place(mass: np.ndarray, s: np.ndarray) -> np.ndarray:
    """The interval in which survival falls to `s`."""
    behind = np.append(np.cumsum(mass[::-1])[::-1], 0.0)
    return np.minimum(np.searchsorted(-behind[1:], -np.asarray(s)), len(mass) - 1)
