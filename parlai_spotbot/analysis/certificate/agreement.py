"""Agreement of a judge with people and of people with each other, with intervals that hold for small samples, too.

Alpha is Krippendorff's of verdict and label as two answers about one row (see `agreement.alpha`). Its interval is by
the sandwich of the rows' scores, two-way clustered, with Student's t on Fisher's scale. Where few rows have the rarer
answers that is too narrow: the interval is at least as wide as the one that the exact interval of the mean distance
between verdict and label gives (Clopper & Pearson 1934, with as many rows as independent ones would be as uncertain,
Korn & Graubard 1998) at the observed marginals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from parlai_spotbot.analysis.agreement import alpha_of, krippendorff_alpha
from parlai_spotbot.analysis.agreement.alpha import UnitAnswers, alpha_slope, answer_distances
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, effective_number
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson

UNKNOWN = (np.nan, np.nan)
UPPER = (1 + LEVEL) / 2


@dataclass(frozen=True)
class Measured:
    """An estimate with the ends of its interval; NaN where they aren't known."""

    estimate: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {"estimate": self.estimate, "low": self.low, "high": self.high}


NOT_MEASURED = Measured(np.nan, *UNKNOWN)


def judge_alpha(table: LabelledVerdicts) -> tuple[Measured, np.ndarray]:
    """Return the judge's alpha with people, and the score of each row (n,), its part of the error."""
    met = coincidences(table)
    alpha = float(alpha_of(met, table.metric))
    none = np.zeros(table.rows)
    if not np.isfinite(alpha):
        return NOT_MEASURED, none
    given = met.sum(axis=1)
    far = answer_distances(given, table.metric, None)
    _, share_ends = share_of(far[table.verdict, table.label] / far.max(), table.weight, table.clusters)
    by_chance = given @ far @ given / (given.sum() * (given.sum() - 1))
    low = 1 - share_ends[1] * far.max() / by_chance
    high = 1 - share_ends[0] * far.max() / by_chance
    score = 2 * table.weight * alpha_slope(met, table.metric, None)[table.verdict, table.label]
    variance, df = _errors(table.clusters, score, table.weight)
    if df > 0 and variance > 0 and -1 < alpha < 1:
        half = stdtrit(df, UPPER) * np.sqrt(variance) / (1 - alpha**2)
        low = min(low, float(np.tanh(np.arctanh(alpha) - half)))
        high = max(high, float(np.tanh(np.arctanh(alpha) + half)))
    elif df <= 0:
        low, high = UNKNOWN
    return Measured(alpha, max(low, -1.0), min(high, 1.0)), score


def coincidences(table: LabelledVerdicts) -> np.ndarray:
    """Return how often verdict and label met (levels, levels), either as the first."""
    met = confusion(table)
    return met + met.T


def confusion(table: LabelledVerdicts) -> np.ndarray:
    """Return how often each verdict (rows) met each label (columns), by weight."""
    counts = np.zeros((len(table.levels), len(table.levels)))
    np.add.at(counts, (table.verdict, table.label), table.weight)
    return counts


def _errors(clusters: Clusters, scores: np.ndarray, shares: np.ndarray) -> tuple[float, float]:
    variance, df = clusters.variance(scores, shares)
    return float(variance[0]), float(df[0])


def share_of(values: np.ndarray, weights: np.ndarray, clusters: Clusters) -> tuple[float, tuple[float, float]]:
    """Return the weighted mean of values (n,) from 0 to 1 and its interval by Clopper & Pearson, of as many rows as
    independent ones would be as uncertain; from 0 to 1 where a single cluster says everything."""
    part = weights / weights.sum()
    share = float(part @ values)
    diagonal = clusters.diagonal(part * (values - share), part)
    variance, df, effective = (float(column[0]) for column in (diagonal.variance, diagonal.df, diagonal.effective))
    if not df > 0:
        return share, (0.0, 1.0)
    rows = effective_number(weights)
    size = effective
    if variance > 0 and 0 < share < 1:
        size = min(rows, share * (1 - share) / variance)
        if effective < rows - 1e-6 * rows:
            size *= float((ndtri(UPPER) / stdtrit(df, UPPER)) ** 2)
    low, high = clopper_pearson(share, size)
    return share, (float(low), float(high))


