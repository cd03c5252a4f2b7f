"""TidyAnswers as a long frame: one row an answer, whatever the survey asks, of which targets, and of how many
conversations.

Controls, answers to further questions of a launch and incomplete annotations are left out here, once for all
statistics, and counted by reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from parlai_spotbot.records import ADDITIONAL, Conversation, Judgement

COLUMNS = (
    "source",
    "worker_id",
    "annotation_id",
    "unit_id",
    "item_id",
    "conversation_id",
    "conversation_ids",
    "question",
    "target",
    "answer",
    "exchanges",
    "seconds",
    "number",
    "judgement_id",
)


@dataclass(frozen=True)
class TidyAnswers:
    """The frame of answers (columns `COLUMNS`) and, by source, how many were left out and why.

    `conversation_id` is the first of `conversation_ids`; `number` is the judgement's place, from 1.
    """

    frame: pd.DataFrame
    left_out: dict[str, dict[str, int]] = field(default_factory=dict)


Lacking = Callable[[str, Mapping[tuple[str, str], object]], bool]
"""Whether an annotation of an item (its id) with these answers, by (question, target), is incomplete."""


def answers_frame(
    judgements: Sequence[Judgement], conversations: Iterable[Conversation], lacking: Lacking | None = None
) -> TidyAnswers:
    """One row an answer; controls, further questions, second answers and incomplete annotations are left out, counted.

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
                count(left_out, row.source, "control")
            controls.add(key)
        elif row.question.startswith(ADDITIONAL):
            count(left_out, row.source, "answer to a further question of the launch")
        elif (row.question, row.target) in rows.get(key, {}):
            count(left_out, row.source, "answer given twice (the first one counts)")
        else:
            rows.setdefault(key, {})[row.question, row.target] = _row(row, number, known)
    complete = []
    item, answer = COLUMNS.index("item_id"), COLUMNS.index("answer")
    for (source, _), own in rows.items():
        first = next(iter(own.values()))
        if lacking is not None and lacking(first[item], {pair: row[answer] for pair, row in own.items()}):
            count(left_out, source, "incomplete annotation")
        else:
            complete += own.values()
    frame = pd.DataFrame(complete, columns=list(COLUMNS))
    frame["seconds"] = frame["seconds"].astype(float)
    frame = frame.sort_values(["source", "annotation_id", "number"], kind="stable").reset_index(drop=True)
    return TidyAnswers(frame, left_out)


def count(left_out: dict[str, dict[str, int]], source: str, reason: str) -> None:
    """One more that is left out for this reason."""
    reasons = left_out.setdefault(source, {})
    reasons[reason] = reasons.get(reason, 0) + 1


def _row(row: Judgement, number: int, known: Collection[str]) -> tuple:
    where = f"judgement {number} ({row.judgement_id})"
    if not row.conversation_ids:
        raise ValueError(f"{where}: conversation_ids is empty, expected one or two")
    for identity in row.conversation_ids:
        if identity not in known:
            raise ValueError(f"{where}: conversation_ids names '{identity}', which is not among the conversations")
    check_worker(row, where)
    return (
        row.source,
        row.worker_id,
        row.annotation_id,
        row.unit_id,
        row.item_id,
        row.conversation_ids[0],
        tuple(row.conversation_ids),
        row.question,
        row.target,
        row.answer,
        row.exchanges,
        row.seconds,
        number,
        row.judgement_id,
    )


def check_worker(judgement: Judgement, where: str) -> None:
    """Raise `ValueError` where it isn't told who answered: such answers can't be told apart by annotators."""
    if not isinstance(judgement.worker_id, str):
        raise ValueError(f"{where}: worker_id is {judgement.worker_id!r}, expected the annotator's id")
