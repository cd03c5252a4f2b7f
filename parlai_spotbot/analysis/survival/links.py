"""The two links of semi-parametric regression, and the likelihood of an interval with its derivatives.

An observation between two boundaries has probability G(a) - G(b), where a and b are baseline plus linear predictor at
its ends and G is the survival function of the link: exp(-exp(x)) for proportional hazards, 1/(1 + exp(x)) for odds.
Both densities are log-concave, so the log-likelihood is concave in baseline and coefficients together.
"""

from typing import NamedTuple

import numpy as np

from parlai_spotbot.analysis.values import ArrayTriple


class Terms(NamedTuple):
    """log P (n,) and its derivatives by a and b: first (n,) each, second by aa, bb and ab (n,) each."""

    value: np.ndarray
    by_a: np.ndarray
    by_b: np.ndarray
    by_aa: np.ndarray
    by_bb: np.ndarray
    by_ab: np.ndarray


def inverse(s: np.ndarray, model: str) -> np.ndarray:
    """The x with G(x) = s."""
    return np.log(-np.log(s)) if model == "ph" else np.log1p(-s) - np.log(s)


def terms(a: np.ndarray, b: np.ndarray, model: str) -> Terms:
    """log P and its derivatives; those by an infinite end (a of an observation from the start, b of one to the end) are
    0."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return (_hazards if model == "ph" else _odds)(a, b)


def _hazards(a: np.ndarray, b: np.ndarray) -> Terms:
    u = np.exp(a)
    v = np.exp(b)
    gap = v - u
    value = np.log(-np.expm1(-gap)) - u
    r = 1 / np.expm1(gap)
    r[np.isinf(b)] = 0.0
    by_b = np.where(r > 0, r * v, 0.0)
    by_a = -u * (1 + r)
    curve = r * (1 + r)
    uv = np.where(r > 0, u * v * curve, 0.0)
    return Terms(value, by_a, by_b, by_a - u * u * curve, np.where(r > 0, by_b - v * v * curve, 0.0), uv)


def _odds(a: np.ndarray, b: np.ndarray) -> Terms:
    above = np.logaddexp(0.0, a)
    below = np.logaddexp(0.0, -b)
    gap = b - a
    value = np.log(-np.expm1(-gap)) - below - above
    r = 1 / np.expm1(gap)
    p, q = np.exp(a - above), np.exp(-b - below)  # sigma(a) and sigma(-b)
    p[np.isneginf(a)] = 0.0
    q[np.isposinf(b)] = 0.0
    cross = r * (1 + r)
    return Terms(value, -p - r, q + r, -p * (1 - p) - cross, -q * (1 - q) - cross, cross)


def current_status_terms(eta: np.ndarray, spotted: np.ndarray, model: str) -> ArrayTriple:
    """log P (..., c) and its first and second derivative by the predictor `eta` (..., c), of observations that reach
    from the start to there, where `spotted` (c,), and of others from there to the end: `terms` without their other end.
    """
    if model == "po":
        away = np.where(spotted, -eta, eta)
        below = np.logaddexp(0.0, away)
        p = np.exp(away - below)
        return -below, np.where(spotted, p, -p), -p * (1 - p)
    hazard = np.exp(eta)
    value, slope, curve = (-hazard for _ in range(3))
    v = hazard[..., spotted]
    r = 1 / np.expm1(v)
    value[..., spotted] = np.log(-np.expm1(-v))
    slope[..., spotted] = r * v
    curve[..., spotted] = r * v - v * v * (r * (1 + r))
    return value, slope, curve
