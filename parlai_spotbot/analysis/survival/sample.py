"""Simulated interval-censored data with a known truth, for tests, for planning a study, and for teaching.

Rows of one conversation or one annotator resemble each other. Here they share a normal random effect under the uniform
draw behind each time (a Gaussian copula): the times hang together, yet each alone has exactly the distribution asked
for, so that a test's size or an interval's coverage under clustering can be measured against a null that holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from parlai_spotbot.analysis.survival.design import matrix
from parlai_spotbot.analysis.survival.intervals import merge_ends, numbers
from parlai_spotbot.analysis.survival.laws import MODELS, Law, forward, law
from parlai_spotbot.analysis.survival.results import RegressionFit

INSPECTIONS = ("current_status", "case2", "exact", "right")
SCALES = ("latent", "verdicts")
RESERVED = ("left", "right", "k", "time")


def sample(
    n: int,
    *,
    dist: Any = "weibull",
    parameters: Mapping[str, float] | None = None,
    X: ArrayLike | pd.DataFrame | None = None,
    coef: Sequence[float] | None = None,
    model: str | None = None,
    inspection: str = "current_status",
    times: Any = (2, 3, 5),
    clusters: Mapping[str, tuple[int | ArrayLike, float]] | None = None,
    icc: str = "latent",
    seed: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Draw n times until an entity is spotted, and what inspections show of them.

    Parameters
    ----------
    dist, parameters : optional
        The distribution at covariates 0. A name: "exponential" (scale), "weibull", "gamma", "loglogistic" (shape,
        scale), "lognormal" (mu, sigma of the logarithm) or "generalized_gamma" (mu, sigma, Q of Prentice 1974), each
        parameter with a default. Or a `TurnbullFit`, whose mass stands at the right ends; a `RegressionFit`; a frozen
        distribution of scipy.stats; an object with ``quantile(q)``; a function q -> time (inf: never).
    X : array or frame (n, p), optional
        Covariates; by default none.
    coef : sequence (p,), optional
        Their coefficients; by default those of the `RegressionFit`.
    model : str, optional
        What covariates do, with the signs of `RegressionFit`: "ph" (hazards times exp(xb); the default), "po" (odds of
        having been spotted times exp(xb)) or "aft" (times multiplied by exp(xb)).
    inspection : str
        "current_status": inspected once at k, (0, k] where spotted by then, else (k, inf). "case2": twice, in between
        is an interval. "exact": left == right is the time itself. "right": the time itself if before k, else (k, inf).
    times : optional
        When there are inspections. A sequence: one of these, each as likely ("case2": two different ones); an array
        (n, m): the m inspections of each row; a distribution as for `dist`: one draw ("case2": two).
    clusters : mapping, optional
        Column name -> (count or labels, intraclass correlation). A count: as many clusters of like size, of the first
        name in blocks of rows, of further names at random, so crossed; labels (n,): those.
    icc : str
        What the correlations are of. "latent": normal scores of the times, which is the tetrachoric correlation of two
        verdicts. "verdicts" (with current status): the verdicts themselves, averaged over all pairs of rows, so as
        analyses of released judgements report it.
    seed : int or Generator

    Returns
    -------
    frame (n rows)
        `left`, `right`; covariates (the frame's names, or x1, x2, …); cluster columns; with current status `k`; and
        `time`, the truth that a study doesn't see.

    Raises
    ------
    ValueError
        Names the argument, or the row, that is out of range.

    References
    ----------
    Bender, Augustin & Blettner 2005, Stat. Med. 24 (times from uniform draws); Clayton & Cuzick 1985, JRSS-A 148, and
    Joe 2014, Dependence Modeling with Copulas (dependence with given margins).

    Examples
    --------
    >>> sample(3, dist="exponential", parameters={"scale": 4}, times=[2, 3], seed=1)[["left", "right", "k"]]
       left  right    k
    0   2.0    inf  2.0
    1   2.0    inf  2.0
    2   2.0    inf  2.0
    """
    rng = np.random.default_rng(seed)
    n = _whole(n, "n")
    model = _choice(model or (dist.model if isinstance(dist, RegressionFit) else "ph"), "model", MODELS)
    _choice(inspection, "inspection", INSPECTIONS)
    _choice(icc, "icc", SCALES)
    covariates = _covariates(X, n)
    _names([*covariates, *(clusters or {})])
    fitted = isinstance(dist, RegressionFit) and coef is None and bool(covariates)
    baseline = law(dist.reference if fitted else dist, parameters)
    shift = _shift(dist, X, covariates, coef, model)
    looks = None if inspection == "exact" else _looks(times, n, 2 if inspection == "case2" else 1, rng)
    groups = _clusters(clusters or {}, n, rng)
    if icc == "verdicts" and groups:
        if inspection != "current_status":
            raise ValueError(f"icc is 'verdicts' with inspection {inspection!r}, expected 'latent' or current_status")
        share = _spotted_by(baseline, looks[:, 0], shift, model)
        groups = [group.latent(share) for group in groups]
    time = _times(baseline, _uniform(groups, n, rng), shift, model)
    frame = pd.DataFrame(_inspect(time, looks, inspection)).assign(**covariates)
    for group in groups:
        frame[group.name] = group.labels
    if inspection == "current_status":
        frame["k"] = looks[:, 0]
    return frame.assign(time=time)


