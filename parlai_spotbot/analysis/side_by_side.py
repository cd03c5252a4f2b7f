"""Several methods on the same contestants: do they rank alike, and which finds more for the same hours?

Everything is reckoned from what the analyses store, so the methods need not have been analysed together. Of each pair
its effect and uncertainty are known; how large effects are at all is learnt from all pairs of a method (a hierarchical
normal model), since the effects that a small study happens to find are too large, and methods with little data would
seem to find much. The chance of a significant result is then averaged over what the effects may be (assurance; O'Hagan,
Stevens & Campbell 2005), for studies of any size; it doesn't run up to 1 at the study's own size, as subsamples do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import nct, norm
from scipy.stats import t as student

from parlai_spotbot.analysis.study_comparison import Correlation, Scores, adjusted, rank_correlation, standard_error
from parlai_spotbot.analysis.uncertainty.shares import binomial_power
from parlai_spotbot.records import HUMAN

ALPHA = 0.05
DRAWS = 400
LEAST = 3
"""Fewer contestants have no order worth comparing."""

MANY = 20
"""From so many degrees of freedom on an approximation of the non-central t is near enough."""

CHOICES, RATINGS = "choices", "ratings"

VARIES = np.linspace(-1.0, 1.0, 5)
"""By how many standard deviations the number of decided choices of a pair may differ; each alike. The exact test's
power goes up in a saw, whose teeth mean nothing where that number is chance."""


@dataclass(frozen=True)
class MethodRanking:
    """One method's ranking by one criterion ("" for the main one): `scores` gives those of some of `names`."""

    method: str
    criterion: str
    names: tuple[str, ...]
    scores: Callable[[Sequence[str]], Scores]


@dataclass(frozen=True)
class OrderAgreement:
    """How far two methods' orders of `names` by `criterion` agree; `p_adjusted`: Holm's, over all that are compared."""

    criterion: str
    first: str
    second: str
    names: tuple[str, ...]
    found: Correlation
    p_adjusted: float


def agreements(
    rankings: Sequence[MethodRanking], *, rng: np.random.Generator, replicates: int = 2000
) -> list[OrderAgreement]:
    """Every two methods by every criterion that both have, the main ones first; people are no contestants here.

    Errors of two methods are taken as independent. Over the same conversations they go together a little, so the
    intervals are rather too wide than too narrow.
    """
    found = []
    for criterion in dict.fromkeys(ranking.criterion for ranking in rankings):
        own = [ranking for ranking in rankings if ranking.criterion == criterion]
        for i, first in enumerate(own):
            for second in own[i + 1 :]:
                names = tuple(sorted((set(first.names) & set(second.names)) - {HUMAN}))
                if first.method == second.method or len(names) < LEAST:
                    continue
                a, b = (ranking.scores(names).of(names) for ranking in (first, second))
                correlation = rank_correlation(a, b, rng=rng, replicates=replicates)
                found.append((criterion, first.method, second.method, names, correlation))
    ps = [np.nan if row[-1].p is None else row[-1].p for row in found]
    return [OrderAgreement(*row, float(p)) for row, p in zip(found, adjusted(ps), strict=True)]


@dataclass(frozen=True)
class PairEffects:
    """What a method found of `pairs` (P), and what it took.

    Attributes
    ----------
    kind : str
        "choices" or "ratings".
    effect, se : arrays (P,)
        Share of the decided less one half, or difference of means; and its standard error.
    per : array (P,)
        Choices: independent decided choices an annotation comes to. Ratings: standard deviation of an annotation, so
        that n of them, shared by two contestants, give a difference the error ``per / sqrt(n)``.
    block : float
        Annotations a conversation: the tests' degrees of freedom go by conversations.
    seconds : float
        People's time for an annotation, that of conversations without bots included; NaN where it isn't known.
    spent : float
        Hours that the study took; NaN where they aren't known.
    """

    method: str
    kind: str
    pairs: tuple[tuple[str, str], ...]
    effect: np.ndarray
    se: np.ndarray
    per: np.ndarray
    block: float
    seconds: float
    spent: float

    @property
    def names(self) -> set[str]:
        return {name for pair in self.pairs for name in pair}

    def of(self, pairs: Collection[frozenset[str]]) -> PairEffects:
        """The same for some of the pairs."""
        keep = [i for i, pair in enumerate(self.pairs) if frozenset(pair) in pairs]
        return PairEffects(
            self.method,
            self.kind,
            tuple(self.pairs[i] for i in keep),
            self.effect[keep],
            self.se[keep],
            self.per[keep],
            self.block,
            self.seconds,
            self.spent,
        )

    def annotations(self, hours: np.ndarray) -> np.ndarray:
        """Annotations that bear on each pair, if so many hours (h,) go evenly to all pairs, or to all contestants.

        A choice bears on one pair, a rating on every pair of the contestant that is rated.
        """
        share = 1 / len(self.pairs) if self.kind == CHOICES else 2 / len(self.names)
        return np.asarray(hours, dtype=float) * 3600 / self.seconds * share


