"""Time of annotations and its cost (section 5.3, Table 4 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.medians import median_interval

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def time_summary(annotations: pd.DataFrame, wage: float | None = None) -> dict:
    """Seconds per annotation: `n` with a known time, median, mean, quantiles, the median per length; hours; cost.

    `hours` and `cost` are of all annotations, those without a time computed at the mean of the others. `cost` needs
    `wage`, pay per hour. The paper calls its medians means (Table 4). None where no time is known, as for judges.
    """
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    timed = annotations.dropna(subset=["seconds"])
    seconds = timed["seconds"].to_numpy(dtype=float)
    if not len(seconds):
        unknown = ("median", "mean", "quantiles", "median_by_length", "hours", "cost")
        return {"n": 0, **dict.fromkeys(unknown), "why": "no annotation has a time"}
    hours = float(seconds.mean() * len(annotations) / 3600)
    return {
        "n": len(seconds),
        "median": float(np.median(seconds)),
        "mean": float(seconds.mean()),
        "quantiles": {f"{q:g}": float(v) for q, v in zip(QUANTILES, np.quantile(seconds, QUANTILES), strict=True)},
        "median_by_length": {str(k): float(v) for k, v in timed.groupby("k")["seconds"].median().items()},
        "hours": hours,
        "cost": None if wage is None else hours * wage,
    }


def seconds_table(annotations: pd.DataFrame, clusters: Clusters | None = None) -> pd.DataFrame:
    """Seconds per annotation by source and segment length, and over all lengths (Table 4).

    Parameters
    ----------
    clusters : Clusters, optional
        Which annotations are correlated, for intervals of median and mean (columns median_low, …).

    Returns
    -------
    frame
        One row a source and length (`k` as text, "all" over all lengths): source, k, n (with a known time), median,
        mean and the `QUANTILES` (columns q05, …). Sources without times, as judges, have no rows.
    """
    if clusters is not None and clusters.rows != len(annotations):
        raise ValueError(f"clusters has {clusters.rows} rows, expected one for each of {len(annotations)} annotations")
    columns = {f"q{round(100 * q):02d}": q for q in QUANTILES}
    place = pd.Series(np.arange(len(annotations)), index=annotations.index)
    timed = annotations.dropna(subset=["seconds"])
    rows = []
    for source, group_rows in timed.groupby("source", sort=True):
        for k, part in [("all", group_rows), *group_rows.groupby("k", sort=True)]:
            seconds = part["seconds"].to_numpy(dtype=float)
            middle = {"median": np.median(seconds), "mean": seconds.mean()}
            row = {"source": source, "k": str(k), "n": len(seconds), **middle}
            row |= {name: np.quantile(seconds, q) for name, q in columns.items()}
            if clusters is not None:
                row_clusters = clusters.take(place[part.index].to_numpy())
                row["median_low"], row["median_high"] = median_interval(seconds, row_clusters)
                row["mean_low"], row["mean_high"] = mean_of(seconds, row_clusters, bounds=(0.0, np.inf))["ci"]
            rows.append(row)
    ends = [f"{name}_{end}" for name in ("median", "mean") for end in ("low", "high")] if clusters is not None else []
    return pd.DataFrame(rows, columns=["source", "k", "n", "median", "mean", *columns, *ends])


@dataclass(frozen=True)
class Effort:
    """Record of what one evaluation of K systems takes by each method; see `compare_effort`. Minutes and hours of
    people's time.

    Attributes
    ----------
    annotations_per_pair : float
    minutes_per_pair, hours : float
        Of this method: one pair of systems, and all pairs with what people's conversations take.
    minutes_per_system, other_hours : float
        Of the other method: one system, and all systems.
    ratio : float
        `hours` / `other_hours`: below 1 this method is the quicker one.
    break_even : float
        With so many systems both take the same time: pairs grow with K², systems with K. NaN where people's own
        conversations alone take longer.
    """

    annotations_per_pair: float
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
    dialogues: float = 100,
    minutes_per_dialogue: float = 4.0,
) -> Effort:
    """Time of annotators here against that of people who talk to the systems themselves (section 5.3).

    Hours = (K (K − 1) / 2 · conversations · annotations + those of people's conversations) · seconds / 3600, against
    K · dialogues · minutes / 60. Machine time is left out, as is what instructing people takes.

    Parameters
    ----------
    systems : int
        K, from 2 up.
    seconds : float
        Per annotation: the mean, for what an evaluation takes altogether. The paper's figure is the median, less than
        half of it.
    conversations_per_pair, annotations_per_conversation : float
        The paper plans 45 conversations a pair, shown at 3 lengths to 2 annotators each, and computes with 40
        annotations a pair; its released data hold 246 to 270.
    human_annotations : float
        Annotations of people's conversations, over all pairs.
    dialogues, minutes_per_dialogue : float
        Of the other method: how many a system, and how long each. The paper takes ConvAI2's 100 dialogues of 4 minutes;
        that makes 400 minutes a system (its text says 2,000; its footnote 12 agrees with 400).
    """
    if systems < 2:
        raise ValueError(f"systems is {systems}, expected a whole number from 2 up")
    given = {
        "seconds": seconds,
        "conversations_per_pair": conversations_per_pair,
        "dialogues": dialogues,
        "annotations_per_conversation": annotations_per_conversation,
        "minutes_per_dialogue": minutes_per_dialogue,
    }
    for name, value in given.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}, expected a number above 0")
    if human_annotations < 0:
        raise ValueError(f"human_annotations is {human_annotations}, expected a number from 0 up")
    annotations = conversations_per_pair * annotations_per_conversation
    pair, system = annotations * seconds / 60, float(dialogues * minutes_per_dialogue)
    people = human_annotations * seconds / 60
    hours, other = (systems * (systems - 1) / 2 * pair + people) / 60, systems * system / 60
    # pair / 2 · K² − (pair / 2 + system) · K + people = 0; from the greater root on, this method takes longer.
    half = pair / 2 + system
    root = half**2 - 2 * pair * people
    even = (half + float(np.sqrt(root))) / pair if root >= 0 else np.nan
    return Effort(annotations, pair, hours, system, other, hours / other, even)
