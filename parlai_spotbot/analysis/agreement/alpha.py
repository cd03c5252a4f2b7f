"""Krippendorff's alpha, nominal, ordinal, interval or ratio: 1 is perfect agreement, 0 what chance gives.

It is one less how far apart two answers about the same unit are, over how far apart any two answers are (Krippendorff
2004, Content Analysis, ch. 11). Its variance has two components: of conversations (a sandwich), and
of annotators: the jackknife that leaves out one annotator after the other, to first
order (CR3 of Bell & McCaffrey 2002, Survey Methodology 28), less what the noise of single answers adds to it; 0 where
that is negative (as Gao & Owen 2017, Electron. J. Stat. 11, by moments). The interval is by Student's t with one degree
of freedom less than there are effective annotators, or conversations if fewer (Cameron, Gelbach & Miller 2011, J. Bus.
Econ. Stat. 29), and symmetric on Fisher's scale, artanh(alpha).

Few annotators widen the interval by the quantile of t over 1.96, whatever they answer: 2.2 times with three, 1.4
with five, 1.15 with ten who did equally much. Data can hardly narrow that: with so few, the noise of single answers
hides whether annotators differ at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from parlai_spotbot.analysis.survival.intervals import check_choice, numbers
from parlai_spotbot.analysis.survival.resample import label_codes
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, codes_of
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson
from parlai_spotbot.analysis.uncertainty.sign_flips import cluster_sums
from parlai_spotbot.analysis.values import ratio

METRICS = ("nominal", "ordinal", "interval", "ratio")

NOTHING = 1e-12
"""Variances below this are rounding."""

SAME = "all answers that could differ are the same"
ONCE = "nothing was judged twice"
TOO_FEW = "too few conversations were judged twice for an interval"
EVEN = "answers differ as much everywhere, so nothing shows how far that may vary"

FEW = 3
"""With fewer annotators nothing is left to compare when one is left out."""

MOST = 0.95
"""If one annotator took part in a greater share of all pairs of answers, too little is left without them."""


def alpha_of(met: np.ndarray, metric: str = "nominal", values: ArrayLike | None = None) -> np.ndarray:
    """Return alpha (...) of symmetric coincidences (..., levels, levels): how often two answers about one unit met.

    Levels ascend; `values` (levels,) are their numbers, which "interval" and "ratio" need. NaN where only one answer
    occurs: there alpha is undefined.
    """
    given = met.sum(axis=-1)
    n = given.sum(axis=-1)
    far = answer_distances(given, metric, values)
    within = (met * far).sum(axis=(-2, -1))
    chance = np.einsum("...c,...cd,...d->...", given, far, given)
    defined = (chance > 0) & (n > 1)
    return 1 - np.divide((n - 1) * within, chance, out=np.full(np.shape(n), np.nan), where=defined)


def answer_distances(given: np.ndarray, metric: str, values: ArrayLike | None) -> np.ndarray:
    """Return the distances of levels (levels, levels) from how often each was `given` (..., levels), or its value."""
    check_choice(metric, "metric", METRICS)
    if metric == "nominal":
        return 1.0 - np.eye(given.shape[-1])
    if metric == "ordinal":
        place = _middle(given)
        return np.square(place[..., :, None] - place[..., None, :])
    if values is None or np.shape(values) != given.shape[-1:]:
        raise ValueError(f"values is {values!r}, expected the number of each level for metric {metric!r}")
    values = numbers(values, "values")
    difference = values[:, None] - values[None, :]
    if metric == "ratio":
        difference = ratio(np.abs(difference), values[:, None] + values[None, :], 0.0)
    return np.square(difference)


def _middle(given: np.ndarray) -> np.ndarray:
    """Return the rank of each level: all answers below it, and half of its own."""
    return given.cumsum(axis=-1) - given / 2


def krippendorff_alpha(units: ArrayLike, answers: ArrayLike, clusters: Clusters, metric: str = "nominal") -> dict:
    """Return alpha of answers about units, and its interval over conversations and annotators.

    Parameters
    ----------
    units, answers : sequences (n,)
        What each answer is about, and the answer; missing ones (None, NaN) are left out. Numbers unless "nominal",
        and none below 0 for "ratio".
    clusters : Clusters
        The conversations and the annotator of each of the n answers. If one annotator gave several answers about one
        unit, only the last counts.
    metric : str
        "nominal" (the same or not), "ordinal" (by ranks), "interval" (by differences) or "ratio" (by differences over
        sums).

    Returns
    -------
    dict
        `alpha`, `ci`; `units` (with two answers or more), `alike` (the share of pairs of answers about one unit that
        are the same); `why` if alpha or its interval is not known; `note` if the interval rests on less than it should:
        "few_annotators", too few to generalise, or "all_agree", with an exact bound from `effective` independent
        clusters.

    Raises
    ------
    ValueError
        Names the argument that can't be used, and what was expected.
    """
    check_choice(metric, "metric", METRICS)
    if not isinstance(clusters, Clusters) or clusters.rows != np.size(np.asarray(answers, dtype=object)):
        kind = f"Clusters of {clusters.rows} rows" if isinstance(clusters, Clusters) else type(clusters).__name__
        raise ValueError(f"clusters is {kind}, expected Clusters of each answer: Clusters.by(conversations, workers)")
    judged = _Answers.from_units(units, answers, metric, clusters.workers)
    size = judged.table.sum(axis=1)
    pairs = (size * (size - 1)).sum()
    same = (judged.table * (judged.table - 1)).sum()
    result = {
        "alpha": judged.alpha,
        "ci": (np.nan, np.nan),
        "units": len(judged.table),
        "alike": float(same / pairs) if pairs else np.nan,
    }
    if not np.isfinite(judged.alpha):
        return result | {"why": SAME if pairs else ONCE}
    clusters = clusters.take(judged.rows)
    if judged.alpha == 1:  # how many pairs might differ is bounded exactly
        given = judged.table.sum(axis=0)
        differ = 1 - (given * (given - 1)).sum() / (given.sum() * (given.sum() - 1))
        low = 1 - clopper_pearson(0.0, clusters.effective)[1] / differ
        return result | {"ci": (float(max(low, -1.0)), 1.0), "note": "all_agree", "effective": clusters.effective}
    variance, df, few = _variance(judged, clusters)
    if not (df > 0 and variance > NOTHING and -1 < judged.alpha < 1):
        return result | {"why": EVEN if 0 <= variance < NOTHING else TOO_FEW}
    half = stdtrit(df, (1 + LEVEL) / 2) * np.sqrt(variance) / (1 - judged.alpha**2)
    middle = np.arctanh(judged.alpha)
    result["ci"] = (float(np.tanh(middle - half)), float(np.tanh(middle + half)))
    return result | ({"note": "few_annotators"} if few else {})


@dataclass(frozen=True)
class _Answers:
    """Answers about units with two answers or more: the place of each among all (`rows`), its unit and its level (m,);
    `values` (levels,) are the answers; `table` (units, levels) counts the levels of each unit."""

    rows: np.ndarray
    unit: np.ndarray
    level: np.ndarray
    values: np.ndarray
    table: np.ndarray
    metric: str

    @classmethod
    def from_units(
        cls, units: ArrayLike, answers: ArrayLike, metric: str, workers: np.ndarray | None = None
    ) -> _Answers:
        """Keep, of each of `workers` (n,), the last answer about a unit."""
        answers = np.asarray(answers, dtype=object)
        if answers.ndim != 1:
            raise ValueError(f"answers: shape {answers.shape}, expected one answer about each of the units")
        unit = label_codes(units, "units", len(answers))[0]
        kept = ~pd.isna(answers)
        if workers is not None:
            given = np.flatnonzero(kept)
            repeated = pd.DataFrame({"unit": unit[given], "worker": workers[given]}).duplicated(keep="last")
            kept[given[repeated]] = False
        kept &= np.bincount(unit[kept], minlength=unit.max(initial=-1) + 1)[unit] > 1
        labels = answers[kept] if metric == "nominal" else _numbers(answers[kept], metric)
        level, values = pd.factorize(labels, sort=metric != "nominal")
        code = codes_of(unit[kept])
        table = np.zeros((code.max(initial=-1) + 1, level.max(initial=-1) + 1))
        np.add.at(table, (code, level), 1)
        return cls(np.flatnonzero(kept), code, level, values, table, metric)

    @property
    def met(self) -> np.ndarray:
        """Coincidences (levels, levels), each unit's answers counting once (Krippendorff 2004, 11.3)."""
        each = self.table / (self.table.sum(axis=1, keepdims=True) - 1)
        return self.table.T @ each - np.diag(each.sum(axis=0))

    @property
    def alpha(self) -> float:
        return float(alpha_of(self.met, self.metric, self.values))

    def scores(self) -> np.ndarray:
        """Return each answer's half (m,) of the errors of the pairs that it is in; they sum to 0."""
        slope = alpha_slope(self.met, self.metric, self.values)
        others = (self.table @ slope)[self.unit, self.level] - np.diag(slope)[self.level]
        return others / (self.table.sum(axis=1)[self.unit] - 1)


