"""Rank correlation of two orders of the same contestants, and whether they differ by more than chance.

Input are stored scores with 95 % intervals. The two orders are taken as independent; errors of scores that are shares
of wins against each other sum to zero, which is allowed for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from parlai_spotbot.analysis.agreement import kendall, spearman
from parlai_spotbot.analysis.uncertainty.corrections import adjust

Z = float(norm.ppf(0.975))


@dataclass(frozen=True)
class Scores:
    """What one study says of `names` (n): `score` (n,), higher is better, and its standard error `se` (n,).

    NaN where it is unknown. `zero_sum`: whether the scores are shares of wins against each other, so that their errors
    add up to nothing.
    """

    names: tuple[str, ...]
    score: np.ndarray
    se: np.ndarray
    zero_sum: bool = True

    def __post_init__(self):
        for field in ("score", "se"):
            if np.shape(getattr(self, field)) != (len(self.names),):
                shape = np.shape(getattr(self, field))
                raise ValueError(f"{field}: shape {shape}, expected a number for each of {len(self.names)} names")

    def of(self, names: Sequence[str]) -> Scores:
        """The same for some of the names, in their order."""
        place = [self.names.index(name) for name in names]
        return replace(self, names=tuple(names), score=self.score[place], se=self.se[place])


def standard_error(ci: Sequence[float | None] | None) -> float:
    """The standard error behind a 95 % interval, as if it were normal.

    NaN where there is no interval, or one without width: drawing anew what never varied says nothing.
    """
    if not ci or None in ci or not ci[0] < ci[1]:
        return float("nan")
    return (ci[1] - ci[0]) / (2 * Z)


def among(
    names: Sequence[str], pairs: Mapping[tuple[str, str], tuple[float, float]], whole: Mapping[str, float]
) -> Scores:
    """Mean rates over the opponents among `names`, from the stored rates of pairs of a larger pool.

    The errors of one contestant's pairs are correlated, since annotators are the same. Their mean correlation is that
    which makes the standard error of its mean over all opponents out of those of its pairs, at least 0, at most 1.

    Parameters
    ----------
    pairs : mapping
        (a, b) -> rate of a over b and its standard error; each pair once, either way round. Over the whole pool.
    whole : mapping
        Name -> standard error of its mean rate over all opponents of the pool; NaN where it is unknown.
    """
    by: dict[str, dict[str, tuple[float, float]]] = {}
    for (a, b), (rate, se) in pairs.items():
        by.setdefault(a, {})[b] = (rate, se)
        by.setdefault(b, {})[a] = (1 - rate, se)
    score, error = [], []
    for name in names:
        met = by.get(name, {})
        own = np.array([met.get(other, (np.nan, np.nan)) for other in names if other != name]).reshape(-1, 2)
        every = np.array([se for _, se in met.values()])
        score.append(own[:, 0].mean() if len(own) else np.nan)
        # Without the whole's error nothing is known of the correlation: 1 is on the safe side.
        rho = correlation(every, whole.get(name, np.nan))
        error.append(_of_mean(own[:, 1], 1.0 if np.isnan(rho) else rho))
    return Scores(tuple(names), np.array(score), np.array(error))


def correlation(errors: np.ndarray, whole: float) -> float:
    """The mean correlation, 0 to 1, with which a mean of estimates with `errors` (m,) has the standard error `whole`.

    NaN where it can't be told.
    """
    m = len(errors)
    cross = errors.sum() ** 2 - (errors**2).sum()
    if m < 2 or not np.isfinite(cross) or not np.isfinite(whole) or cross <= 0:
        return float("nan")
    return float(np.clip((whole**2 * m**2 - (errors**2).sum()) / cross, 0.0, 1.0))


def _of_mean(errors: np.ndarray, rho: float) -> float:
    if not len(errors):
        return float("nan")
    own = (errors**2).sum()
    return float(np.sqrt(own + rho * (errors.sum() ** 2 - own)) / len(errors))


def adjusted(p: Sequence[float]) -> np.ndarray:
    """Holm's adjustment of those p-values that are known; NaN stays NaN."""
    p = np.asarray(p, dtype=float)
    result, known = np.full(len(p), np.nan), np.isfinite(p)
    if known.any():
        result[known] = adjust(p[known])
    return result


