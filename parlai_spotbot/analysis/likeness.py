"""Likeness of a group to people: differences of means measure by measure, and the User-Sim Index.

A measure differs if the adjusted test says so, and is alike if the whole interval of the difference lies within half of
the standard deviation among people (two one-sided tests; Schuirmann 1987); else it isn't known. A group is like people
if it is in all measures, which needs no correction (intersection–union; Berger 1982).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import comb

from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.values import Interval, ratio

MARGIN = 0.5
"""Of people's standard deviation: within it a group is like people."""

SETTLED = 0.4
"""Of the margin: with an interval that is half so wide, a group that is like people is nearly always found to be."""

ALIKE = "alike"
DIFFERENT = "different"
UNKNOWN = "not known"

SIGNIFICANT = 0.05

FEW = 10
"""Fewer conversations don't say how many are needed."""

Z = 1.96

PLANNED = int(np.ceil(2 * (Z / (SETTLED * MARGIN)) ** 2))
"""Conversations of a group, and of people, that say whether the two are alike, where nothing else tells how many."""

CONTRASTS = {"value": (0.0, 1.0), "people": (1.0, 0.0), "difference": (-1.0, 1.0)}
"""Weights of people's mean and of the group's."""


@dataclass(frozen=True)
class Measure:
    """Description of a measure: the `least` margin, where people hardly vary, and the `bounds` of its values."""

    least: float
    bounds: Interval | None = None


def differences(
    values: pd.DataFrame, measures: Mapping[str, Measure], pairs: Iterable[tuple[str, str]]
) -> pd.DataFrame:
    """Compare groups of conversations with people's, or any two groups.

    Parameters
    ----------
    values : frame
        A row a conversation: name (of the group), task, person, and a column a measure, NaN where it has none.
        Conversations of one task, or of one person, are dependent; of few persons no p is below 2 of all ways in which
        they could be of either group.
    pairs : iterable of two names each
        A group, and people or the group that takes their place.

    Returns
    -------
    frame
        A row a pair and measure: name, other, measure, value and people with low and high, people_10 and people_90
        (this many per cent of people are below), difference with low and high, its se, standard with low and high (in
        standard deviations of people), margin, n and n_people (conversations), tasks (that both have; 0: all count as
        they are), p, p_adjusted (Holm, over all rows), verdict, and needed (conversations that would settle it; NaN
        where it is settled, or nothing says that).
    """
    rows = []
    for name, people in pairs:
        both = values[values["name"].isin([name, people])]
        for measure, about in measures.items():
            measured = both[["name", "task", "person", measure]].dropna()
            row = _difference(measured, measure, about, people)
            rows.append({"name": name, "other": people, "measure": measure, **row})
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    frame["p_adjusted"] = adjust_known(frame["p"])
    within = (frame["difference_low"] >= -frame["margin"]) & (frame["difference_high"] <= frame["margin"])
    differs = frame["p_adjusted"] < SIGNIFICANT
    frame["verdict"] = np.select([within, differs], [ALIKE, DIFFERENT], UNKNOWN)
    half = (frame["difference_high"] - frame["difference_low"]) / 2
    power = np.where(frame["se"] > 0, 2, 1)  # an exact bound of what doesn't vary shrinks faster
    needed = np.ceil(frame["n"] * (half / (SETTLED * frame["margin"])) ** power)
    reported = (frame["verdict"] == UNKNOWN) & (frame["n"] >= FEW) & np.isfinite(needed)
    frame["needed"] = needed.clip(lower=frame["n"] + 1).where(reported)
    return frame


def _difference(rows: pd.DataFrame, measure: str, about: Measure, people: str) -> dict[str, float]:
    """Return the figures of a measure whose values for a group and for people are known."""
    people_values = rows.loc[rows["name"] == people, measure].astype(float)
    compared, tasks = _by_task(rows, measure)
    of_group = (compared["name"] != people).to_numpy(dtype=int)
    persons = compared.get("person")
    estimates = group_means(compared[measure], of_group, 2, Clusters.by(compared["task"], persons), about.bounds)
    contrasts = estimates.contrasts(np.array(list(CONTRASTS.values())))
    row: dict[str, float] = {}
    for end, column in (("", "estimate"), ("_low", "low"), ("_high", "high")):
        row |= {f"{name}{end}": value for name, value in zip(CONTRASTS, contrasts[column], strict=True)}
    margin = np.fmax(MARGIN * people_values.std(), about.least)
    row |= {f"standard{end}": MARGIN * row[f"difference{end}"] / margin for end in ("", "_low", "_high")}
    p = np.nan
    if not np.isnan(row["difference_low"]):
        p = max(contrasts["p"].iloc[-1], _least_p(persons, of_group))
    row["se"] = contrasts["se"].iloc[-1]
    counts = {"n": len(rows) - len(people_values), "n_people": len(people_values), "tasks": tasks}
    return (
        row
        | counts
        | {"people_10": people_values.quantile(0.1), "people_90": people_values.quantile(0.9), "margin": margin, "p": p}
    )


