"""The parametric distributions by name: what their parameters are called, and the distribution at given ones.

With log T = mu + sigma W: exponential and Weibull have scale exp(mu) and shape 1 / sigma; log-logistic scale alpha =
exp(mu) and shape beta = 1 / sigma; the generalized gamma is Prentice's (1974) with shape Q, which holds the Weibull at
Q = 1, the log-normal at Q = 0 and the gamma at Q = sigma. Scales and shapes are reported as logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.distributions import (
    LINKS,
    ExtremeValue,
    LogGamma,
    Logistic,
    Normal,
    log_gamma,
    on_link,
)
from parlai_spotbot.analysis.survival.intervals import numbers

PARAMETERS = {
    "exponential": ("log_scale",),
    "weibull": ("log_shape", "log_scale"),
    "gamma": ("log_shape", "log_scale"),
    "lognormal": ("mu", "log_sigma"),
    "loglogistic": ("log_alpha", "log_beta"),
    "generalgamma": ("mu", "log_sigma", "Q"),
}


def law_of(dist: str, shape: float | None = None) -> ExtremeValue | Normal | Logistic | LogGamma:
    """The law of W; `shape` is the logarithm of a gamma's shape, or a generalized gamma's Q."""
    if dist == "gamma":
        return log_gamma(float(np.exp(-shape / 2)))
    if dist == "generalgamma":
        return log_gamma(shape)
    return {"lognormal": Normal(), "loglogistic": Logistic()}.get(dist, ExtremeValue())


def location_scale(dist: str, parameters: dict[str, float]) -> tuple[float, float, float | None]:
    """mu, sigma and the shape (see `law_of`) of a distribution with these parameters."""
    p = parameters
    if dist == "exponential":
        return p["log_scale"], 1.0, None
    if dist == "weibull":
        return p["log_scale"], float(np.exp(-p["log_shape"])), None
    if dist == "gamma":
        return p["log_scale"] + p["log_shape"], float(np.exp(-p["log_shape"] / 2)), p["log_shape"]
    if dist == "loglogistic":
        return p["log_alpha"], float(np.exp(-p["log_beta"])), None
    return p["mu"], float(np.exp(p["log_sigma"])), p.get("Q")


def parameters_of(dist: str, mu: float, sigma: float, shape: float | None) -> dict[str, float]:
    """The reverse of `location_scale`."""
    values = {
        "exponential": (mu,),
        "weibull": (-np.log(sigma), mu),
        "gamma": (shape, mu - shape if shape is not None else mu),
        "lognormal": (mu, np.log(sigma)),
        "loglogistic": (mu, -np.log(sigma)),
        "generalgamma": (mu, np.log(sigma), shape),
    }[dist]
    return dict(zip(PARAMETERS[dist], map(float, values), strict=True))


@dataclass(frozen=True)
class ParametricBaseline:
    """A fitted distribution at covariates 0, times in the data's unit.

    `parameters` are those of the family at the covariates' means; under `model` the predictor of covariates 0 differs
    by `shift` from that of the means. Proportional hazards or odds leave most families: then no member of the family
    has this distribution.
    """

    dist: str
    parameters: dict[str, float]
    model: str = "aft"
    shift: float = 0.0

    def survival(self, t: ArrayLike) -> np.ndarray:
        """P(T > t)."""
        return np.exp(self._tails(t)[0].log_sf)

    def cumulative_hazard(self, t: ArrayLike) -> np.ndarray:
        """-log P(T > t)."""
        return -self._tails(t)[0].log_sf

    def density(self, t: ArrayLike) -> np.ndarray:
        """The density at t, the derivative of 1 - survival(t); NaN at 0."""
        t = numbers(t, "t", truth=False)
        at, log_rate = self._tails(t)
        with np.errstate(divide="ignore", invalid="ignore"):
            sigma = location_scale(self.dist, self.parameters)[1]
            value = np.exp(at.log_pdf + log_rate - np.log(sigma) - np.log(t))
        return np.where((t > 0) & np.isfinite(t), value, np.where(t == 0, np.nan, 0.0))

    def quantile(self, q: ArrayLike) -> np.ndarray:
        """The time by which a share q (0 to 1) has been spotted."""
        q = numbers(q, "q")
        if not ((q >= 0) & (q <= 1)).all():
            raise ValueError(f"q is {q.ravel().tolist()}, expected shares from 0 to 1")
        mu, sigma, shape = location_scale(self.dist, self.parameters)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_cdf, log_sf = np.log(q), np.log1p(-q)
            if self.model != "aft":
                link = LINKS[self.model]
                at = link.tails(link.quantile(log_cdf, log_sf) - self.shift)
                log_cdf, log_sf = at.log_cdf, at.log_sf
            w = law_of(self.dist, shape).quantile(log_cdf, log_sf)
            time = np.exp(mu + (self.shift if self.model == "aft" else 0.0) + sigma * w)
        return np.where(q == 0, 0.0, np.where(q == 1, np.inf, time))

    def _tails(self, t: ArrayLike):
        """The law at t on its own scale ("aft") or the link's, and log d eta / dw."""
        t = numbers(t, "t", truth=False)
        if not (t >= 0).all():
            raise ValueError(f"t: {t.ravel()[~(t.ravel() >= 0)][0]}, expected times from 0 up")
        mu, sigma, shape = location_scale(self.dist, self.parameters)
        law = law_of(self.dist, shape)
        shift = self.shift if self.model == "aft" else 0.0
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            w = np.clip((np.log(t) - mu - shift) / sigma, -1e15, 1e15)
            if self.model == "aft":
                return law.tails(w), np.zeros_like(w)
            scale = on_link(law, self.model, w)
            return LINKS[self.model].tails(scale.eta + self.shift), scale.log_rate
