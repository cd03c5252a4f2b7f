"""What a judge saves of people's annotations when nothing is assumed of its errors: prediction-powered inference.

See `parlai_spotbot.analysis.trust.ppi`. The share that is saved is that by which the variance of people's means falls:
with b, by how much people's answers rise with the judge's among items of one mean, and λ that suits its number of
ratings, b² V² / (V + V') of people's own variance, V and V' being the variances of the judge's means over people's
items and over further ones. What it takes to learn b is taken off. Further items of conversations that people saw
tell less, by as much as people's mean goes less with the difference of the two than with the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.trust import ppi
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates

SAME = "people's answers are all the same, and the range that answers can have is not known"

FEW = 30
"""With fewer answers of people that have one of the judge beside them, nothing is estimated."""


def powered(
    people: pd.DataFrame, judge: pd.DataFrame, named: Callable[[str], dict], bounds: tuple[float, float] | None = None
) -> dict:
    """People's means by group with and without the judge, and what it would save if it rated more.

    Parameters
    ----------
    people, judge : frames
        Answers in numbers, the judge's to all items that it rated: item, group, x, conversation_id; people's also
        worker_id. Several ratings of an item by the judge count as their mean.
    named : callable
        From a group what `means` calls it by, such as {"a": …, "b": …}.
    bounds : (low, high), optional
        The range that answers can have.

    Returns
    -------
    dict
        `power` (λ), `slope` (b) with `slope_ci`; `saved` {"at_hand": with the further ratings that there
        are, "as_many": as many as people gave answers, "ten_times", "endless"}, each a share of people's annotations
        with `ci`, `ratings`, `annotations`; `means`, one entry a group (see `_means`); `notice` where there is
        something to beware of. `why` where there is nothing to go by.
    """
    judge = judge.groupby(["group", "item"], sort=False).agg({"x": "mean", "conversation_id": "first"}).reset_index()
    people = people.merge(judge[["group", "item", "x"]].rename(columns={"x": "y"}), on=["group", "item"], how="left")
    people = people[people["group"].isin(set(people.loc[people["y"].notna(), "group"]))].reset_index(drop=True)
    if people["y"].notna().sum() < FEW:
        return {"why": f"fewer than {FEW} answers of people with a rating of the judge beside them"}
    samples = _samples(people, judge, bounds)
    slope = _slope(people)
    found = {"power": ppi.power(list(samples.values())), "slope": float(slope["estimate"])}
    found |= {"slope_ci": list(slope["ci"]), "saved": _saved(list(samples.values()), slope)}
    found["means"] = [named(group) | _means(sample, found["power"]) for group, sample in samples.items()]
    return found | {"notice": "" if slope["ci"][0] > 0 else _notice(slope)}


def _samples(
    people: pd.DataFrame, judge: pd.DataFrame, bounds: tuple[float, float] | None
) -> dict[str, ppi.PoweredSample]:
    answered = people[["group", "item"]].drop_duplicates().assign(known=True)
    further = judge.merge(answered, on=["group", "item"], how="left")
    rest = dict(list(further[further["known"].isna()].groupby("group")))
    nothing = further[:0]
    samples = {}
    for name, own in people.groupby("group"):
        more = rest.get(name, nothing)
        samples[name] = ppi.PoweredSample(
            own["x"].to_numpy(dtype=float),
            own["y"].to_numpy(dtype=float),
            list(own["conversation_id"]),
            list(own["worker_id"]),
            more["x"].to_numpy(dtype=float),
            list(more["conversation_id"]),
            bounds,
        )
    return samples


def _slope(people: pd.DataFrame) -> dict:
    """By how much people's answers rise with the judge's within groups, by least squares; all NaN where it says but
    one thing."""
    rows = people[people["y"].notna()]
    x, y = (rows[name] - rows.groupby("group")[name].transform("mean") for name in ("x", "y"))
    square = float((y**2).sum())
    if not square > 0:
        return {"estimate": np.nan, "se": np.nan, "ci": (np.nan, np.nan)}
    slope = float((x * y).sum()) / square
    clusters = Clusters.by(rows["conversation_id"], rows["worker_id"])
    scores = (y * (x - slope * y)).to_numpy() / square
    return Estimates(np.array([slope]), clusters.spread(scores, (y**2).to_numpy())).contrast([1.0])


def _saved(samples: Sequence[ppi.PoweredSample], slope: dict) -> dict:
    """By how many further ratings there are: estimate, ci, ratings, annotations, annotations_ci."""
    number = np.array([len(sample.people) for sample in samples], dtype=float)
    further = np.array([len(sample.further) for sample in samples], dtype=float)
    own, gap, both, judge = np.array([sample.variances for sample in samples]).T
    one = np.array([np.r_[sample.judge[sample.rated], sample.further].var() for sample in samples])
    known = np.isfinite(own)
    found = {}
    for name, ratings in (("at_hand", further), ("as_many", number), ("ten_times", 10 * number), ("endless", np.inf)):
        # Further items are taken to be of further conversations, but for those at hand.
        noise = gap if name == "at_hand" else judge + one / ratings
        used = known & (further > 0) if name == "at_hand" else known
        scale = float(judge[used].sum() ** 2 / noise[used].sum()) if noise[used].sum() > 0 else 0.0
        if name == "at_hand" and slope["ci"][0] > 0 and scale > 0:
            shared = (own + gap - both)[used].sum() / 2 / (slope["estimate"] * judge[used].sum())
            scale *= float(np.clip(shared, 0, 1)) ** 2
        entry = _told(slope, scale / float(own[known].sum()) if own[known].sum() > 0 else np.nan)
        entry["ratings"] = None if name == "endless" else round(float(ratings.sum()))
        entry["annotations"] = entry["estimate"] * float(number.sum())
        entry["annotations_ci"] = [end * float(number.sum()) for end in entry["ci"]]
        found[name] = entry
    return found


def _told(slope: dict, scale: float) -> dict:
    """Return the share b² `scale`, less what the error of b adds to its square and what the choice of λ costs; 0 where
    it is not shown that people's answers rise with the judge's, and from 0 to 1 where that cannot be told."""
    if not np.isfinite([*slope["ci"], scale]).all():
        return {"estimate": 0.0, "ci": [0.0, 1.0]}
    low, high = (float(min(1.0, max(0.0, end) ** 2 * scale)) for end in slope["ci"])
    share = min(high, max(low, float(slope["estimate"] ** 2 - 2 * slope["se"] ** 2) * scale))
    return {"estimate": share if slope["ci"][0] > 0 else 0.0, "ci": [low, high]}


def _means(sample: ppi.PoweredSample, power: float) -> dict:
    """`n_people`, `n_judge_alone`; people's mean alone (`people`), with the judge (`both`), each with `_ci`; `width` of
    the second interval by the first, and the share `saved`, which may be negative; `why` there is no interval."""
    alone, both = ppi.mean(sample), ppi.mean(sample, power)
    row = {"n_people": len(sample.people), "n_judge_alone": len(sample.further)}
    row |= {"people": float(alone["estimate"]), "people_ci": list(alone["ci"])}
    row |= {"both": float(both["estimate"]), "both_ci": list(both["ci"])}
    if not np.isfinite(alone["ci"][0]):
        same = len(sample.people) > 1 and np.ptp(sample.people) == 0
        return row | {"why": SAME if same else "too few conversations or annotators for an interval"}
    width = float(both["se"] / alone["se"]) if alone["se"] > 0 else 1.0
    return row | {"width": width, "saved": 1 - width**2}


def _notice(slope: dict) -> str:
    """ "same_of_all": the judge says one thing of all items of a mean; "too_few": clusters to tell; "unrelated"."""
    if not np.isfinite(slope["estimate"]):
        return "same_of_all"
    return "unrelated" if np.isfinite(slope["ci"][0]) else "too_few"
