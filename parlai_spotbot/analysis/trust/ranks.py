"""Agreement of a judge's ranking with people's.

A contestant's score is the mean over its opponents of its share of points (a win 1, a tie ½), or its mean rating.
Rankings are compared by Kendall's tau-b, on items that both answered.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import kendall
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.values import ratio

LEAST = 3
"""Two contestants have only two orders, which agree by chance half of the time."""


def points(rows: pd.DataFrame) -> pd.DataFrame:
    """Return contests or ratings as one row a contestant, its opponent ("" for ratings), and its score."""
    if "outcome" not in rows:
        return rows.assign(opponent="")
    halves = []
    for column, other, sign in (("a", "b", 1), ("b", "a", -1)):
        half = rows.drop(columns=["a", "b", "outcome"]).assign(contestant=rows[column], opponent=rows[other])
        halves.append(half.assign(score=(1 + sign * rows["outcome"].astype(float)) / 2))
    return pd.concat(halves, ignore_index=True)


def scores(rows: pd.DataFrame, names: Sequence[str], draws: Draws, people: Sequence[str] = ()) -> np.ndarray:
    """Return the score of each name in each draw (draws, names) from `points`; NaN where it was never rated."""
    place = {name: i for i, name in enumerate(names)}
    others = {"": 0} if set(rows["opponent"]) <= {""} else place
    cells = (rows["contestant"].map(place) * len(others) + rows["opponent"].map(others)).to_numpy(dtype=int)
    size = len(names) * len(others)
    score = rows["score"].to_numpy(dtype=float)
    total, count = (draws.sums(rows, cells, size, mass, people) for mass in (score, np.ones(len(score))))
    mean = ratio(total, count).reshape(-1, len(names), len(others))
    met = np.isfinite(mean)
    return ratio(np.where(met, mean, 0).sum(axis=-1), met.sum(axis=-1))


def rank_agreement(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws) -> dict:
    """Compare the rankings of one criterion, from `points` of both.

    Returns
    -------
    dict
        `contestants` and `items` that both have; `tau`, `tau_low` and `tau_high`, or `why` if there are too few
        contestants.
    """
    shared = set(people["item_id"]) & set(judge["item_id"])
    people, judge = (rows[rows["item_id"].isin(shared)] for rows in (people, judge))
    names = sorted(set(people["contestant"]) & set(judge["contestant"]))
    result = {"contestants": len(names), "items": len(shared)}
    if len(names) < LEAST:
        return result | {"why": f"fewer than {LEAST} contestants that both rated: two have no ranking to agree on"}
    people, judge = (
        rows[rows["contestant"].isin(names) & rows["opponent"].isin({"", *names})] for rows in (people, judge)
    )
    people_scores = scores(people, names, draws, ["worker_id"])
    theirs = scores(judge, names, draws)
    return result | draws.estimate("tau", kendall(people_scores, theirs), (-1, 1))