def pair_effects(method: str, ranking: Mapping, time: Mapping, cost: Mapping, used: int) -> PairEffects | None:
    """A method's findings by its main criterion from its ranking.json, time.json and cost.json of one source.

    `used` is the number of annotations behind them. None where no two contestants were compared.
    """
    rows = [row for row in ranking.get("pairs", []) if HUMAN not in (row["a"], row["b"])]
    if not rows:
        return None
    kind = CHOICES if "wins_a" in rows[0] else RATINGS
    effect, se, per = np.transpose([_choice(row) if kind == CHOICES else _rating(row, ranking) for row in rows])
    known = np.isfinite(se) & np.isfinite(effect) & (se > 0)
    if not known.any():
        return None
    # Spot The Bot also shows people's conversations, without which nobody could be taken for a person.
    extra = used / ranking["n"] if "win_rate" in ranking and ranking.get("n") else 1.0
    seconds, spent = (np.nan if time.get(key) is None else float(time[key]) for key in ("mean", "hours"))
    pairs = tuple((row["a"], row["b"]) for row, ok in zip(rows, known, strict=True) if ok)
    block = float(cost.get("annotations_per_conversation") or 1.0)
    return PairEffects(
        method, kind, pairs, effect[known], se[known], per[known], block, seconds * max(extra, 1.0), spent
    )


def _choice(row: Mapping) -> tuple[float, float, float]:
    """Effect, standard error and independent decided choices an annotation, of a pair that was chosen between."""
    won, decided = row["wins_a"], row["wins_a"] + row["wins_b"]
    if not decided:
        return 0.0, 0.5, 0.0
    effective = row.get("effective")
    if effective is None:
        error = standard_error(row.get("rate_ci"))
        share = (won + 0.5) / (decided + 1)
        effective = share * (1 - share) / error**2 if np.isfinite(error) else decided
    effective = float(np.clip(effective, 1.0, decided))
    # Half a win and half a loss more, so that a pair that all went one way is not thought certain.
    share = (won / decided * effective + 0.5) / (effective + 1)
    return share - 0.5, float(np.sqrt(share * (1 - share) / (effective + 1))), effective / row["n"]


def _rating(row: Mapping, ranking: Mapping) -> tuple[float, float, float]:
    error = standard_error(row.get("ci"))
    made = ranking.get("annotations") or {}
    n = sum(made[row[end]] for end in ("a", "b")) if all(row[end] in made for end in ("a", "b")) else row["n"]
    effect = np.nan if row["estimate"] is None else float(row["estimate"])
    return effect, error, error * np.sqrt(n)


def likely_effects(found: PairEffects, rng: np.random.Generator, draws: int = DRAWS) -> np.ndarray:
    """What the pairs' effects may be: draws (draws, P) from their distribution given what was found.

    Effects are normal around 0 with a spread that is drawn too, from its posterior under a flat prior up to the largest
    that can be: one half of a share, two points of a scale from 1 to 5.
    """
    most = 0.5 if found.kind == CHOICES else 2.0
    spread = np.linspace(0.0, most, 201)
    sd = np.sqrt(spread[:, None] ** 2 + found.se**2)
    likely = norm.logpdf(found.effect, 0.0, sd).sum(axis=1)
    weight = np.exp(likely - likely.max())
    tau = rng.choice(spread, draws, p=weight / weight.sum())[:, None]
    kept = tau**2 / (tau**2 + found.se**2)
    drawn = kept * found.effect + np.sqrt(kept) * found.se * rng.standard_normal((draws, len(found.pairs)))
    return np.clip(drawn, -0.5, 0.5) if found.kind == CHOICES else drawn


