"""Agreement of the orders of several methods on the same contestants, and whether they differ by more than chance.

Input are stored scores with 95 % intervals. Two orders are taken as independent; over the same conversations they are
correlated a little, so intervals are rather too wide. Errors of scores that are shares of wins against each other sum
to zero, which is allowed for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from parlai_spotbot.analysis.agreement import kendall, spearman
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.records import HUMAN

Z = float(norm.ppf(0.975))
LEAST = 3
"""Fewer contestants have no order worth comparing."""


@dataclass(frozen=True)
class Scores:
    """Record of what one study says of `names` (n): `score` (n,), higher is better, and its standard error `se` (n,).

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

    NaN where there is no interval, or one without width: drawing again what never varied says nothing.
    """
    if not ci or None in ci or not ci[0] < ci[1]:
        return float("nan")
    return (ci[1] - ci[0]) / (2 * Z)


@dataclass(frozen=True)
class Correlation:
    """Description of how far two orders agree.

    `tau` is Kendall's tau-b, `rho` Spearman's; `*_ci` their 95 % intervals, None where standard errors are unknown.
    `p` is how often tau would be as low as it is, or lower, if nothing but chance had changed.
    """

    n: int
    tau: float
    rho: float
    tau_ci: tuple[float, float] | None
    rho_ci: tuple[float, float] | None
    p: float | None


def rank_correlation(before: Scores, after: Scores, *, rng: np.random.Generator, replicates: int = 2000) -> Correlation:
    """Kendall's tau-b (Kendall 1945) and Spearman's rho of two studies' scores, by a parametric bootstrap.

    For the intervals, both studies' scores are drawn again around themselves. For "nothing changed", both are drawn
    around one common score: the mean of both by their precision, drawn together so far that it spreads as true scores
    must for the observed ones to spread as they do; else the noise in it would make studies seem to agree too well.
    """
    _same(before, after)
    finite = np.isfinite(before.score) & np.isfinite(after.score)
    if finite.sum() < 2:
        return Correlation(int(finite.sum()), np.nan, np.nan, None, None, None)
    x, y = before.score[finite], after.score[finite]
    tau, rho = (float(correlation(x[None], y[None])[0]) for correlation in (kendall, spearman))
    ex, ey = _of_orders(before, finite), _of_orders(after, finite)
    # Where all scores of one study are equal it has no order, so nothing of an order can have changed.
    if not np.isfinite(tau) or not np.isfinite(ex).all() or not np.isfinite(ey).all():
        return Correlation(int(finite.sum()), tau, rho, None, None, None)
    noise = rng.standard_normal((2, replicates, len(x)))
    drawn = x + noise[0] * ex, y + noise[1] * ey
    tau_ci, rho_ci = _interval(kendall(*drawn)), _interval(spearman(*drawn))
    noise = rng.standard_normal((2, replicates, len(x)))
    centre = common(x, ex, y, ey)
    null = kendall(centre + noise[0] * ex, centre + noise[1] * ey)
    p = (1 + np.count_nonzero(null <= tau + 1e-12)) / (1 + replicates)
    return Correlation(int(finite.sum()), tau, rho, tau_ci, rho_ci, float(p))


def common(x: np.ndarray, ex: np.ndarray, y: np.ndarray, ey: np.ndarray) -> np.ndarray:
    """The score (n,) that two studies would share: their mean by precision, shrunk to the spread of true scores."""
    wx, wy = 1 / ex**2, 1 / ey**2
    centre = (wx * x + wy * y) / (wx + wy)
    spread = centre.var(ddof=1)
    share = max(0.0, 1 - (1 / (wx + wy)).mean() / spread) if spread > 0 else 0.0
    return centre.mean() + (centre - centre.mean()) * np.sqrt(share)


def _of_orders(scores: Scores, finite: np.ndarray) -> np.ndarray:
    """Errors to draw independently so that differences between contestants vary as they should.

    Errors that sum to nothing have the correlation −1/(n−1), which makes differences vary more by n/(n−1).
    """
    n = int(finite.sum())
    return scores.se[finite] * (np.sqrt(n / (n - 1)) if scores.zero_sum else 1.0)


def _interval(samples: np.ndarray) -> tuple[float, float]:
    low, high = np.nanquantile(samples, [0.025, 0.975])
    return (float(low), float(high))


def _same(before: Scores, after: Scores) -> None:
    if before.names != after.names:
        raise ValueError(f"after: names are {after.names}, expected those of before, {before.names}")


@dataclass(frozen=True)
class MethodRanking:
    """One method's ranking by one criterion ("" for the main one): `scores` gives those of some of `names`."""

    method: str
    criterion: str
    names: tuple[str, ...]
    scores: Callable[[Sequence[str]], Scores]


@dataclass(frozen=True)
class OrderAgreement:
    """Description of how far two methods' orders of `names` by `criterion` agree; `p_adjusted`: Holm's, over all that
    are compared."""

    criterion: str
    first: str
    second: str
    names: tuple[str, ...]
    found: Correlation
    p_adjusted: float


def agreements(
    rankings: Sequence[MethodRanking], *, rng: np.random.Generator, replicates: int = 2000
) -> list[OrderAgreement]:
    """Compare every two methods by every criterion that both have, the main ones first; people are no contestants."""
    agreement = []
    for criterion in dict.fromkeys(ranking.criterion for ranking in rankings):
        same_criterion = [ranking for ranking in rankings if ranking.criterion == criterion]
        for i, first in enumerate(same_criterion):
            for second in same_criterion[i + 1 :]:
                names = tuple(sorted((set(first.names) & set(second.names)) - {HUMAN}))
                if first.method == second.method or len(names) < LEAST:
                    continue
                a, b = (ranking.scores(names).of(names) for ranking in (first, second))
                correlation = rank_correlation(a, b, rng=rng, replicates=replicates)
                agreement.append((criterion, first.method, second.method, names, correlation))
    ps = [np.nan if row[-1].p is None else row[-1].p for row in agreement]
    return [OrderAgreement(*row, float(p)) for row, p in zip(agreement, adjust_known(ps), strict=True)]