@dataclass(frozen=True)
class _Group:
    name: str
    labels: np.ndarray
    codes: np.ndarray
    icc: float

    def latent(self, share: np.ndarray) -> _Group:
        """With the latent correlation under which verdicts with these probabilities (n,) correlate as asked."""
        if self.icc == 0:
            return self
        # A grid of quantiles stands for all rows, so that pairs stay few.
        p = np.quantile(share, (np.arange(200) + 0.5) / 200, method="inverted_cdf")
        most = verdict_correlation(p, 0.999)
        if not self.icc < most:
            raise ValueError(
                f"clusters: {self.name!r} has intraclass correlation {self.icc} of verdicts, expected below {most:.3f} "
                "for these times of inspection"
            )
        found = brentq(lambda r: verdict_correlation(p, r) - self.icc, 0.0, 0.999, xtol=1e-10)
        return _Group(self.name, self.labels, self.codes, float(found))


def verdict_correlation(share: np.ndarray, latent: float) -> float:
    """Correlation of two verdicts, spotted or not, whose normal scores correlate by `latent` (0 to below 1).

    `share` (m,) are the probabilities of being spotted, of which any two are as likely a pair. The bivariate normal
    distribution function is integrated over the correlation (Drezner & Wesolowsky 1990, J. Stat. Comput. Simul. 35).
    """
    values, counts = np.unique(np.clip(share, 1e-12, 1 - 1e-12), return_counts=True)
    weights = counts / counts.sum()
    h = ndtri(values)
    nodes, steps = np.polynomial.legendre.leggauss(32)
    half = np.arcsin(latent) / 2
    angle = half * (nodes + 1)
    squares, products = h[:, None] ** 2 + h[None, :] ** 2, 2 * h[:, None] * h[None, :]
    covariance = np.zeros_like(squares)
    for step, a in zip(half * steps, angle, strict=True):
        covariance += step * np.exp(-(squares - products * np.sin(a)) / (2 * np.cos(a) ** 2)) / (2 * np.pi)
    return float(weights @ covariance @ weights / (weights @ (values * (1 - values))))


