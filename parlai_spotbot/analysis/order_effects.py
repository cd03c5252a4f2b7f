"""Effects of position, of the order of the bots, and of presentation on the answers.

Every two bots should have met as often in either order: then the advantage of a place falls on both alike. Where it
was not so, the balanced difference below, and Davidson's order effect, are without it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import check_ids
from parlai_spotbot.analysis.uncertainty.clusters import codes_of, frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import Estimates, mean_of
from parlai_spotbot.records import HUMAN

CLUSTERS = ["conversation_id", "worker_id"]
DIFFERENCE = (-1.0, 1.0)
"""The range of differences between shares."""

BY = ("conversations", "k", "pair", "name")


def position_effects(annotations: pd.DataFrame, by: str = "conversations", crossed: bool = True) -> pd.DataFrame:
    """Compute how often entity 0 is called human, and entity 1.

    Parameters
    ----------
    by : str
        "conversations" (of bots, of people), "k" (bots' by length), "pair" (of bots), or "name" (each bot, in either
        place; the difference is then between annotations, as in `balanced`).
    crossed : bool
        Whether annotators are a sample, as conversations are: people are, the variants of a judge aren't.

    Returns
    -------
    frame
        One row a group: group, n (annotations; of a name, its labels), human_0, human_1 (shares), difference, low,
        high, p, p_adjusted (Holm); balanced, balanced_low, balanced_high, balanced_p: the difference between the places
        for the same bot against the same opponent at the same length, which no unbalanced order can bring about, NaN
        where no bot was in both places. Annotations of one conversation, or by one annotator, count as
        dependent.
    """
    if by not in BY:
        raise ValueError(f"by is {by!r}, expected one of {', '.join(BY)}")
    check_ids(annotations, "annotations")
    if by == "name":
        return _finished([_by_name(annotations, name, crossed) for name in _bots(annotations)])
    rows = []
    people = annotations["a"] == HUMAN
    group_rows = annotations if by == "conversations" else annotations[~people]
    for group, part in group_rows.groupby(_groups(group_rows, by), sort=True):
        taken = [(part[f"nature{e}"] == HUMAN).to_numpy(dtype=float) for e in (0, 1)]
        mean = mean_of(taken[0] - taken[1], frame_clusters(part, crossed), bounds=DIFFERENCE)
        row = {"group": group, "n": len(part), "human_0": taken[0].mean(), "human_1": taken[1].mean()}
        rows.append(row | _effect(mean) | _effect(_balanced(_labels(part), crossed), "balanced"))
    return _finished(rows)


def _bots(annotations: pd.DataFrame) -> list[str]:
    return sorted((set(annotations["a"]) | set(annotations["b"])) - {HUMAN})


def _groups(annotations: pd.DataFrame, by: str) -> pd.Series:
    if by == "k":
        return annotations["k"].astype(int)
    if by == "conversations":
        return annotations["a"].eq(HUMAN).map({True: "people", False: "bots"})
    return _pairs(annotations)


def _pairs(annotations: pd.DataFrame) -> pd.Series:
    names = [" – ".join(sorted(pair)) for pair in zip(annotations["a"], annotations["b"], strict=True)]
    return pd.Series(names, index=annotations.index, dtype=object)


def _effect(mean: dict, name: str = "") -> dict[str, float]:
    prefix = f"{name}_" if name else ""
    return {
        name or "difference": mean["estimate"],
        f"{prefix}low": mean["ci"][0],
        f"{prefix}high": mean["ci"][1],
        f"{prefix}p": mean["p"],
    }


def _labels(part: pd.DataFrame) -> pd.DataFrame:
    """One row a label: who, against whom, at which length, in which place, whether taken for human."""
    both = {name: np.tile(part[name].to_numpy(), 2) for name in (*CLUSTERS, "k")}
    names = {"name": np.concatenate([part["a"], part["b"]]), "opponent": np.concatenate([part["b"], part["a"]])}
    taken = np.concatenate([part["nature0"] == HUMAN, part["nature1"] == HUMAN]).astype(float)
    return pd.DataFrame({**both, **names, "entity": np.repeat([0, 1], len(part)), "taken": taken})


def _balanced(labels: pd.DataFrame, crossed: bool) -> dict:
    """The difference between the places within cells of bot, opponent and length, cells weighted as their data allow.

    The weights are those of Mantel and Haenszel, n₀ n₁ / (n₀ + n₁).
    """
    cell = codes_of(list(zip(labels["name"], labels["opponent"], labels["k"], strict=True)))
    place, taken = labels["entity"].to_numpy(), labels["taken"].to_numpy()
    size = np.stack([np.bincount(cell[place == e], minlength=cell.max() + 1) for e in (0, 1)])
    sums = np.stack([np.bincount(cell[place == e], taken[place == e], cell.max() + 1) for e in (0, 1)])
    mean = sums / np.maximum(size, 1)
    weight = size[0] * size[1] / np.maximum(size.sum(axis=0), 1)
    total = weight.sum()
    if total == 0:
        return mean_of([], frame_clusters(labels, crossed))
    estimate = (weight * (mean[0] - mean[1])).sum() / total
    # What each label weighs in the estimate, and adds to its error.
    weighs = np.where(place == 0, 1.0, -1.0) * weight[cell] / np.maximum(size[place, cell], 1) / total
    spread = frame_clusters(labels, crossed).spread(weighs * (taken - mean[place, cell]), weighs**2)
    return Estimates(np.array([estimate]), spread, DIFFERENCE).contrast(np.ones(1))


def _by_name(annotations: pd.DataFrame, name: str, crossed: bool) -> dict:
    rows = _labels(annotations[(annotations["a"] != HUMAN)])
    rows = rows[rows["name"] == name].reset_index(drop=True)
    taken = [rows["taken"][rows["entity"] == e] for e in (0, 1)]
    # One cell for all opponents and lengths: the plain difference.
    plain = _balanced(rows.assign(opponent="", k=0), crossed)
    row = {"group": name, "n": len(rows), "human_0": taken[0].mean(), "human_1": taken[1].mean()}
    return row | _effect(plain) | _effect(_balanced(rows, crossed), "balanced")


def _finished(rows: list[dict]) -> pd.DataFrame:
    columns = [
        "group",
        "n",
        "human_0",
        "human_1",
        "difference",
        "low",
        "high",
        "p",
        "balanced",
        "balanced_low",
        "balanced_high",
        "balanced_p",
    ]
    table = pd.DataFrame(rows, columns=columns)
    table.insert(8, "p_adjusted", adjust_known(table["p"].to_numpy(dtype=float)))
    return table