def _numbers(answers: np.ndarray, metric: str) -> np.ndarray:
    """Return the answers as floats that `metric` can compare."""
    values = numbers(answers, "answers")
    right = np.isfinite(values) & ((values >= 0) | (metric != "ratio"))
    if not right.all():
        expected = "from 0 up" if metric == "ratio" else "that are finite"
        raise ValueError(f"answers: one is {values[~right][0]}, expected numbers {expected} for metric {metric!r}")
    return values


def _of_annotators(score: np.ndarray, worker: np.ndarray, home: np.ndarray) -> tuple[float, float, bool]:
    """Return the variance of alpha by annotators, their effective number, and whether they are too few to generalise.

    `score` (m,) are those of the answers, `worker` and `home` (m,) the codes of their annotators and conversations.
    """
    worker = codes_of(worker)
    of_couples = 2 / len(score) * np.bincount(worker)  # the share that each annotator is in
    effective = float(of_couples.sum() ** 2 / (of_couples**2).sum())
    if len(of_couples) < FEW or of_couples.max() > MOST:
        return 0.0, effective, True
    by_home = np.bincount(home, score)
    sums = cluster_sums(2 * score, worker, home, len(by_home))
    noise = (sums * sums).sum(axis=1) - 2 * of_couples * (sums @ by_home) + of_couples**2 * (by_home @ by_home)
    square = sums.sum(axis=1) ** 2 - noise
    return max(0.0, float((1 - 1 / effective) * (square / (1 - of_couples) ** 2).sum())), effective, False


