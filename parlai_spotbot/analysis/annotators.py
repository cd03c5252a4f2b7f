"""How well each annotator tells bots from people (appendix G, Table 9 of the paper).

Identity is known here, so correctness can be measured. Most entities are bots, so always answering "bot" is mostly
"correct": balanced accuracy, sensitivity and bias (signal detection) say more.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm

from parlai_spotbot.records import HUMAN

ENOUGH = 20
"""So many entities an annotator must have labelled before a flag is raised on what they answered."""


def annotator_table(annotations: pd.DataFrame, entities: pd.DataFrame, limits: bool = True) -> pd.DataFrame:
    """One row an annotator, index `worker_id`.

    Columns: `n` annotations; `correct`, share right of the labels that are not unsure (the paper's);
    `balanced_accuracy`, mean of the shares right on bots and on people; `sensitivity` d' and `bias` c of calling an
    entity a bot (c > 0: slow to say "bot"), with 1/2 added to every count (Hautus 1995); `median_seconds`; `flags`, a
    list. Unsure counts as half a "bot", so guessing has balanced accuracy .5. NaN where an annotator saw no bots, or no
    people. `limits` says whether an annotator should see only one segment of a conversation, as people do; others are
    flagged.
    """
    rows = {}
    for worker, own in entities.groupby("worker_id", sort=True):
        called = own["nature"].map({"bot": 1.0, "unsure": 0.5, "human": 0.0}).to_numpy()
        is_bot = (own["name"] != HUMAN).to_numpy()
        sure = called != 0.5
        mine = annotations[annotations["worker_id"] == worker]
        rows[worker] = {
            "n": len(mine),
            "correct": float((called[sure] == is_bot[sure]).mean()) if sure.any() else np.nan,
            **_detection(called, is_bot),
            "median_seconds": float(mine["seconds"].median()),
        }
        rows[worker]["flags"] = _flags(rows[worker], own) + (_limits_broken(mine) if limits else [])
    columns = ["n", "correct", "balanced_accuracy", "sensitivity", "bias", "median_seconds", "flags"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def _detection(called: np.ndarray, is_bot: np.ndarray) -> dict[str, float]:
    bots, people = called[is_bot], called[~is_bot]
    if not len(bots) or not len(people):
        return {"balanced_accuracy": np.nan, "sensitivity": np.nan, "bias": np.nan}
    hit = norm.ppf((bots.sum() + 0.5) / (len(bots) + 1))
    false_alarm = norm.ppf((people.sum() + 0.5) / (len(people) + 1))
    return {
        "balanced_accuracy": float((bots.mean() + 1 - people.mean()) / 2),
        "sensitivity": float(hit - false_alarm),
        "bias": float(-(hit + false_alarm) / 2),
    }


def _flags(row: dict, entities: pd.DataFrame) -> list[str]:
    flags = []
    if len(entities) >= ENOUGH and entities["nature"].nunique() == 1:
        flags.append("always the same label")
    if len(entities) >= ENOUGH and row["balanced_accuracy"] < 0.5:
        flags.append("worse than guessing")
    return flags


def _limits_broken(annotations: pd.DataFrame) -> list[str]:
    if annotations.duplicated(["conversation_id", "k"]).any():
        return ["same segment twice"]
    if annotations.duplicated("conversation_id").any():
        return ["two segments of one conversation"]
    return []


def summary(table: pd.DataFrame) -> dict:
    """Over annotators: how many, the means of Table 9's columns, the share that does worse than guessing."""
    known = table["balanced_accuracy"].dropna()
    return {
        "n": len(table),
        "correct": float(table["correct"].mean()),
        "balanced_accuracy": float(known.mean()) if len(known) else np.nan,
        "share_worse_than_guessing": float((known < 0.5).mean()) if len(known) else np.nan,
        "flagged": int((table["flags"].map(len) > 0).sum()),
    }
