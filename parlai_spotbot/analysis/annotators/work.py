"""Work of annotators in any survey: one row for each annotator, with the flags that it raises.

The flags are those of `table`, so that who collects answers and who analyses them looks at the same annotators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators.rules import Rules
from parlai_spotbot.analysis.annotators.table import Annotator, flags, limits_broken, right, with_speed, worked
from parlai_spotbot.records import ADDITIONAL, Conversation, Judgement

ABOUT_ITEMS = ("worker_id", "annotation_id", "unit_id", "conversation_id", "k", "seconds", "answers")
LABELS = ("worker_id", "nature", "name")
OF_THEMSELVES = "annotator"
"""The target of what annotators say of themselves."""

WORK = ("n", "units", "median_seconds", "speed", "same_answers", "flags")


def work_table(
    judgements: Sequence[Judgement], conversations: Mapping[str, Conversation], rules: Rules | None = None
) -> pd.DataFrame:
    """One row an annotator of one survey, index `worker_id`, columns `WORK` (see `annotator_table`).

    Controls, further questions and what annotators say of themselves don't count; who gave nothing else has no row.
    `same_answers` is by all answers to an item. The rules on labels take it that "nature" asks who is human.
    """
    rules = Rules() if rules is None else rules
    rows = [row for row in judgements if _counts(row)]
    annotations, labels = with_speed(_annotations(rows)), _labels(rows, conversations)
    by_worker = dict(iter(labels.groupby("worker_id")))
    group_rows = {}
    for worker, work in annotations.groupby("worker_id", sort=True):
        label_rows = by_worker.get(worker, labels.iloc[:0])
        row = {**worked(work), **right(label_rows)}
        group_rows[worker] = {
            **row,
            "flags": flags(Annotator(row, label_rows, work), rules) + limits_broken(work, rules),
        }
    return pd.DataFrame.from_dict(group_rows, orient="index", columns=list(WORK))


def _counts(row: Judgement) -> bool:
    return row.control is None and row.target != OF_THEMSELVES and not row.question.startswith(ADDITIONAL)


def _annotations(rows: Iterable[Judgement]) -> pd.DataFrame:
    """One row an annotation; `k` are the exchanges that were open at the end."""
    answers: dict[str, dict[tuple[str, str], str]] = {}
    first: dict[str, Judgement] = {}
    k: dict[str, int] = {}
    for row in rows:
        name = row.annotation_id
        first.setdefault(name, row)
        answers.setdefault(name, {}).setdefault((row.target, row.question), repr(row.answer))
        k[name] = max(k.get(name, 0), row.exchanges)
    group_rows = [
        {
            "worker_id": row.worker_id,
            "annotation_id": name,
            "unit_id": row.unit_id,
            "conversation_id": next(iter(row.conversation_ids), ""),
            "k": k[name],
            "seconds": np.nan if row.seconds is None else row.seconds,
            "answers": tuple(sorted(answers[name].items())),
        }
        for name, row in first.items()
    ]
    return pd.DataFrame(group_rows, columns=list(ABOUT_ITEMS))


def _labels(rows: Iterable[Judgement], conversations: Mapping[str, Conversation]) -> pd.DataFrame:
    """One row a labelled entity: who it is said to be, and who it is."""
    labels: dict[tuple[str, str], dict] = {}
    for row in rows:
        talk = next(iter(row.conversation_ids), "")
        if row.question == "nature" and talk in conversations:
            name = conversations[talk].entities[int(row.target.rpartition(":")[2])]
            entry = {"worker_id": row.worker_id, "nature": row.answer, "name": name}
            labels.setdefault((row.annotation_id, row.target), entry)
    return pd.DataFrame(list(labels.values()), columns=list(LABELS))
