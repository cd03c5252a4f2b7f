"""Means of people's answers, made surer by a judge's answers to further items, whatever the judge's bias.

Prediction-powered inference with power tuning (Angelopoulos, Duchi & Zrnic 2023, "PPI++", arXiv 2311.01453, sections 2
and 6): people's mean, less λ times what the judge says of people's items beyond what it says of further ones. What the
judge holds for or against somebody cancels out; the assumption is that people were given their items at random among
all. λ is that of the package ppi-python; intervals allow for rows that share conversations or annotators, which its
don't.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates
from parlai_spotbot.analysis.values import Interval

FEW = 30
"""With fewer answers of people that have one of the judge beside them, nothing is estimated."""


def tuned_power(people: np.ndarray, judge: np.ndarray, further: np.ndarray) -> float:
    """Return λ (PPI++, section 6), cut to 0 … 1, for people's answers (n,), the judge's to the same items (n,) and to
    further ones (N,); 0 where the judge has nothing to add."""
    if len(people) < 2 or len(further) < 2 or min(map(np.ptp, (people, judge, further))) == 0:
        return 0.0
    spread = (1 + len(people) / len(further)) * np.var(np.r_[judge, further], ddof=1)
    return float(np.clip(np.cov(people, judge, ddof=0)[0, 1] / spread, 0, 1))


def powered_means(
    people: pd.DataFrame, judge: pd.DataFrame, named: Callable[[str], dict], bounds: Interval | None = None
) -> dict:
    """Return people's means by group, alone and with the judge's answers.

    Parameters
    ----------
    people, judge : frames
        Answers in numbers, the judge's to all items that it rated: item, group, x, conversation_id; people's also
        worker_id. Several ratings of an item by the judge count as their mean.
    named : callable
        Return the columns that name a group, such as {"a": …, "b": …}.
    bounds : (low, high), optional
        The range that answers can have.

    Returns
    -------
    dict
        `power` (λ); `means`, one entry a group: its name, `n_people`, `n_judge_alone`, `people` and `both` with the
        ends of their intervals, `width` (standard error of `both` by that of `people`; None where it is not known);
        `width`, the geometric mean of widths; `further`, to how many items of these groups the judge alone gave
        answers. Only `why` where there is too little to go by.
    """
    judge = judge.groupby(["group", "item"], sort=False).agg({"x": "mean", "conversation_id": "first"}).reset_index()
    people = people.merge(judge[["group", "item", "x"]].rename(columns={"x": "y"}), on=["group", "item"])
    if len(people) < FEW:
        return {"why": f"fewer than {FEW} answers of people with a rating of the judge beside them"}
    people_items = pd.MultiIndex.from_frame(people[["group", "item"]])
    further = judge[~pd.MultiIndex.from_frame(judge[["group", "item"]]).isin(people_items)]
    # One λ for all means: one for each would go with its own mean's errors.
    centre = judge.groupby("group")["x"].mean()
    x = people["x"] - people.groupby("group")["x"].transform("mean")
    y = people["y"] - people["group"].map(centre)
    more = further["x"] - further["group"].map(centre)
    power = tuned_power(*map(np.asarray, (x, y, more)))
    rest = dict(list(further.groupby("group")))
    means = [
        named(group) | _mean(rows, rest.get(group, further[:0]), power, bounds)
        for group, rows in people.groupby("group")
    ]
    widths = [row["width"] for row in means if row["width"]]
    return {
        "power": power,
        "means": means,
        "width": float(np.exp(np.mean(np.log(widths)))) if widths else None,
        "further": sum(row["n_judge_alone"] for row in means),
    }


def _mean(people: pd.DataFrame, further: pd.DataFrame, power: float, bounds: Interval | None) -> dict:
    estimates = _estimates(people, further, bounds)
    power = power if len(further) else 0.0
    alone, both = (estimates.contrast(weights) for weights in ([1.0, 0, 0], [1.0, -power, power]))
    finite = np.isfinite([alone["se"], both["se"]]).all() and alone["se"] > 0
    return {
        "n_people": len(people),
        "n_judge_alone": len(further),
        "people": float(alone["estimate"]),
        "people_low": alone["ci"][0],
        "people_high": alone["ci"][1],
        "both": float(both["estimate"]),
        "both_low": both["ci"][0],
        "both_high": both["ci"][1],
        "width": float(both["se"] / alone["se"]) if finite else None,
    }


def _estimates(people: pd.DataFrame, further: pd.DataFrame, bounds: Interval | None) -> Estimates:
    """Return people's mean, the judge's on people's items, and the judge's on further ones (3,), with covariance.

    A judge is no annotator: its further answers are clustered by conversations alone.
    """
    n = len(people)
    more = len(further)
    samples = (people["x"], people["y"], further["x"])
    values = np.array([sample.mean() if len(sample) else 0.0 for sample in samples], dtype=float)
    labelled = np.arange(n + more) < n
    scores = np.zeros((n + more, 3))
    for column, (rows, sample) in enumerate(zip((labelled, labelled, ~labelled), samples, strict=True)):
        scores[rows, column] = (sample - values[column]) / max(1, len(sample))
    workers: Sequence | None = None
    if people["worker_id"].nunique() > 1:
        workers = [*people["worker_id"], *range(-more, 0)]
    clusters = Clusters.by([*people["conversation_id"], *further["conversation_id"]], workers)
    return Estimates(values, clusters.spread(scores, labelled.astype(float)), bounds)


def means_of_contests(people: pd.DataFrame, judge: pd.DataFrame) -> dict:
    """Return `powered_means` of each pair's share of wins less that of losses, from the contests of one criterion."""

    def oriented(rows: pd.DataFrame) -> pd.DataFrame:
        rows = rows[rows["a"] != rows["b"]]
        pair = np.sort(rows[["a", "b"]].to_numpy(dtype=str), axis=1)
        sign = np.where(rows["a"] > rows["b"], -1, 1)
        return rows.assign(
            group=["\t".join(two) for two in pair], item=rows["item_id"], x=sign * rows["outcome"].astype(int)
        )

    return powered_means(
        oriented(people), oriented(judge), lambda pair: dict(zip("ab", pair.split("\t"), strict=True)), (-1, 1)
    )


def means_of_ratings(people: pd.DataFrame, judge: pd.DataFrame, bounds: Interval | None = None) -> dict:
    """Return `powered_means` of each contestant's ratings by one criterion; `bounds` are the ends of the scale."""

    def grouped(rows: pd.DataFrame) -> pd.DataFrame:
        item = rows["item_id"] + "\t" + rows["place"].astype(str)
        return rows.assign(group=rows["contestant"], item=item, x=rows["score"])

    return powered_means(grouped(people), grouped(judge), lambda contestant: {"contestant": contestant}, bounds)
