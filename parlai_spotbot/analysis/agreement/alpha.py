"""Krippendorff's alpha, nominal, ordinal or of intervals: 1 is perfect agreement, 0 what chance gives.

It is one less how far apart two answers about the same unit are, over how far apart any two answers are (Krippendorff
2004, Content Analysis, ch. 11). Its variance has two components: what other conversations would change (a sandwich by
conversations), and what other annotators would: the jackknife that leaves out one annotator after the other, to first
order (CR3 of Bell & McCaffrey 2002, Survey Methodology 28), less what the noise of single answers adds to it; 0 where
that is negative (as Gao & Owen 2017, Electron. J. Stat. 11, by moments). The interval is by Student's t with one degree
of freedom less than there are effective annotators, or conversations if fewer (Cameron, Gelbach & Miller 2011, J. Bus.
Econ. Stat. 29), and symmetric on Fisher's scale, artanh(alpha).

So few annotators widen the interval by the quantile of t over 1.96, whatever they answer: 2.2 times with three, 1.4
with five, 1.15 with ten who did equally much. Data can hardly narrow that: with so few, the noise of single answers
hides whether annotators differ at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
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
    defined = (chance > 0) & (n > 1)
    return 1 - np.divide((n - 1) * within, chance, out=np.full(np.shape(n), np.nan), where=defined)


def _distances(given: np.ndarray, metric: str, values: np.ndarray | None) -> np.ndarray:
    """Measure how far each two levels are apart, (levels, levels), where `given` (..., levels) says how often each
    came."""
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
        The conversations and the annotator of each of the n answers. Of several answers that one annotator gave about
        one unit only the last counts.
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
    return _told(_Answers.of(units, answers, metric, workers=clusters.workers), clusters, level)


def _told(answers: _Answers, clusters: Clusters, level: float = 0.95) -> dict:
    """Return what `krippendorff_alpha` tells of some of the rows of `clusters`."""
    size = answers.table.sum(axis=1)
    couples, same = (size * (size - 1)).sum(), (answers.table * (answers.table - 1)).sum()
    result = {
        "alpha": answers.alpha,
        "ci": (np.nan, np.nan),
        "units": len(answers.table),
        "alike": float(same / couples) if couples else np.nan,
    }
    if not np.isfinite(answers.alpha):
        return result | {"why": "all answers that could differ are the same" if couples else "nothing was judged twice"}
    judged = clusters.take(answers.rows)
    if answers.alpha == 1:
        return result | _all_agree(answers, judged, level)
    variance, df, few = _variance([answers], [np.arange(len(answers.rows))], answers.unit, judged)
    result["ci"] = _ends(answers.alpha, float(variance[0, 0]), float(df[0]), level)
    if not np.isfinite(result["ci"]).all():
        alike = 0 <= variance[0, 0] < NOTHING
        return result | {"why": EVEN if alike else TOO_FEW}
    return result | ({"note": "few_annotators"} if few[0] else {})


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
    def of(
        cls,
        units: ArrayLike,
        answers: ArrayLike,
        metric: str,
        among: np.ndarray | None = None,
        workers: np.ndarray | None = None,
    ) -> _Answers:
        """Keep the answers in the mask `among` (n,), and of each of `workers` (n,) the last one about a unit."""
        answers = np.asarray(answers, dtype=object)
        kept = ~pd.isna(answers) if among is None else ~pd.isna(answers) & among
        unit = codes_of(np.asarray(units, dtype=object), "units")
        if workers is not None:
            given = np.flatnonzero(kept)
            repeated = pd.DataFrame({"unit": unit[given], "worker": workers[given]}).duplicated(keep="last")
            kept[given[repeated]] = False
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

    def scores(self) -> np.ndarray:
        """Return each answer's half (m,) of the errors of the couples that it is in; they sum to 0."""
        slope = _slope(self.met, self.metric, self.values)
        others = (self.table @ slope)[self.unit, self.level] - np.diag(slope)[self.level]
        return others / (self.table.sum(axis=1)[self.unit] - 1)


