"""A judge's favours: how much more often than people it gives an answer to some rows than to the others.

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

FEW = 2
"""A group of fewer rows says nothing."""


def favours(table: LabelledVerdicts) -> list[dict]:
    """Return a record for each kind of group, group and answer (of two answers, or groups, the first).

    Intervals hold for all records together (Bonferroni); `surely` is the part of the estimate that is beyond doubt.
    """
    records: list[dict] = []
    for kind in KINDS:
        if kind in table.frame:
            records += _of_kind(table, kind, _groups(table.frame[kind], kind))
    upper = 1 - (1 - LEVEL) / 2 / max(len(records), 1)
    for record in records:
        df = record.pop("df")
        wider = stdtrit(df, upper) / stdtrit(df, (1 + LEVEL) / 2)
        for end in ("low", "high"):
            record[end] = float(np.clip(record["estimate"] + wider * (record[end] - record["estimate"]), -2, 2))
        record["surely"] = max(0.0, record["low"], -record["high"])  # 0 beside NaN
    return records


def _groups(values: pd.Series, kind: str) -> pd.Series:
    """Return the group of each row: lengths are long above the median, else short; a family is its own, or another."""
    if kind == "family":
        return values.map({True: "its own", False: "others"})
    if kind != "length":
        return values.astype(str)
    return (values > values.median()).map({True: "long", False: "short"})


def _of_kind(table: LabelledVerdicts, kind: str, groups: pd.Series) -> list[dict]:
    group, names = pd.factorize(groups, sort=True)
    sizes = np.bincount(group)
    answers = table.levels
    if len(answers) == 2:
        answers = answers[:1]
    records = []
    for code, answer in enumerate(answers):
        excess = 1.0 * (table.verdict == code) - (table.label == code)
        means = group_means(excess, group, len(names), table.clusters, (-1, 1))
        # Of two groups, what favours one disfavours the other.
        for place in range(len(names) - (len(names) <= 2)):
            others = np.where(np.arange(len(names)) == place, 0, sizes)
            if min(sizes[place], others.sum()) < FEW:
                continue
            contrast = means.contrast(np.where(others, -others / others.sum(), 1))
            ends = {"low": contrast["ci"][0], "high": contrast["ci"][1], "df": contrast["df"]}
            record = {"kind": kind, "group": names[place], "answer": answer, "estimate": contrast["estimate"]}
            records.append({**record, **ends, "n": int(sizes[place])})
    return records


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
