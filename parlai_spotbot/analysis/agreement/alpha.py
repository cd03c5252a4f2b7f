"""Krippendorff's alpha, nominal, ordinal or of intervals: 1 is perfect agreement, 0 what chance gives.

It is one less how far apart two answers about the same unit are, over how far apart any two answers are (Krippendorff
2004, Content Analysis, ch. 11). Other annotators would have agreed otherwise: the variance is that by conversations,
plus what leaving out one annotator after the other shows (to first order; CR3 of Bell & McCaffrey 2002, Survey
Methodology 28), less what both count (Cameron, Gelbach & Miller 2011); the interval is symmetric for log(1 - alpha).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import f as f_distribution
from scipy.stats import t as t_distribution

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, codes_of
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson

METRICS = ("nominal", "ordinal", "interval")

NOTHING = 1e-12
"""Variances below this are rounding."""

TOO_FEW = "too few conversations were judged twice for an interval"
EVEN = "answers differ as much everywhere, so nothing shows how far that may vary"

FEW = 3
"""With fewer annotators nothing is left to compare where one is left out."""

MOST = 0.95
"""Where one annotator took part in a greater share of all couples of answers, too little is left without them."""


def alpha_of(met: np.ndarray, metric: str = "nominal", values: np.ndarray | None = None) -> np.ndarray:
    """Alpha (...) of symmetric coincidences (..., levels, levels): how often two answers about one unit met.

    Levels ascend; `values` (levels,) are those of the metric "interval". NaN where only one answer occurs: there alpha
    says nothing.
    """
    given = met.sum(axis=-1)
    n = given.sum(axis=-1)
    far = _distances(given, metric, values)
    within = (met * far).sum(axis=(-2, -1))
    chance = np.einsum("...c,...cd,...d->...", given, far, given)
    known = (chance > 0) & (n > 1)
    return 1 - np.divide((n - 1) * within, chance, out=np.full(np.shape(n), np.nan), where=known)


def _distances(given: np.ndarray, metric: str, values: np.ndarray | None) -> np.ndarray:
    """How far each two levels are apart, (levels, levels), where `given` (..., levels) says how often each came."""
    if metric not in METRICS:
        raise ValueError(f"metric is {metric!r}, expected one of {', '.join(METRICS)}")
    if metric == "nominal":
        return 1.0 - np.eye(given.shape[-1])
    place = values if metric == "interval" else _middle(given)
    return np.square(place[..., :, None] - place[..., None, :])


def _middle(given: np.ndarray) -> np.ndarray:
    """The rank of each level: all answers below it, and half of its own."""
    return given.cumsum(axis=-1) - given / 2


def krippendorff_alpha(
    units: ArrayLike, answers: ArrayLike, clusters: Clusters, metric: str = "nominal", level: float = 0.95
) -> dict:
    """Alpha of answers about units, and its interval over conversations and annotators.

    Parameters
    ----------
    units, answers : sequences (n,)
        What each answer is about, and what it is; missing answers (None, NaN) count as not given. Numbers, unless
        `metric` is "nominal".
    clusters : Clusters
        The conversations and the annotator of each of the n answers.
    metric : str
        "nominal" (the same or not), "ordinal" (by ranks) or "interval" (by squared difference).

    Returns
    -------
    dict
        `alpha`, `ci`; `units` (with two answers or more), `alike` (the share of couples of answers about one unit that
        are the same); `why` where alpha or its interval isn't known; `note` where the interval rests on less than it
        should: "few_annotators", too few to say anything of others, or "all_agree", where its lower end is an exact
        bound from `effective` independent clusters.

    Raises
    ------
    ValueError
        For an unknown metric, or answers that are no numbers where the metric needs them.
    """
    return _told(_Answers.of(units, answers, metric), clusters, level)


def _told(own: _Answers, clusters: Clusters, level: float = 0.95) -> dict:
    """What `krippendorff_alpha` tells of some of the rows of `clusters`."""
    size = own.table.sum(axis=1)
    couples, same = (size * (size - 1)).sum(), (own.table * (own.table - 1)).sum()
    found = {
        "alpha": own.alpha,
        "ci": (np.nan, np.nan),
        "units": len(own.table),
        "alike": float(same / couples) if couples else np.nan,
    }
    if not np.isfinite(own.alpha):
        return found | {"why": "all answers that could differ are the same" if couples else "nothing was judged twice"}
    judged = clusters.take(own.rows)
    if own.alpha == 1:
        return found | _all_agree(own, judged, level)
    variance, df, few = _variance([own], [np.arange(len(own.rows))], own.unit, judged)
    found["ci"] = _ends(own.alpha, float(variance[0, 0]), float(df[0]), level)
    if not np.isfinite(found["ci"]).all():
        alike = 0 <= variance[0, 0] < NOTHING
        return found | {"why": EVEN if alike else TOO_FEW}
    return found | ({"note": "few_annotators"} if few[0] else {})


@dataclass(frozen=True)
class _Answers:
    """Answers about units with two answers or more: the place of each among all (`rows`), its unit and its level (m,);
    `table` (units, levels) says how often each unit got each level."""

    rows: np.ndarray
    unit: np.ndarray
    level: np.ndarray
    table: np.ndarray
    values: np.ndarray | None
    metric: str

    @classmethod
    def of(cls, units: ArrayLike, answers: ArrayLike, metric: str, among: np.ndarray | None = None) -> _Answers:
        """`among` (n,) says which of the answers count."""
        answers = np.asarray(answers, dtype=object)
        kept = ~pd.isna(answers) if among is None else ~pd.isna(answers) & among
        unit = codes_of(np.asarray(units, dtype=object), "units")
        kept &= np.bincount(unit[kept], minlength=unit.max(initial=-1) + 1)[unit] > 1
        values, level = None, pd.factorize(answers[kept], sort=False)[0]
        if metric != "nominal":
            try:
                values, level = np.unique(answers[kept].astype(float), return_inverse=True)
            except ValueError as error:
                raise ValueError(f"answers: {error}, expected numbers for the metric {metric!r}") from None
        code = codes_of(unit[kept])
        table = np.zeros((code.max(initial=-1) + 1, level.max(initial=-1) + 1))
        np.add.at(table, (code, level), 1)
        return cls(np.flatnonzero(kept), code, level, table, values, metric)

    @property
    def met(self) -> np.ndarray:
        """Coincidences (levels, levels), each unit's answers counting once (Krippendorff 2004, 11.3)."""
        each = self.table / (self.table.sum(axis=1, keepdims=True) - 1)
        return self.table.T @ each - np.diag(each.sum(axis=0))

    @property
    def alpha(self) -> float:
        return float(alpha_of(self.met, self.metric, self.values))

    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of each answer (m,): its part of alpha's error, how much alpha would lose without it, and the share of all
        that is compared which would go with it (of two answers about a unit, both)."""
        slope, size = _slope(self.met, self.metric, self.values), self.table.sum(axis=1)
        own = np.diag(slope)
        turned = self.table @ slope
        whole = (turned * self.table).sum(axis=1) - self.table @ own
        unit, left = self.unit, np.maximum(size[self.unit] - 2, 1)
        error = (whole / (size - 1))[unit]
        rest = (whole[unit] - 2 * turned[unit, self.level] + 2 * own[self.level]) / left
        gone = np.where(size[unit] > 2, 1.0, 2.0) / len(unit)
        return error / size[unit], error - np.where(size[unit] > 2, rest, 0.0), gone


def _slope(met: np.ndarray, metric: str, values: np.ndarray | None) -> np.ndarray:
    """The derivative of alpha with respect to each coincidence (levels, levels); its sum over `met` is 0."""
    given = met.sum(axis=1)
    n, far = given.sum(), _distances(given, metric, values)
    within, chance = (met * far).sum(), given @ far @ given
    of_within, of_chance = np.zeros(len(given)), 2 * far @ given
    if metric == "ordinal":  # distances depend on how often each level came
        middle = _middle(given)
        upward = [4 * (middle * given - met @ middle), 4 * given * (middle * n - given @ middle)]
        of_within, more = (own[::-1].cumsum()[::-1] - own / 2 for own in upward)
        of_chance = of_chance + more
    by_level = -within / chance - n / chance * of_within + n * within / chance**2 * of_chance
    return (n - 1) / n * ((by_level[:, None] + by_level[None, :]) / 2 - n / chance * far)


def _variance(
    groups: Sequence[_Answers], places: Sequence[np.ndarray], unit: np.ndarray, clusters: Clusters
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The covariance (p, p) of the alphas of p groups of answers, the degrees of freedom (p,) that each variance is
    known with, and whether it is about the annotators of the group alone, who are too few (p,).

    `places` are those of a group's answers among the rows of `clusters`, of which `unit` (n,) holds the units.
    """
    part, without, gone = (np.zeros((clusters.rows, len(groups))) for _ in range(3))
    for column, (own, place) in enumerate(zip(groups, places, strict=True)):
        for table, values in zip((part, without, gone), own.parts(), strict=True):
            table[place, column] = values
    if clusters.conversations is None:  # answers about one unit are never independent
        clusters = replace(clusters, conversations=codes_of(unit)[:, None])
    alone = replace(clusters, workers=None)
    (variance, df), covariance = alone.variance(part, gone > 0), alone.covariance(part, gone > 0)
    if clusters.workers is None:
        return covariance, df, np.zeros(len(groups), dtype=bool)
    _, by_annotator, by_both = clusters.members()
    (lost,) = by_annotator.sums(gone)
    few = ((lost > 0).sum(axis=0) < FEW) | (lost > MOST).any(axis=0)
    lost, without = np.where(few, 0.0, lost), np.where(few, 0.0, without)
    (drop,) = by_annotator.sums(without)
    more = _positive(by_annotator.gram([drop / (1 - lost)]) - by_both.gram(by_both.sums(without)))
    added, squares = np.diag(more), (lost**2).sum(axis=0)
    effective = np.divide(lost.sum(axis=0) ** 2, squares, out=np.full(len(groups), np.inf), where=squares > 0)
    noise = np.divide(variance**2, df, out=np.full(len(df), np.nan), where=df > 0) + added**2 / (effective - 1)
    df = np.divide((variance + added) ** 2, noise, out=np.zeros(len(df)), where=noise > 0)
    return covariance + more, df, few