def chances(found: PairEffects, effects: np.ndarray, annotations: np.ndarray, alpha: float = ALPHA) -> np.ndarray:
    """The chance (draws, h, P) of a significant two-sided test of each pair after so many `annotations` (h,) on it."""
    result = np.empty((len(effects), len(annotations), len(found.pairs)))
    for j, per in enumerate(found.per):
        for i, n in enumerate(annotations):
            if found.kind == CHOICES:
                likely = n * per + np.sqrt(n * per) * VARIES
                powers = [binomial_power(max(0, int(m)), 0.5 + effects[:, j], alpha=alpha) for m in likely]
                result[:, i, j] = np.mean(powers, axis=0)
            else:
                talks = n / (2 * found.block)
                result[:, i, j] = t_power(effects[:, j] * np.sqrt(n) / per, 2 * (talks - 1), alpha)
    return result


def t_power(shift: np.ndarray, df: float, alpha: float = ALPHA) -> np.ndarray:
    """The chance (m,) that a two-sided t-test rejects where the statistic is non-central by `shift`.

    With few degrees of freedom exactly; beyond `MANY`, and where the exact one underflows, by Abramowitz & Stegun's
    26.7.10.
    """
    shift = np.abs(np.asarray(shift, dtype=float))
    if df < 2:  # two conversations of each are the least that tell how conversations differ
        return np.zeros(len(shift))
    limit = student.isf(alpha / 2, df)
    scale, place = np.sqrt(1 + limit**2 / (2 * df)), limit * (1 - 1 / (4 * df))
    near = ndtr((shift - place) / scale) + ndtr((-shift - place) / scale)
    if df >= MANY:
        return near
    exact = nct.sf(limit, df, shift)
    less = nct.cdf(-limit, df, shift)
    return np.where(np.isfinite(exact), exact + np.where(np.isfinite(less), less, 0.0), near)


@dataclass(frozen=True)
class ExpectedFindings:
    """What hours of people's time buy by one method.

    `share` (h,), `low`, `high`: the expected share of pairs found after `hours` in all; `samples` (draws, h) are behind
    them. `an_hour`: the chance to find a pair by one hour on it alone, with its ends; `half`: hours until half of the
    pairs are expected, None where that is beyond the hours reckoned with.
    """

    method: str
    pairs: int
    seconds: float
    hours: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    samples: np.ndarray
    an_hour: tuple[float, float, float]
    half: float | None


def expected_findings(
    found: PairEffects, hours: Sequence[float], *, rng: np.random.Generator, draws: int = DRAWS
) -> ExpectedFindings:
    """Expected findings by hours; `ValueError` where no time is known."""
    if not found.seconds > 0:
        raise ValueError(f"{found.method}: seconds is {found.seconds}, expected the time of an annotation")
    hours = np.asarray(hours, dtype=float)
    effects = likely_effects(found, rng, draws)
    samples = chances(found, effects, found.annotations(hours)).mean(axis=2)
    alone = chances(found, effects, np.array([3600 / found.seconds])).mean(axis=(1, 2))
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    share = samples.mean(axis=0)
    reached = np.flatnonzero(share >= 0.5)
    half = float(hours[reached[0]]) if len(reached) else None
    one = (float(alone.mean()), *(float(end) for end in np.quantile(alone, [0.025, 0.975])))
    return ExpectedFindings(found.method, len(found.pairs), found.seconds, hours, share, low, high, samples, one, half)


def common_hours(found: Sequence[PairEffects], points: int = 25) -> np.ndarray:
    """Hours from a tenth of the least that a study took to ten times the most, evenly on a log scale."""
    spent = [own.spent for own in found if own.spent > 0]
    if not spent:
        return np.array([])
    return np.geomspace(min(spent) / 10, max(spent) * 10, points)


def equal_cost(found: Sequence[ExpectedFindings], place: int) -> dict[tuple[str, str], tuple[float, float, float]]:
    """(one method, another) -> by how many pairs more the first finds at the same hours, with its 95 % interval."""
    result = {}
    for i, first in enumerate(found):
        for second in found[i + 1 :]:
            more = (first.samples[:, place] - second.samples[:, place]) * first.pairs
            ends = np.quantile(more, [0.025, 0.975])
            result[first.method, second.method] = (float(more.mean()), float(ends[0]), float(ends[1]))
    return result