@dataclass(frozen=True)
class Correlation:
    """How far two orders agree.

    `tau` is Kendall's tau-b, `rho` Spearman's; `*_ci` their 95 % intervals, None where standard errors are unknown.
    `expected` is where tau would lie in 95 of 100 pairs of studies if nothing but chance had changed, and `p` how often
    it would be as low as it is, or lower.
    """

    n: int
    tau: float
    rho: float
    tau_ci: tuple[float, float] | None
    rho_ci: tuple[float, float] | None
    expected: tuple[float, float] | None
    p: float | None


def rank_correlation(before: Scores, after: Scores, *, rng: np.random.Generator, replicates: int = 2000) -> Correlation:
    """Kendall's tau-b (Kendall 1945) and Spearman's rho of two studies' scores, by a parametric bootstrap.

    For the intervals, both studies' scores are drawn anew around themselves. For "nothing changed", both are drawn
    around one common score: the mean of both by their precision, drawn together so far that it spreads as true scores
    must for the observed ones to spread as they do; else the noise in it would make studies seem to agree too well.
    """
    _same(before, after)
    known = np.isfinite(before.score) & np.isfinite(after.score)
    if known.sum() < 2:
        return Correlation(int(known.sum()), np.nan, np.nan, None, None, None, None)
    x, y = before.score[known], after.score[known]
    tau, rho = (float(of(x[None], y[None])[0]) for of in (kendall, spearman))
    ex, ey = _of_orders(before, known), _of_orders(after, known)
    # Where all scores of one study are equal it has no order, so nothing of an order can have changed.
    if not np.isfinite(tau) or not np.isfinite(ex).all() or not np.isfinite(ey).all():
        return Correlation(int(known.sum()), tau, rho, None, None, None, None)
    noise = rng.standard_normal((2, replicates, len(x)))
    drawn = x + noise[0] * ex, y + noise[1] * ey
    tau_ci, rho_ci = _interval(kendall(*drawn)), _interval(spearman(*drawn))
    noise = rng.standard_normal((2, replicates, len(x)))
    centre = common(x, ex, y, ey)
    null = kendall(centre + noise[0] * ex, centre + noise[1] * ey)
    p = (1 + np.count_nonzero(null <= tau + 1e-12)) / (1 + replicates)
    return Correlation(int(known.sum()), tau, rho, tau_ci, rho_ci, _interval(null), float(p))


def common(x: np.ndarray, ex: np.ndarray, y: np.ndarray, ey: np.ndarray) -> np.ndarray:
    """The score (n,) that two studies would share: their mean by precision, shrunk to the spread of true scores."""
    wx, wy = 1 / ex**2, 1 / ey**2
    centre = (wx * x + wy * y) / (wx + wy)
    spread = centre.var(ddof=1)
    share = max(0.0, 1 - (1 / (wx + wy)).mean() / spread) if spread > 0 else 0.0
    return centre.mean() + (centre - centre.mean()) * np.sqrt(share)


def _of_orders(scores: Scores, known: np.ndarray) -> np.ndarray:
    """Errors to draw independently so that differences between contestants vary as they should.

    Errors that sum to nothing have the correlation −1/(n−1), which makes differences vary more by n/(n−1).
    """
    n = int(known.sum())
    return scores.se[known] * (np.sqrt(n / (n - 1)) if scores.zero_sum else 1.0)


def _interval(samples: np.ndarray) -> tuple[float, float]:
    low, high = np.nanquantile(samples, [0.025, 0.975])
    return (float(low), float(high))


def _same(before: Scores, after: Scores) -> None:
    if before.names != after.names:
        raise ValueError(f"after: names are {after.names}, expected those of before, {before.names}")
