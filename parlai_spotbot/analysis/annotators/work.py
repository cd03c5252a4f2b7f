"""The table of annotators from judgements, in any survey.

The commands that collect answers and those that analyse them use it, so both show the same flags.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators.table import annotator_table
from parlai_spotbot.records import ADDITIONAL, Conversation, Judgement

WORK = ("worker_id", "unit_id", "conversation_id", "k", "seconds", "answers")
LABELS = ("worker_id", "nature", "name")
OF_THEMSELVES = "annotator"
"""Target of annotators' answers about themselves."""


def work_table(
    judgements: Sequence[Judgement], conversations: Mapping[str, Conversation], max_units: int | None
) -> pd.DataFrame:
    """Return `annotator_table` of one survey's judgements.

    Controls, further questions and what annotators answer about themselves don't count; who answered nothing else has
    no row. Labels are the answers to the question "nature".
    """
    rows = [
        row
        for row in judgements
        if row.control is None and row.target != OF_THEMSELVES and not row.question.startswith(ADDITIONAL)
    ]
    return annotator_table(_annotations(rows), _labels(rows, conversations), max_units)


def _annotations(rows: Iterable[Judgement]) -> pd.DataFrame:
    """Return one row per annotation; `k` is the largest number of exchanges that were shown."""
    work: dict[str, dict] = {}
    for row in rows:
        annotation = work.setdefault(row.annotation_id, {"worker_id": row.worker_id, "unit_id": row.unit_id, "k": 0})
        annotation.setdefault("conversation_id", next(iter(row.conversation_ids), ""))
        annotation.setdefault("seconds", np.nan if row.seconds is None else row.seconds)
        annotation.setdefault("answers", {}).setdefault((row.target, row.question), repr(row.answer))
        annotation["k"] = max(annotation["k"], row.exchanges)
    for annotation in work.values():
        annotation["answers"] = tuple(sorted(annotation["answers"].items()))
    return pd.DataFrame(list(work.values()), columns=list(WORK))


def _labels(rows: Iterable[Judgement], conversations: Mapping[str, Conversation]) -> pd.DataFrame:
    """Return one row per labelled entity: the label, and who it is."""
    labels: dict[tuple[str, str], tuple] = {}
    for row in rows:
        talk = next(iter(row.conversation_ids), "")
        if row.question == "nature" and talk in conversations:
            name = conversations[talk].entities[int(row.target.rpartition(":")[2])]
            labels.setdefault((row.annotation_id, row.target), (row.worker_id, row.answer, name))
    return pd.DataFrame(list(labels.values()), columns=list(LABELS))
