"""The laws of log T in parametric models: log T = mu + sigma W (Kalbfleisch & Prentice 2002, chapter 2).

W is a smallest-extreme-value (exponential, Weibull), normal, logistic or log-gamma variable, the last in Prentice's
form (1974, Biometrika 61) with shape Q: extreme value at Q = 1, normal at Q = 0. Everything is a logarithm, so that
both tails stay exact however far out. The first and the third are links too: proportional hazards are additive on the
scale of the extreme-value law, proportional odds on that of the logistic law.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln, log_expit, log_ndtr, ndtri_exp

LARGE = 1e4  # a gamma shape from which the uniform asymptotic expansion is exact to double precision
TINY = 1e-290
_HALF_LOG_TWO_PI = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True)
class Tails:
    """A law at points w: logarithms of P(W <= w), P(W > w) and the density, and two derivatives of the last."""

    log_cdf: np.ndarray
    log_sf: np.ndarray
    log_pdf: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray


def log1mexp(x: np.ndarray) -> np.ndarray:
    """log(1 - exp(x)) for x <= 0."""
    with np.errstate(divide="ignore"):
        return np.where(x > -0.6931, np.log(-np.expm1(np.minimum(x, 0.0))), np.log1p(-np.exp(np.minimum(x, -0.6931))))


class ExtremeValue:
    """The smallest extreme value: P(W > w) = exp(-exp(w))."""

    def tails(self, w: np.ndarray) -> Tails:
        w = np.clip(w, -700.0, 700.0)
        hazard = np.exp(w)
        return Tails(log1mexp(-hazard), -hazard, w - hazard, -np.expm1(w), -hazard)

    def quantile(self, log_cdf: np.ndarray, log_sf: np.ndarray) -> np.ndarray:
        return _log_minus(log_cdf, log_sf)


class Logistic:
    """P(W > w) = 1 / (1 + exp(w))."""

    def tails(self, w: np.ndarray) -> Tails:
        log_cdf, log_sf = log_expit(w), log_expit(-w)
        log_pdf = log_cdf + log_sf
        return Tails(log_cdf, log_sf, log_pdf, np.exp(log_sf) - np.exp(log_cdf), -2 * np.exp(log_pdf))

    def quantile(self, log_cdf: np.ndarray, log_sf: np.ndarray) -> np.ndarray:
        return log_cdf - log_sf


class Normal:
    """The standard normal law."""

    def tails(self, w: np.ndarray) -> Tails:
        return Tails(log_ndtr(w), log_ndtr(-w), -_HALF_LOG_TWO_PI - w * w / 2, -w, np.full_like(w, -1.0))

    def quantile(self, log_cdf: np.ndarray, log_sf: np.ndarray) -> np.ndarray:
        return np.where(log_cdf < log_sf, ndtri_exp(log_cdf), -ndtri_exp(log_sf))


@dataclass(frozen=True)
class LogGamma:
    """Prentice's law: exp(Q W) / Q² is a gamma variable of shape 1 / Q²; with Q < 0 its tails change sides."""

    Q: float

    def tails(self, w: np.ndarray) -> Tails:
        shape = self.Q**-2.0
        power = np.clip(self.Q * w, -1e15, 600.0)
        below, above = log_gamma_tails(shape, power)
        log_pdf = shape * _minus_expm1_rest(power) + _log_gamma_constant(shape)
        if self.Q < 0:
            below, above = above, below
        return Tails(below, above, log_pdf, -np.expm1(power) / self.Q, -np.exp(power))

    def quantile(self, log_cdf: np.ndarray, log_sf: np.ndarray) -> np.ndarray:
        below, above = (log_cdf, log_sf) if self.Q > 0 else (log_sf, log_cdf)
        shape = self.Q**-2.0
        if shape < LARGE:
            with np.errstate(divide="ignore"):
                x = np.where(below < above, gammaincinv(shape, np.exp(below)), gammainccinv(shape, np.exp(above)))
                # The smallest x are out of a float's range, their logarithms are not.
                power = np.where(x > TINY, np.log(x), (below + gammaln(shape + 1)) / shape) - np.log(shape)
            return power / self.Q
        w = Normal().quantile(log_cdf, log_sf)
        for _ in range(20):  # Newton on the logarithm of the smaller tail, which is concave
            at = self.tails(w)
            low = log_cdf < log_sf
            missing = np.where(low, at.log_cdf - log_cdf, log_sf - at.log_sf)
            slope = np.exp(at.log_pdf - np.where(low, at.log_cdf, at.log_sf))
            w = np.where(np.isfinite(w), w - missing / np.maximum(slope, 1e-300), w)
        return w


def log_gamma(Q: float) -> LogGamma | Normal:
    """Prentice's law with shape Q, with its limit at 0."""
    return LogGamma(Q) if abs(Q) > 1e-7 else Normal()