def alpha_slope(met: np.ndarray, metric: str, values: ArrayLike | None) -> np.ndarray:
    """Return the derivative of alpha with respect to each coincidence (levels, levels); its sum over `met` is 0."""
    given = met.sum(axis=1)
    n = given.sum()
    far = answer_distances(given, metric, values)
    within = (met * far).sum()
    chance = given @ far @ given
    of_within = np.zeros(len(given))
    of_chance = 2 * far @ given
    if metric == "ordinal":  # distances depend on how often each level came
        middle = _middle(given)
        upward = [4 * (middle * given - met @ middle), 4 * given * (middle * n - given @ middle)]
        of_within, more = (counts[::-1].cumsum()[::-1] - counts / 2 for counts in upward)
        of_chance = of_chance + more
    by_level = -within / chance - n / chance * of_within + n * within / chance**2 * of_chance
    return (n - 1) / n * ((by_level[:, None] + by_level[None, :]) / 2 - n / chance * far)


def _variance(answers: _Answers, clusters: Clusters) -> tuple[float, float, bool]:
    """Return the variance of alpha, its degrees of freedom, and whether the annotators are too few to generalise.

    `clusters` are those of the answers.
    """
    score = answers.scores()
    variance, df = (float(values[0]) for values in replace(clusters, workers=None).variance(score))
    if clusters.workers is None:
        return variance, df, False
    added, effective, few = _of_annotators(score, clusters.workers, clusters.talks())
    sums = np.bincount(clusters.workers, score)
    sums *= np.sqrt(added) / np.sqrt(max((sums**2).sum(), NOTHING**2))
    return variance + sums @ sums, df if few else min(df, effective - 1), few
