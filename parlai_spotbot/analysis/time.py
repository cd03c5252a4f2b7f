"""Time of annotations and its cost (section 5.3, Table 4 of the paper)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.medians import median_interval

BY_LENGTH = ("k", "n", "median", "median_low", "median_high", "mean", "mean_low", "mean_high")


def time_summary(annotations: pd.DataFrame, wage: float | None = None) -> dict:
    """Return seconds per annotation: `n` with a known time, median, mean; hours; cost.

    `hours` and `cost` are of all annotations, those without a time computed at the mean of the others. `cost` needs
    `wage`, pay per hour. The paper calls its medians means (Table 4). None where no time is known, as for judges.
    """
    seconds = annotations["seconds"].dropna().to_numpy(dtype=float)
    if not len(seconds):
        return {"n": 0, **dict.fromkeys(("median", "mean", "hours", "cost")), "why": "no annotation has a time"}
    hours = float(seconds.mean() * len(annotations) / 3600)
    cost = None if wage is None else hours * wage
    median = float(np.median(seconds))
    mean = float(seconds.mean())
    return {"n": len(seconds), "median": median, "mean": mean, "hours": hours, "cost": cost}


def seconds_table(annotations: pd.DataFrame, clusters: Clusters) -> pd.DataFrame:
    """Return seconds per annotation by segment length, and over all lengths (Table 4).

    One row per length (`k` as text, "all" over all lengths), with the columns `BY_LENGTH`: n (with a known time),
    median and mean with intervals by the `clusters` of the annotations.
    """
    seconds = annotations["seconds"].to_numpy(dtype=float)
    k = annotations["k"].to_numpy()
    has_time = np.isfinite(seconds)
    rows = []
    for name, kept in [
        ("all", has_time),
        *((str(length), has_time & (k == length)) for length in np.unique(k[has_time])),
    ]:
        if kept.any():
            values = seconds[kept]
            row_clusters = clusters.take(kept)
            median_ci = median_interval(values, row_clusters)
            mean_ci = mean_of(values, row_clusters, bounds=(0.0, np.inf))["ci"]
            rows.append((name, len(values), np.median(values), *median_ci, values.mean(), *mean_ci))
    return pd.DataFrame(rows, columns=list(BY_LENGTH))


MINUTES = 400.0
"""Of people who talk to a system themselves: 100 dialogues of 4 minutes as in ConvAI2; the paper's text says 2,000, its
footnote 12 agrees with 400."""


@dataclass(frozen=True)
class Effort:
    """Time that one evaluation of K systems takes by each method, see `compare_effort`; minutes and hours of people.

    Attributes
    ----------
    minutes_per_pair, hours : float
        Of this method: one pair of systems, and all pairs with people's conversations.
    minutes_per_system, other_hours : float
        Of the other method: one system, and all systems.
    ratio : float
        `hours` / `other_hours`: below 1 this method is the quicker one.
    break_even : float
        Number of systems for which both take the same time: pairs grow with K², systems with K. NaN if people's
        conversations alone take longer.
    """

    minutes_per_pair: float
    hours: float
    minutes_per_system: float
    other_hours: float
    ratio: float
    break_even: float


def compare_effort(
    systems: int,
    *,
    seconds: float,
    conversations_per_pair: float = 45,
    annotations_per_conversation: float = 6,
    human_annotations: float = 0,
) -> Effort:
    """Compare the time of annotators with that of people who talk to the systems themselves (section 5.3).

    Hours = (K (K − 1) / 2 · conversations · annotations + those of people's conversations) · seconds / 3600, against
    K · `MINUTES` / 60. Machine time and instructing people are left out.

    Parameters
    ----------
    systems : int
        K, from 2 up.
    seconds : float
        Mean time of an annotation. The paper's figure is the median, less than half of it.
    conversations_per_pair, annotations_per_conversation : float
        The paper plans 45 conversations a pair, shown at 3 lengths to 2 annotators each, and computes with 40
        annotations a pair; its released data hold 246 to 270.
    human_annotations : float
        Annotations of people's conversations, over all pairs.
    """
    pair = conversations_per_pair * annotations_per_conversation * seconds / 60
    system = MINUTES
    people = human_annotations * seconds / 60
    hours = (systems * (systems - 1) / 2 * pair + people) / 60
    other = systems * system / 60
    # pair / 2 · K² − (pair / 2 + system) · K + people = 0; from the greater root on, this method takes longer.
    half = pair / 2 + system
    root = half**2 - 2 * pair * people
    even = (half + float(np.sqrt(root))) / pair if root >= 0 else np.nan
    return Effort(pair, hours, system, other, hours / other, even)
