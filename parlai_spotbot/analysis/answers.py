"""Answers as a long frame: one row an answer, whatever the survey asks, of which targets, and of how many
conversations.

Controls, answers to further questions of a launch and incomplete annotations are left out here, once for all
statistics, and counted by reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from parlai_spotbot.analysis.frames import check_worker
from parlai_spotbot.records import ADDITIONAL, Conversation, Item, Judgement
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.survey import Survey

COLUMNS = (
    "source", "worker_id", "annotation_id", "unit_id", "item_id", "conversation_id", "conversation_ids", "question",
    "target", "answer", "exchanges", "seconds", "number",
)  # fmt: skip


@dataclass(frozen=True)
class Answers:
    """The frame of answers (columns `COLUMNS`) and, by source, how many were left out and why.

    `conversation_id` is the first of `conversation_ids`; `number` is the judgement's place, from 1.
    """

    frame: pd.DataFrame
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)


def answers_frame(
    judgements: Sequence[Judgement],
    conversations: Iterable[Conversation],
    items: Mapping[str, Item] | None = None,
    survey: Survey | None = None,
) -> Answers:
    """One row an answer; controls, further questions, second answers and incomplete annotations are left out, counted.

    Parameters
    ----------
    items, survey : optional
        By these an annotation is found incomplete: a required question that its item asks wasn't answered. One of an
        item that isn't there is complete as it is.

    Raises
    ------
    ValueError
        Names the judgement (numbered from 1) whose conversations or annotator are unknown or missing.
    """
    known = {conversation.conversation_id for conversation in conversations}
    left_out: dict[str, dict[str, int]] = {}
    rows: dict[tuple[str, str], dict[tuple[str, str], tuple]] = {}
    controls: set[tuple[str, str]] = set()
    for number, row in enumerate(judgements, start=1):
        key = (row.source, row.annotation_id)
        if row.control is not None:
            if key not in controls:
                _count(left_out, row.source, "control")
            controls.add(key)
        elif row.question.startswith(ADDITIONAL):
            _count(left_out, row.source, "answer to a further question of the launch")
        elif (row.question, row.target) in rows.get(key, {}):
            _count(left_out, row.source, "answer given twice (the first one counts)")
        else:
            rows.setdefault(key, {})[row.question, row.target] = _row(row, number, known)
    complete = []
    for (source, _), own in rows.items():
        first = next(iter(own.values()))
        item = (items or {}).get(first[COLUMNS.index("item_id")])
        if item is not None and survey is not None and lacking(survey, item, own):
            _count(left_out, source, "incomplete annotation")
        else:
            complete += own.values()
    frame = pd.DataFrame(complete, columns=list(COLUMNS))
    frame["seconds"] = frame["seconds"].astype(float)
    frame = frame.sort_values(["source", "annotation_id", "number"], kind="stable").reset_index(drop=True)
    return Answers(frame, left_out)


def lacking(survey: Survey, item: Item, own: Mapping[tuple[str, str], tuple]) -> list[tuple[str, str]]:
    """The required questions and targets that an annotation of `item` with the rows `own` leaves open."""
    given = {pair: row[COLUMNS.index("answer")] for pair, row in own.items()}
    required = {question.name for question in survey.questions if question.required}
    return [pair for pair in asked_of_item(survey, item, given) if pair[0] in required and pair not in given]


def _count(left_out: dict[str, dict[str, int]], source: str, reason: str, by: int = 1) -> None:
    reasons = left_out.setdefault(source, {})
    reasons[reason] = reasons.get(reason, 0) + by


def _row(row: Judgement, number: int, known: Collection[str]) -> tuple:
    where = f"judgement {number} ({row.judgement_id})"
    if not row.conversation_ids:
        raise ValueError(f"{where}: conversation_ids is empty, expected one or two")
    for identity in row.conversation_ids:
        if identity not in known:
            raise ValueError(f"{where}: conversation_ids names '{identity}', which is not among the conversations")
    check_worker(row, where)
    return (row.source, row.worker_id, row.annotation_id, row.unit_id, row.item_id, row.conversation_ids[0],
            tuple(row.conversation_ids), row.question, row.target, row.answer, row.exchanges, row.seconds,
            number)  # fmt: skip