def log_gamma_tails(shape: float, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of P(X <= x) and P(X > x), X gamma of this shape, at x = shape exp(power)."""
    if shape >= LARGE:
        return _uniform(shape, power)
    x = shape * np.exp(power)
    below, above = gammainc(shape, x), gammaincc(shape, x)
    with np.errstate(divide="ignore"):
        log_below, log_above = np.log(below), np.log(above)
    far = below < TINY
    if far.any():
        log_below[far] = _far_below(shape, power[far])
        log_above[far] = log1mexp(log_below[far])
    far = above < TINY
    if far.any():
        log_above[far] = _far_above(shape, x[far])
    # Next to certainty the smaller tail is the more exact one.
    return np.where(log_above < -1, log1mexp(log_above), log_below), np.where(
        log_below < -1, log1mexp(log_below), log_above
    )


def _far_below(shape: float, power: np.ndarray) -> np.ndarray:
    """x^a exp(-x) / Γ(a + 1) · Σ x^n / ((a + 1) … (a + n)) (DLMF 8.7.1)."""
    x = shape * np.exp(power)
    total, term = np.ones_like(x), np.ones_like(x)
    for n in range(1, 2000):
        term = term * x / (shape + n)
        total += term
        if not (term > total * 1e-17).any():
            break
    return shape * (np.log(shape) + power) - x - gammaln(shape + 1) + np.log(total)


def _far_above(shape: float, x: np.ndarray) -> np.ndarray:
    """x^a exp(-x) / Γ(a) over a continued fraction (DLMF 8.9.2), from its inner end."""
    fraction = np.zeros_like(x)
    for n in range(400 if shape > 50 else 30, 0, -1):
        fraction = n * (n - shape) / (x + 2 * n + 1 - shape - fraction)
    return shape * np.log(x) - x - gammaln(shape) - np.log(x + 1 - shape - fraction)


def _uniform(shape: float, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Temme's expansion of the incomplete gamma functions for a large shape (DLMF 8.12.3 ff.), two terms."""
    power = np.clip(power, -20.0, 20.0)
    half = -_minus_expm1_rest(power)  # η² / 2
    eta = np.sign(power) * np.sqrt(2 * half)
    rise = np.expm1(power)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = 1 / rise - 1 / eta
        second = 1 / eta**3 - 1 / rise**3 - 1 / rise**2 - 1 / (12 * rise)
    near, middle = np.abs(eta) < 1e-3, np.abs(eta) < 0.05
    first = np.where(near, -1 / 3 + eta / 12 - 2 * eta**2 / 135 + eta**3 / 864, first)
    second = np.where(middle, -1 / 540 - eta / 288 + eta**2 / 378 - 77 * eta**3 / 77760, second)
    correction = first + second / shape
    z = eta * np.sqrt(shape)
    log_rest = -shape * half - 0.5 * np.log(2 * np.pi * shape)
    above, below = log_ndtr(-z), log_ndtr(z)
    return (
        below + np.log1p(-correction * np.exp(log_rest - below)),
        above + np.log1p(correction * np.exp(log_rest - above)),
    )


def _minus_expm1_rest(u: np.ndarray) -> np.ndarray:
    """u - (exp(u) - 1), exact near 0."""
    v = np.clip(u, -0.02, 0.02)
    series = -(v**2) * (1 / 2 + v * (1 / 6 + v * (1 / 24 + v * (1 / 120 + v * (1 / 720 + v / 5040)))))
    return np.where(v == u, series, u - np.expm1(u))


def _log_gamma_constant(shape: float) -> float:
    """a log a - a - log Γ(a) - log(a) / 2: log |Q| + a log a - a - log Γ(a) with a = 1 / Q²."""
    if shape > 50:
        return -_HALF_LOG_TWO_PI - 1 / (12 * shape) + 1 / (360 * shape**3) - 1 / (1260 * shape**5)
    return float((shape - 0.5) * np.log(shape) - shape - gammaln(shape))


def _log_minus(log_cdf: np.ndarray, log_sf: np.ndarray) -> np.ndarray:
    """log(-log P(W > w)), exact in both tails."""
    with np.errstate(divide="ignore"):
        return np.where(log_cdf < -36, log_cdf, np.log(-log_sf))


@dataclass(frozen=True)
class Scale:
    """A law's points w on the scale of a link: `eta`, its derivative by w, and the next two of log d eta / dw."""

    eta: np.ndarray
    rate: np.ndarray
    log_rate: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray


def on_link(law: ExtremeValue | Normal | Logistic | LogGamma, model: str, w: np.ndarray) -> Scale:
    """log cumulative hazard ("ph") or log odds ("po") of `law` at w."""
    if (model == "ph" and isinstance(law, ExtremeValue)) or (model == "po" and isinstance(law, Logistic)):
        zero = np.zeros_like(w)
        return Scale(w, zero + 1, zero, zero, zero)
    at = law.tails(w)
    with np.errstate(over="ignore", invalid="ignore"):
        hazard = np.exp(at.log_pdf - at.log_sf)
        if model == "ph":
            eta = _log_minus(at.log_cdf, at.log_sf)
            log_rate = at.log_pdf - at.log_sf - eta
            rate = np.exp(log_rate)
            slope = at.slope + hazard - rate
            curvature = at.curvature + hazard * (at.slope + hazard) - rate * slope
        else:
            eta = at.log_cdf - at.log_sf
            log_rate = at.log_pdf - at.log_cdf - at.log_sf
            rate = np.exp(log_rate)
            reversed_hazard = np.exp(at.log_pdf - at.log_cdf)
            slope = at.slope - reversed_hazard + hazard
            curvature = at.curvature - reversed_hazard * (at.slope - reversed_hazard) + hazard * (at.slope + hazard)
    return Scale(eta, rate, log_rate, slope, curvature)


LINKS = {"ph": ExtremeValue(), "po": Logistic()}
