"""Whether a judge ranks the contestants as people do, beside whether people rank them as other people do.

A contestant's score is the mean over its opponents of its share of points (a win 1, a tie ½), or its mean rating.
Rankings are compared by Kendall's tau-b and Spearman's rho, on items that both answered.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement import kendall, spearman
from parlai_spotbot.analysis.trust.draws import Draws, ratio

SPLITS = 10
PERSON = ["worker_id"]
LEAST = 3
"""Two contestants have only two orders, of which no agreement can be told from chance."""


def points(rows: pd.DataFrame) -> pd.DataFrame:
    """Contests or ratings as one row a contestant, its opponent ("" for ratings), its place, and its score."""
    if "outcome" not in rows:
        return rows.assign(opponent="")
    halves = []
    for place, (own, other, sign) in enumerate((("a", "b", 1), ("b", "a", -1))):
        half = rows.drop(columns=["a", "b", "outcome"])
        half = half.assign(contestant=rows[own], opponent=rows[other], place=place)
        halves.append(half.assign(score=(1 + sign * rows["outcome"].astype(float)) / 2))
    return pd.concat(halves, ignore_index=True)


def scores(rows: pd.DataFrame, names: Sequence[str], draws: Draws, people: Sequence[str] = ()) -> np.ndarray:
    """The score of each name in each draw (draws, names) from `points`; NaN where it was never rated."""
    return _means(_sums(rows, names, draws, people))[:, 0]


def _sums(
    rows: pd.DataFrame,
    names: Sequence[str],
    draws: Draws,
    people: Sequence[str] = (),
    part: np.ndarray | None = None,
    parts: int = 1,
) -> np.ndarray:
    """Scores summed, and counted: (2, draws, parts, names, opponents); `part` (n,) says which part a row is of."""
    place = {name: i for i, name in enumerate(names)}
    others = {"": 0} if set(rows["opponent"]) <= {""} else place
    cells = (rows["contestant"].map(place) * len(others) + rows["opponent"].map(others)).to_numpy(dtype=int)
    size = len(names) * len(others)
    cells = cells + size * (0 if part is None else part)
    score = rows["score"].to_numpy(dtype=float)
    both = np.array([draws.sums(rows, cells, size * parts, mass, people) for mass in (score, None)])
    return both.reshape(2, -1, parts, len(names), len(others))


def _means(sums: np.ndarray) -> np.ndarray:
    """Each name's mean over its opponents of its mean score: (draws, parts, names)."""
    mean = ratio(*sums)
    met = np.isfinite(mean)
    return ratio(np.where(met, mean, 0).sum(axis=-1), met.sum(axis=-1))


def rank_agreement(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws, rng: np.random.Generator) -> dict:
    """Of one criterion, from `points` of both.

    Returns
    -------
    dict
        `scores` {"people", "judge"} by contestant; `tau`, `spearman` of judge and people, with `_ci`; `people`: that
        of one person an item with all others (`tau`), the judge with these others (`judge_tau`), their `difference`;
        `split_half`, Spearman's rho of two halves of people, and `spearman_brown`, what it makes of all of them.
        `why` where there are too few contestants, or no item that two people answered.
    """
    shared = set(people["item_id"]) & set(judge["item_id"])
    people, judge = (rows[rows["item_id"].isin(shared)] for rows in (people, judge))
    names = sorted(set(people["contestant"]) & set(judge["contestant"]))
    people, judge = (_among(rows, set(names)) for rows in (people, judge))
    found = {"contestants": len(names), "items": len(shared)}
    if len(names) < LEAST:
        return found | {"why": f"fewer than {LEAST} contestants that both rated: two have no ranking to agree on"}
    ours, theirs = scores(people, names, draws, PERSON), scores(judge, names, draws)
    found["scores"] = {
        source: {name: draws.told(values[:, i]) for i, name in enumerate(names)}
        for source, values in (("people", ours), ("judge", theirs))
    }
    found |= draws.told(kendall(ours, theirs), "tau", "tau_ci", -1, 1)
    found |= draws.told(spearman(ours, theirs), "spearman", "spearman_ci", -1, 1)
    found["people"] = _between(people, judge, names, draws, rng)
    return found


def _among(rows: pd.DataFrame, names: set) -> pd.DataFrame:
    return rows[rows["contestant"].isin(names) & rows["opponent"].isin({"", *names})]


def _between(
    people: pd.DataFrame, judge: pd.DataFrame, names: Sequence[str], draws: Draws, rng: np.random.Generator
) -> dict:
    """People's rankings beside each other: means over `SPLITS` random splits of the people of each item."""
    several = people.groupby("item_id")["worker_id"].transform("nunique") > 1
    people = people[several]
    if people.empty:
        return {"items": 0, "why": "no item was answered by two people"}
    judge = judge[judge["item_id"].isin(set(people["item_id"]))]
    theirs = scores(judge, names, draws)
    (one, rest), (first, second) = _split(people.reset_index(drop=True), names, draws, rng)
    kept: dict[str, list[np.ndarray]] = {"tau": [], "judge_tau": [], "split_half": []}
    for split in range(SPLITS):
        kept["tau"].append(kendall(one[:, split], rest[:, split]))
        kept["judge_tau"].append(kendall(theirs, rest[:, split]))
        kept["split_half"].append(spearman(first[:, split], second[:, split]))
    means = {key: _mean(values) for key, values in kept.items()}
    half = means["split_half"]
    means["spearman_brown"] = np.where(half > -1, 2 * half / np.where(half > -1, 1 + half, 1), np.nan)
    means["difference"] = means["judge_tau"] - means["tau"]
    found = {"items": int(people["item_id"].nunique()), "splits": SPLITS}
    for key, values in means.items():
        most = 2 if key == "difference" else 1
        found |= draws.told(values, key, f"{key}_ci", -most, most)
    return found


def _split(people: pd.DataFrame, names: Sequence[str], draws: Draws, rng: np.random.Generator) -> list[tuple]:
    """Scores (draws, splits, names) of one person an item and of all others; and of either half of the people."""
    item = pd.factorize(people["item_id"])[0]
    worker = pd.factorize(people["worker_id"])[0]
    pair, whose = np.unique(item * (worker.max() + 1) + worker, return_inverse=True)
    home = pair // (worker.max() + 1)
    size = np.bincount(home)
    parts: list[list[np.ndarray]] = [[], []]
    for _ in range(SPLITS):
        order = np.lexsort((rng.random(len(pair)), home))
        rank = np.empty(len(pair), dtype=int)
        rank[order] = np.arange(len(pair)) - np.repeat(np.cumsum(size) - size, size)
        for kept, many in zip(parts, (np.ones_like(size), size // 2), strict=True):
            kept.append(np.flatnonzero((rank < many[home])[whose]))
    whole = _sums(people, names, draws, PERSON)
    found = []
    for kept in parts:
        split = np.repeat(np.arange(SPLITS), [len(rows) for rows in kept])
        own = _sums(people.iloc[np.concatenate(kept)], names, draws, PERSON, split, SPLITS)
        found.append((_means(own), _means(whole - own)))
    return found


def _mean(values: list[np.ndarray]) -> np.ndarray:
    stacked = np.array(values)
    known = np.isfinite(stacked)
    return ratio(np.where(known, stacked, 0).sum(axis=0), known.sum(axis=0))