def _positive(matrix: np.ndarray) -> np.ndarray:
    """Without what is negative: a difference of covariances can come out too small."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def _ends(alpha: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """The interval of alpha, symmetric for log(1 - alpha), by Student's t; NaN where the variance isn't known."""
    if not (df > 0 and variance > NOTHING and alpha < 1):
        return (np.nan, np.nan)
    with np.errstate(over="ignore"):
        factor = float(np.exp(t_distribution.ppf((1 + level) / 2, df) * np.sqrt(variance) / (1 - alpha)))
    return (max(1 - (1 - alpha) * factor, min(-1.0, alpha)), 1 - (1 - alpha) / factor)


def _all_agree(own: _Answers, clusters: Clusters, level: float) -> dict:
    """`ci`, `note` and `effective`: where no couple differs, how many might is bounded exactly."""
    given = own.table.sum(axis=0)
    differ = 1 - (given * (given - 1)).sum() / (given.sum() * (given.sum() - 1))
    low = 1 - clopper_pearson(0.0, clusters.effective, level)[1] / differ
    return {"ci": (float(max(low, -1.0)), 1.0), "note": "all_agree", "effective": float(clusters.effective)}


def alpha_by(
    units: ArrayLike, answers: ArrayLike, groups: ArrayLike, clusters: Clusters, metric: str = "nominal"
) -> tuple[pd.DataFrame, dict]:
    """Alpha of each group of units, as of each segment length or domain, and whether groups differ (footnote 9).

    Parameters
    ----------
    units, answers, clusters, metric
        As in `krippendorff_alpha`; all answers about one unit belong to one group.
    groups : sequence (n,)

    Returns
    -------
    frame
        One row a group: group, n (units with two answers or more), alpha, low, high.
    dict
        Wald's test of equal alphas over the groups, which share conversations and annotators: chi2, df, p (by F, from
        the least degrees of freedom of a group); and the group and alpha that are `least` and `most`. NaN, and None,
        with fewer than two groups whose alpha and variance are known.
    """
    unit = codes_of(np.asarray(units, dtype=object), "units")
    code, names = pd.factorize(np.asarray(groups, dtype=object), sort=True)
    home = np.zeros(unit.max(initial=-1) + 1, dtype=int)
    home[unit] = code
    if (home[unit] != code).any():
        wrong = int(np.flatnonzero(home[unit] != code)[0])
        raise ValueError(f"groups: row {wrong} is {names[code[wrong]]!r}, expected one group for each unit")
    each = [_Answers.of(unit, answers, metric, code == place) for place in range(len(names))]
    rows = []
    for name, own in zip(names, each, strict=True):
        told = _told(own, clusters)
        rows.append(
            {"group": name, "n": told["units"], "alpha": told["alpha"], "low": told["ci"][0], "high": told["ci"][1]}
        )
    frame = pd.DataFrame(rows, columns=["group", "n", "alpha", "low", "high"])
    known = np.flatnonzero(np.isfinite(frame["alpha"].to_numpy(dtype=float)))
    if len(known) < 2:
        return frame, _homogeneity(frame[:0], np.zeros((0, 0)), np.zeros(0))
    covariance, df, _ = _variance([each[i] for i in known], [each[i].rows for i in known], unit, clusters)
    return frame, _homogeneity(frame.iloc[known].reset_index(drop=True), covariance, df)


def _homogeneity(frame: pd.DataFrame, covariance: np.ndarray, df: np.ndarray) -> dict:
    """Wald's test that the alphas are one number."""
    sure = (df > 0) & np.isfinite(np.diag(covariance)) & (np.diag(covariance) > 0)
    if sure.sum() < 2:
        return {"chi2": np.nan, "df": 0, "p": np.nan, "least": None, "most": None}
    frame, covariance = frame[sure], covariance[np.ix_(sure, sure)]
    alpha = frame["alpha"].to_numpy(dtype=float)
    contrast = np.eye(len(alpha))[1:] - np.eye(len(alpha))[0]
    difference, count = contrast @ alpha, len(alpha) - 1
    chi2 = float(difference @ np.linalg.pinv(contrast @ covariance @ contrast.T, hermitian=True) @ difference)
    p = float(f_distribution.sf(chi2 / count, count, df[sure].min()))
    ends = [(frame["group"].iloc[int(place)], float(alpha[place])) for place in (alpha.argmin(), alpha.argmax())]
    return {"chi2": chi2, "df": count, "p": p, "least": ends[0], "most": ends[1]}