def _least_p(persons: pd.Series | None, of_group: np.ndarray) -> float:
    """Return the least p that can be: 2 of all ways in which persons with several conversations could be of either
    group (`of_group` is 0 or 1); 0 where nobody has several."""
    if persons is None:
        return 0.0
    one, other = persons.groupby(of_group).nunique()
    return 2 / comb(one + other, one)


def _by_task(rows: pd.DataFrame, measure: str) -> tuple[pd.DataFrame, int]:
    """Return the means by task of those tasks that both groups have, and how many they are; the conversations
    themselves, and 0, if fewer than two are. Where persons have several conversations the means are by person, too."""
    by = ["task", "name"]
    if rows["person"].duplicated().any():
        by.append("person")
    else:
        rows = rows.drop(columns="person")
    cells = rows.groupby(by, as_index=False)[measure].mean()
    common = cells[cells.groupby("task")["name"].transform("nunique") > 1]
    tasks = common["task"].nunique()
    if tasks < 2:
        return rows, 0
    return common, tasks


def verdict_of(verdicts: Iterable[str]) -> str:
    """Return the verdict on all of several: different if one is, alike if all are."""
    seen = set(verdicts)
    if DIFFERENT in seen:
        return DIFFERENT
    if seen == {ALIKE}:
        return ALIKE
    return UNKNOWN


# -- the User-Sim Index ------------------------------------------------------------------------------------------------
def behaviour_index(
    values: pd.DataFrame, parts: Mapping[str, Sequence[str]], people: str, rng: np.random.Generator, replicates: int
) -> pd.DataFrame:
    """Return the parts of the User-Sim Index that are about behaviour, and their mean, each from 0 to 100.

    Of each feature the index has the Sørensen–Dice similarity 2 min(m, h) / (m + h) of the means m of a group's
    conversations and h of people's, 1 if both are 0; a part is the mean of its features' (Zhou et al. 2026, D1 to D4).

    Returns
    -------
    frame
        name, part ("behaviour": the mean of the four), value with low and high (normal, by a bootstrap of tasks), and
        people: the same of halves of people, drawn at random, beside each other.
    """
    similar = partial(_similar, values, parts)
    human = (values["name"] == people).to_numpy()
    halves = human & (rng.random((replicates, len(human))) < 0.5)
    beside = pd.DataFrame(similar(halves, human & ~halves)).mean().to_numpy()  # where both halves have somebody
    bootstrap = ClusterBootstrap(values["task"], rng=rng, replicates=replicates)
    rows = []
    for name in [name for name in dict.fromkeys(values["name"]) if name != people]:
        group = (values["name"] == name).to_numpy()
        index = similar(group[None], human[None])[0]
        drawn = bootstrap.samples(lambda weights, group=group: similar(weights * group, weights * human))
        half = Z * pd.DataFrame(drawn).std().to_numpy()
        low = np.maximum(index - half, 0)
        high = np.minimum(index + half, 100)
        columns = {"name": name, "part": [*parts, "behaviour"], "value": index, "value_low": low, "value_high": high}
        rows.append(pd.DataFrame({**columns, "people": beside}))
    return pd.concat(rows, ignore_index=True)


def _similar(
    values: pd.DataFrame, parts: Mapping[str, Sequence[str]], one: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Return the parts and their mean (b, 5) of conversations with the weights `one` (b, n) beside `other`."""
    similar = []
    for features in parts.values():
        table = values[list(features)].to_numpy(dtype=float)
        first, second = (ratio(weights @ table, weights.sum(axis=1, keepdims=True)) for weights in (one, other))
        dice = ratio(2 * np.minimum(first, second), first + second, 1.0)
        similar.append(100 * np.where(np.isnan(first + second), np.nan, dice).mean(axis=1))
    return np.column_stack([*similar, np.mean(similar, axis=0)])