def balanced_accuracy(table: LabelledVerdicts) -> tuple[Measured, dict[str, Measured]]:
    """Return the mean over labels of how often the verdict is the label, and that by label.

    The interval adds up those of the labels (Zou & Donner 2008, Stat. Med. 27), and is at least that by the clustered
    errors of the mean. NaN where there is one label only.
    """
    present = np.unique(table.label)
    by_label = {}
    scores = np.zeros(table.rows)
    for code in present:
        chosen = table.label == code
        weight = table.weight[chosen]
        hits = (table.verdict[chosen] == code).astype(float)
        share, ends = share_of(hits, weight, table.clusters.take(chosen))
        by_label[table.levels[code]] = Measured(share, *ends)
        scores[chosen] = weight * (hits - share) / weight.sum() / len(present)
    if len(present) < 2:
        return NOT_MEASURED, by_label
    shares = np.array([[row.estimate, row.low, row.high] for row in by_label.values()])
    mean = float(shares[:, 0].mean())
    down = np.sqrt(((shares[:, 0] - shares[:, 1]) ** 2).sum()) / len(present)
    up = np.sqrt(((shares[:, 2] - shares[:, 0]) ** 2).sum()) / len(present)
    variance, df = _errors(table.clusters, scores, table.weight)
    if df > 0:
        half = float(stdtrit(df, UPPER) * np.sqrt(variance))
        down = max(down, half)
        up = max(up, half)
    return Measured(mean, max(0.0, mean - down), min(1.0, mean + up)), by_label


@dataclass(frozen=True)
class PeopleAlpha:
    """Alpha of people's labels with each other, and how much higher the judge's is with theirs (`difference`).

    `items` were labelled by two people or more; `why` says why alpha isn't known.
    """

    alpha: Measured
    difference: Measured
    items: int = 0
    why: str = ""


def people_alpha(table: LabelledVerdicts, judge: Measured, scores: np.ndarray) -> PeopleAlpha:
    """Return people's agreement with each other, beside the judge's (with `scores` of rows, see `judge_alpha`)."""
    if table.item is None or table.annotator is None:
        return PeopleAlpha(NOT_MEASURED, NOT_MEASURED, why="who labelled which item isn't known")
    found = krippendorff_alpha(table.item, table.label, table.clusters, table.metric)
    alpha = Measured(found["alpha"], *found["ci"])
    difference = Measured(judge.estimate - alpha.estimate, *UNKNOWN)
    if np.isfinite([judge.low, alpha.low]).all():
        answers = UnitAnswers.of(table.item, table.label, table.metric, table.annotator)
        half = np.zeros(table.rows)
        half[answers.rows] = answers.scores()
        variance, df = _of_difference(table, scores, half)
        if df > 0 and variance > 0:
            reach = float(stdtrit(df, UPPER) * np.sqrt(variance))
            difference = Measured(difference.estimate, difference.estimate - reach, difference.estimate + reach)
    return PeopleAlpha(alpha, difference, found["units"], found.get("why", ""))


def _of_difference(table: LabelledVerdicts, scores: np.ndarray, half: np.ndarray) -> tuple[float, float]:
    """Return the variance of the difference of both alphas, and its degrees of freedom.

    A pair of two people's labels is in the sums of both, so annotators' sums take each answer's `half` twice: what they
    then count twice, the sums by annotator and conversation take off again.
    """
    talks = table.clusters.talks()
    annotator = table.annotator
    by_talk, df = _errors(Clusters.by(talks), scores - half, table.weight)
    if annotator is None or len(np.unique(annotator)) < 2:
        return by_talk, df
    twice = scores - 2 * half
    both = talks * (int(annotator.max()) + 1) + annotator
    by_annotator, fewer = _errors(Clusters.by(annotator), twice, table.weight)
    by_both, _ = _errors(Clusters.by(both), twice, table.weight)
    return max(by_talk, by_talk + by_annotator - by_both), min(df, fewer)