def _names(names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in RESERVED or name in names[:i]:
            raise ValueError(
                f"X, clusters: a column {name!r}, expected each name once and none of {', '.join(RESERVED)}"
            )


def _covariates(X: ArrayLike | pd.DataFrame | None, n: int) -> dict[str, np.ndarray]:
    if X is None:
        return {}
    values, names = matrix(X, n)
    return {name: values[:, i] for i, name in enumerate(names)}


def _shift(dist: Any, X: Any, covariates: dict, coef: Sequence[float] | None, model: str) -> np.ndarray | None:
    """The linear predictor (n,)."""
    if isinstance(dist, RegressionFit) and coef is None and covariates:
        if model != dist.model:
            raise ValueError(f"model is {model!r}, expected {dist.model!r}, that of the fit")
        return dist._predictor(X)
    if coef is None and not covariates:
        return None
    coef = np.atleast_1d(numbers([] if coef is None else coef, "coef"))
    if coef.shape != (len(covariates),) or not np.isfinite(coef).all():
        raise ValueError(f"coef: {coef.tolist()}, expected a finite number for each covariate: {list(covariates)}")
    return np.column_stack(list(covariates.values())) @ coef


def _looks(times: Any, n: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """When each row is inspected, in order (n, m)."""
    if isinstance(times, str) or callable(times) or hasattr(times, "isf") or hasattr(times, "quantile"):
        looks = law(times, argument="times").inverse(1 - rng.random((n, count)))
    else:
        (known,) = merge_ends(numbers(times, "times", truth=False))
        if known.ndim == 2 and len(known) == n and (known.shape[1] == count or known.shape[1] > count == 2):
            looks = known
        elif known.ndim == 1 and len(known) >= count:
            looks = known[np.argsort(rng.random((n, len(known))), axis=1)[:, :count]]
        else:
            raise ValueError(f"times: shape {known.shape}, expected at least {count}, or a row for each of n = {n}")
    wrong = ~(np.isfinite(looks) & (looks > 0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(f"times: row {row} is inspected at {looks[row, column]}, expected a finite number above 0")
    return np.sort(looks, axis=1)


def _clusters(asked: Mapping[str, tuple[int | ArrayLike, float]], n: int, rng: np.random.Generator) -> list[_Group]:
    groups = []
    for name, (of, icc) in asked.items():
        if not 0 <= icc < 1:
            raise ValueError(f"clusters: {name!r} has intraclass correlation {icc}, expected from 0 to below 1")
        if np.ndim(of) == 0:
            labels = np.arange(n) * _whole(of, f"clusters: {name!r}") // n
            labels = rng.permutation(labels) if groups else labels
        else:
            labels = np.asarray(of)
        if labels.shape != (n,):
            raise ValueError(f"clusters: {name!r} has labels of shape {labels.shape}, expected {(n,)}")
        groups.append(_Group(name, labels, pd.factorize(labels)[0], float(icc)))
    return groups


def _uniform(groups: list[_Group], n: int, rng: np.random.Generator) -> np.ndarray:
    """P(T <= time) of every row (n,), correlated within clusters."""
    if not groups:
        return rng.random(n)
    own = 1 - sum(group.icc for group in groups)
    if own < 0:
        raise ValueError(f"clusters: latent intraclass correlations sum to {1 - own:.3f}, expected at most 1")
    score = np.sqrt(own) * rng.standard_normal(n)
    for group in groups:
        score += np.sqrt(group.icc) * rng.standard_normal(group.codes.max() + 1)[group.codes]
    return ndtr(score)


def _times(baseline: Law, uniform: np.ndarray, shift: np.ndarray | None, model: str) -> np.ndarray:
    survival = 1 - uniform
    if shift is None:
        return baseline.inverse(survival)
    if model == "aft":
        return baseline.inverse(survival) * np.exp(shift)
    return baseline.inverse(forward(survival, -shift, model))


def _spotted_by(baseline: Law, t: np.ndarray, shift: np.ndarray | None, model: str) -> np.ndarray:
    if baseline.survival is None:
        raise ValueError("icc is 'verdicts' and dist knows only quantiles, expected one with survival(t), or 'latent'")
    if shift is None:
        return 1 - baseline.survival(t)
    if model == "aft":
        return 1 - baseline.survival(t * np.exp(-shift))
    return 1 - forward(np.clip(baseline.survival(t), 0.0, 1.0), shift, model)


def _inspect(time: np.ndarray, looks: np.ndarray | None, inspection: str) -> dict[str, np.ndarray]:
    if looks is None:
        if np.isinf(time).any():
            row = int(np.flatnonzero(np.isinf(time))[0])
            raise ValueError(f"dist: row {row} is never spotted, expected finite times; use inspection='right'")
        return {"left": time, "right": time}
    bounds = np.column_stack([np.zeros(len(time)), looks, np.full(len(time), np.inf)])
    passed = (looks < time[:, None]).sum(axis=1)
    rows = np.arange(len(time))
    left, right = bounds[rows, passed], bounds[rows, passed + 1]
    if inspection == "right":
        seen = np.isfinite(right)
        left, right = np.where(seen, time, left), np.where(seen, time, right)
    return {"left": left, "right": right}


def _whole(value: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} is {value!r}, expected a whole number from 1 up")
    return int(value)


def _choice(value: str, name: str, known: Sequence[str]) -> str:
    if value not in known:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(known)}")
    return value
