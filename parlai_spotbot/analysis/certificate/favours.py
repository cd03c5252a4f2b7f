"""Whom or what a judge favours: how much more often than people it gives an answer to some rows than to the others.

The excess of a row is 1 where the verdict is the answer, less 1 where the label is. It is compared between a group of
rows (a bot, the judge's own family, long conversations, the order shown) and all others; what is common to both, a
judge that says an answer too often of everybody, favours nobody.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from parlai_spotbot.analysis.certificate.agreement import share_of
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import LEVEL

KINDS = ("bot", "family", "length", "order")
"""Columns of a frame by which a judge may favour rows."""

COLUMNS = ["kind", "group", "answer", "estimate", "low", "high", "surely_low", "surely_high", "n"]

FEW = 2
"""A group of fewer rows says nothing."""


def favours(table: LabelledVerdicts) -> pd.DataFrame:
    """Return a row for each kind of group, group and answer (of two answers the first): columns `COLUMNS`.

    `surely_low` and `surely_high` are ends that hold for all rows of the frame together (Bonferroni).
    """
    groups = {kind: _grouped(table.frame[kind], kind) for kind in KINDS if kind in table.frame}
    rows = [row for kind, names in groups.items() for row in _of_kind(table, kind, names)]
    frame = pd.DataFrame(rows, columns=[*COLUMNS[:6], "df", "n"])
    df = frame["df"].to_numpy(dtype=float)
    upper = 1 - (1 - LEVEL) / 2 / max(len(frame), 1)
    with np.errstate(invalid="ignore"):
        wider = stdtrit(df, upper) / stdtrit(df, (1 + LEVEL) / 2)
    frame["surely_low"] = frame["estimate"] - (frame["estimate"] - frame["low"]) * wider
    frame["surely_high"] = frame["estimate"] + (frame["high"] - frame["estimate"]) * wider
    return frame[COLUMNS]


def _grouped(values: pd.Series, kind: str) -> pd.Series:
    """Return the group of each row: lengths are long above the median, else short."""
    if kind != "length":
        return values.astype(str)
    middle = values.astype(float).median()
    return pd.Series(np.where(values.astype(float) > middle, "long", "short"), index=values.index)


def _of_kind(table: LabelledVerdicts, kind: str, names: pd.Series) -> list[tuple]:
    group, values = pd.factorize(names, sort=True)
    sizes = np.bincount(group)
    answers = range(len(table.levels))
    if len(table.levels) == 2:
        answers = range(1)
    rows = []
    compared = range(len(values))
    if len(values) == 2:  # what one is favoured by, the other is disfavoured by
        compared = range(1)
    for answer in answers if len(values) > 1 else ():
        excess = 1.0 * (table.verdict == answer) - (table.label == answer)
        means = group_means(excess, group, len(values), table.clusters, (-1, 1))
        for place in compared:
            if sizes[place] < FEW or sizes.sum() - sizes[place] < FEW:
                continue
            others = np.where(np.arange(len(values)) == place, 0, sizes)
            weights = -others / others.sum()
            weights[place] = 1
            found = means.contrast(weights)
            name = (kind, values[place], table.levels[answer])
            rows.append((*name, found["estimate"], *found["ci"], found["df"], sizes[place]))
    return rows


def flips(table: LabelledVerdicts) -> Mapping[str, float]:
    """Return how often the order changed the verdict, of the items judged in several orders: n, flips, estimate, low
    and high; {} where there are none."""
    if table.item is None or "order" not in table.frame:
        return {}
    frame = pd.DataFrame({"item": table.item, "order": table.frame["order"], "verdict": table.verdict})
    by_item = frame.assign(place=np.arange(table.rows)).groupby("item")
    counts = by_item.agg(orders=("order", "nunique"), verdicts=("verdict", "nunique"), place=("place", "first"))
    both = counts[counts["orders"] > 1]
    if both.empty:
        return {}
    changed = (both["verdicts"] > 1).to_numpy(dtype=float)
    talks = table.clusters.take(both["place"].to_numpy())
    share, ends = share_of(changed, np.ones(len(both)), talks)
    return {"n": len(both), "flips": int(changed.sum()), "estimate": share, "low": ends[0], "high": ends[1]}
