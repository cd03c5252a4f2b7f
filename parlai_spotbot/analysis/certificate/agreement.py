"""Agreement of a judge with people and of people with each other, with intervals that hold for small samples, too.

Alpha is Krippendorff's of verdict and label as two answers about one row (see `agreement.alpha`). Its interval is by
the sandwich of the rows' scores, two-way clustered, with Student's t on Fisher's scale. Where few rows have the rarer
answers that is too narrow: the interval is at least as wide as the one that the exact interval of the mean distance
between verdict and label gives (Clopper & Pearson 1934, with as many rows as independent ones would be as uncertain,
Korn & Graubard 1998) at the observed marginals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from parlai_spotbot.analysis.agreement.alpha import alpha_of, alpha_slope, answer_distances, krippendorff_alpha
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts
from parlai_spotbot.analysis.uncertainty.clusters import FEW, Clusters, effective_number
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson

UNKNOWN = (np.nan, np.nan)
UPPER = (1 + LEVEL) / 2


@dataclass(frozen=True)
class Measured:
    """An estimate with the ends of its interval; NaN where they aren't known."""

    estimate: float
    low: float
    high: float


NOT_MEASURED = Measured(np.nan, *UNKNOWN)


def judge_alpha(table: LabelledVerdicts) -> Measured:
    """Return the judge's alpha with people."""
    met = confusion(table)
    met = met + met.T
    alpha = float(alpha_of(met, table.metric))
    if not np.isfinite(alpha):
        return NOT_MEASURED
    given = met.sum(axis=1)
    far = answer_distances(given, table.metric, None)
    _, share_ends = share_of(far[table.verdict, table.label] / far.max(), table.weight, table.clusters)
    by_chance = given @ far @ given / (given.sum() * (given.sum() - 1))
    low = 1 - share_ends[1] * far.max() / by_chance
    high = 1 - share_ends[0] * far.max() / by_chance
    score = 2 * table.weight * alpha_slope(met, table.metric, None)[table.verdict, table.label]
    variance, df = (float(values[0]) for values in table.clusters.variance(score, table.weight))
    if df > 0 and variance > 0 and -1 < alpha < 1:
        half = stdtrit(df, UPPER) * np.sqrt(variance) / (1 - alpha**2)
        low = min(low, float(np.tanh(np.arctanh(alpha) - half)))
        high = max(high, float(np.tanh(np.arctanh(alpha) + half)))
    elif df <= 0:
        low, high = UNKNOWN
    return Measured(alpha, max(low, -1.0), min(high, 1.0))


def confusion(table: LabelledVerdicts) -> np.ndarray:
    """Return how often each verdict (rows) met each label (columns), by weight."""
    counts = np.zeros((len(table.levels), len(table.levels)))
    np.add.at(counts, (table.verdict, table.label), table.weight)
    return counts


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

    The interval adds up those of the labels with their correlations (Zou & Donner 2008, Stat. Med. 27): a careless
    person is wrong about all of them. It is never narrower than of labels without correlation. NaN where there is one
    label only.
    """
    present = np.unique(table.label)
    is_label = table.label[:, None] == present
    several = table.clusters.effective >= FEW
    by_label = {}
    for code, chosen in zip(present, is_label.T, strict=True):
        hits_chosen = 1.0 * (table.verdict[chosen] == code)
        share, ends = share_of(hits_chosen, table.weight[chosen], table.clusters.take(chosen))
        by_label[table.levels[code]] = Measured(share, *(ends if several else UNKNOWN))
    if len(present) < 2:
        return NOT_MEASURED, by_label
    return _mean_of_shares(table, is_label, by_label), by_label


def _mean_of_shares(table: LabelledVerdicts, is_label: np.ndarray, by_label: Mapping[str, Measured]) -> Measured:
    """Return the mean of shares of verdicts that are right, by label, with its interval; `is_label` (n, labels) says
    which each has."""
    hits = (table.verdict == table.label)[:, None]
    share, low, high = np.array([astuple(row) for row in by_label.values()]).T
    part = is_label * table.weight[:, None]
    part = part / part.sum(axis=0)
    covariance = table.clusters.spread(part * (hits - share), part).covariance
    error = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    correlation = covariance / np.outer(error, error)
    np.fill_diagonal(correlation, 1)
    mean = float(share.mean())
    down, up = (np.sqrt(max(gap @ gap, gap @ correlation @ gap)) / len(by_label) for gap in (share - low, high - share))
    return Measured(mean, float(mean - down), float(mean + up))


@dataclass(frozen=True)
class PeopleAlpha:
    """Alpha of people's labels with each other, and how much higher the judge's is with theirs (`difference`).

    `items` were labelled by two people or more.
    """

    alpha: Measured = NOT_MEASURED
    difference: Measured = NOT_MEASURED
    items: int = 0


def people_alpha(table: LabelledVerdicts, judge: Measured) -> PeopleAlpha:
    """Return people's agreement with each other, beside the judge's.

    The interval of the difference takes both as independent (Zou & Donner 2008): both are higher where conversations
    are clear, so it is on the long side.
    """
    if table.item is None or table.clusters.workers is None:
        return PeopleAlpha()
    estimate = krippendorff_alpha(table.item, table.label, table.clusters, table.metric)
    alpha = Measured(estimate["alpha"], *estimate["ci"])
    apart = judge.estimate - alpha.estimate
    low = apart - float(np.hypot(judge.estimate - judge.low, alpha.high - alpha.estimate))
    high = apart + float(np.hypot(judge.high - judge.estimate, alpha.estimate - alpha.low))
    return PeopleAlpha(alpha, Measured(apart, low, high), estimate["units"])