def _of_annotators(score: np.ndarray, worker: np.ndarray, home: np.ndarray) -> tuple[float, float, bool]:
    """Return the variance of alpha by annotators, how many they are in effect, and whether they are too few to tell.

    `score` (m,) are those of the answers, `worker` and `home` (m,) the codes of their annotators and conversations.
    """
    worker = codes_of(worker)
    of_couples = 2 / len(score) * np.bincount(worker)  # the share that each annotator is in
    effective = float(of_couples.sum() ** 2 / (of_couples**2).sum())
    if len(of_couples) < FEW or of_couples.max() > MOST:
        return 0.0, effective, True
    both = pd.DataFrame({"worker": worker, "home": home, "score": 2 * score}).groupby(["worker", "home"])["score"].sum()
    who, where = (both.index.get_level_values(name) for name in both.index.names)
    by_home = np.bincount(home, score)
    noise = np.bincount(who, both * (both - 2 * of_couples[who] * by_home[where]))
    noise += of_couples**2 * (by_home**2).sum()
    square = np.bincount(worker, 2 * score) ** 2 - noise
    return max(0.0, float((1 - 1 / effective) * (square / (1 - of_couples) ** 2).sum())), effective, False


def _slope(met: np.ndarray, metric: str, values: np.ndarray | None) -> np.ndarray:
    """The derivative of alpha with respect to each coincidence (levels, levels); its sum over `met` is 0."""
    given = met.sum(axis=1)
    n, far = given.sum(), _distances(given, metric, values)
    within, chance = (met * far).sum(), given @ far @ given
    of_within, of_chance = np.zeros(len(given)), 2 * far @ given
    if metric == "ordinal":  # distances depend on how often each level came
        middle = _middle(given)
        upward = [4 * (middle * given - met @ middle), 4 * given * (middle * n - given @ middle)]
        of_within, more = (counts[::-1].cumsum()[::-1] - counts / 2 for counts in upward)
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
    part, used = (np.zeros((clusters.rows, len(groups))) for _ in range(2))
    for column, (answers, place) in enumerate(zip(groups, places, strict=True)):
        part[place, column], used[place, column] = answers.scores(), 1.0
    if clusters.conversations is None:  # answers about one unit are never independent
        clusters = replace(clusters, conversations=codes_of(unit)[:, None])
    alone = replace(clusters, workers=None)
    df, covariance = alone.variance(part, used)[1], alone.covariance(part, used)
    if clusters.workers is None:
        return covariance, df, np.zeros(len(groups), dtype=bool)
    home = np.unique(np.sort(clusters.conversations, axis=1), axis=0, return_inverse=True)[1].ravel()
    rows = [
        _of_annotators(source_answers.scores(), clusters.workers[place], home[place])
        for source_answers, place in zip(groups, places, strict=True)
    ]
    added, effective, few = (np.array(column) for column in zip(*rows, strict=True))
    sums = np.zeros((int(clusters.workers.max()) + 1, len(groups)))
    np.add.at(sums, clusters.workers, part)
    length = np.sqrt(np.maximum((sums**2).sum(axis=0), NOTHING**2))
    sums *= np.sqrt(added) / length  # annotators who do well in one group do so in others, too
    return covariance + sums.T @ sums, np.where(few, df, np.minimum(df, effective - 1)), few


def _ends(alpha: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """Return the interval of alpha, symmetric for artanh(alpha), by Student's t; NaN where the variance isn't known."""
    if not (df > 0 and variance > NOTHING and -1 < alpha < 1):
        return (np.nan, np.nan)
    half = float(t_distribution.ppf((1 + level) / 2, df) * np.sqrt(variance) / (1 - alpha**2))
    return (float(np.tanh(np.arctanh(alpha) - half)), float(np.tanh(np.arctanh(alpha) + half)))


def _all_agree(answers: _Answers, clusters: Clusters, level: float) -> dict:
    """`ci`, `note` and `effective`: where no couple differs, how many might is bounded exactly."""
    given = answers.table.sum(axis=0)
    differ = 1 - (given * (given - 1)).sum() / (given.sum() * (given.sum() - 1))
    low = 1 - clopper_pearson(0.0, clusters.effective, level)[1] / differ
    return {"ci": (float(max(low, -1.0)), 1.0), "note": "all_agree", "effective": float(clusters.effective)}
