"""From judgements to frames: one row an annotation, one row an annotated entity, one row a match.

An annotation is one annotator's answers to one segment (section 3.1 of the paper): the nature of each entity, then
which of the two is favoured in fluency, sensibleness and specificity. Controls and incomplete annotations are left out
here, once for all statistics, and counted by reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.records import ADDITIONAL, HUMAN, Conversation, Judgement

NATURES = ("human", "unsure", "bot")
FEATURES = ("fluency", "sensibleness", "specificity")
FAVOURED = {"entity:0": 1, "no_difference": 0, "entity:1": -1}
QUESTIONS = {("nature", "entity:0"): "nature0", ("nature", "entity:1"): "nature1"}
QUESTIONS |= {(feature, "pair"): feature for feature in FEATURES}
ALLOWED = {"nature0": NATURES, "nature1": NATURES} | dict.fromkeys(FEATURES, tuple(FAVOURED))

NO_MATCH = {
    "self": "annotation of a bot that talks to itself",
    "human_model": "annotation of a bot that talks to a person",
}
"""Kinds of conversations in which nobody can beat anybody, and how their annotations are counted."""

COLUMNS = (
    "annotation_id", "source", "worker_id", "unit_id", "item_id", "conversation_id", "a", "b", "k",
    "nature0", "nature1", *FEATURES, "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Annotations:
    """The frame of annotations (columns `COLUMNS`) and, by source, how many were left out and why.

    `a` and `b` are the names of entity 0 and entity 1, `k` the exchanges shown; a feature is +1 where entity 0 is
    favoured, -1 where entity 1 is, 0 where neither.
    """

    frame: pd.DataFrame
    left_out: dict[str, dict[str, int]]


def annotations_frame(judgements: Sequence[Judgement], conversations: Iterable[Conversation]) -> Annotations:
    """Join the judgements of each annotation; leave out controls, incomplete annotations, and annotations of self-chats
    and of bots with people, in which nobody beats anybody, and count them.

    Raises
    ------
    ValueError
        Names the judgement (numbered from 1) whose conversation, question, target or answer is unknown.
    """
    conversations = list(conversations)
    entities = {c.conversation_id: c.entities for c in conversations}
    no_match = {c.conversation_id: NO_MATCH[c.kind] for c in conversations if c.kind in NO_MATCH}
    rows: dict[tuple[str, str], dict] = {}
    left_out: dict[str, dict[str, int]] = {}
    controls = set()
    for number, judgement in enumerate(judgements, start=1):
        key = (judgement.source, judgement.annotation_id)
        if judgement.control is not None:
            if key not in controls:
                _count(left_out, judgement.source, "control")
            controls.add(key)
            continue
        if judgement.question.startswith(ADDITIONAL):
            _count(left_out, judgement.source, "answer to a further question of the launch")
            continue
        column, answer = _answer(judgement, number)
        row = rows.get(key)
        if row is None:
            row = rows[key] = _row(judgement, number, entities)
        if column in row:
            _count(left_out, judgement.source, "answer given twice (the first one counts)")
        else:
            row[column] = answer
    complete = []
    for row in rows.values():
        missing = [column for column in ALLOWED if column not in row]
        if row["conversation_id"] in no_match:
            _count(left_out, row["source"], no_match[row["conversation_id"]])
        elif missing:
            _count(left_out, row["source"], "incomplete annotation")
        else:
            complete.append(row)
    frame = pd.DataFrame(complete, columns=list(COLUMNS))
    frame["seconds"] = frame["seconds"].astype(float)
    frame = frame.sort_values(["source", "annotation_id"], kind="stable").reset_index(drop=True)
    return Annotations(frame, left_out)


def _count(left_out: dict[str, dict[str, int]], source: str, reason: str) -> None:
    reasons = left_out.setdefault(source, {})
    reasons[reason] = reasons.get(reason, 0) + 1


def _answer(judgement: Judgement, number: int) -> tuple[str, str | int]:
    """The column an answer belongs to, and its value there."""
    where = f"judgement {number} ({judgement.judgement_id})"
    column = QUESTIONS.get((judgement.question, judgement.target))
    if column is None:
        known = ", ".join(f"'{q}' about '{t}'" for q, t in QUESTIONS)
        raise ValueError(
            f"{where}: question '{judgement.question}' about target '{judgement.target}', expected one of {known}"
        )
    if judgement.answer not in ALLOWED[column]:
        raise ValueError(f"{where}: answer {judgement.answer!r}, expected one of {', '.join(ALLOWED[column])}")
    return column, FAVOURED[judgement.answer] if column in FEATURES else judgement.answer


def _row(judgement: Judgement, number: int, entities: dict[str, tuple[str, str]]) -> dict:
    where = f"judgement {number} ({judgement.judgement_id})"
    if len(judgement.conversation_ids) != 1:
        raise ValueError(f"{where}: conversation_ids {list(judgement.conversation_ids)}, expected exactly one")
    conversation = judgement.conversation_ids[0]
    if conversation not in entities:
        raise ValueError(f"{where}: conversation_ids names '{conversation}', which is not among the conversations")
    if judgement.exchanges < 1:
        raise ValueError(f"{where}: exchanges {judgement.exchanges}, expected a whole number from 1 up")
    check_worker(judgement, where)
    a, b = entities[conversation]
    return {
        "annotation_id": judgement.annotation_id, "source": judgement.source, "worker_id": judgement.worker_id,
        "unit_id": judgement.unit_id, "item_id": judgement.item_id, "conversation_id": conversation,
        "a": a, "b": b, "k": judgement.exchanges, "seconds": judgement.seconds,
    }  # fmt: skip


def check_worker(judgement: Judgement, where: str) -> None:
    """Raise `ValueError` where it isn't told who answered: such answers can't be told apart by annotators."""
    if not isinstance(judgement.worker_id, str):
        raise ValueError(f"{where}: worker_id is {judgement.worker_id!r}, expected the annotator's id")


def check_ids(frame: pd.DataFrame, name: str) -> None:
    """Raise `ValueError` naming the first row of a frame whose conversation or annotator is missing."""
    for column in ("conversation_id", "worker_id"):
        if (missing := frame[column].isna()).any():
            row = frame.index[missing.to_numpy().argmax()]
            raise ValueError(f"{name}: row {row}: {column} is missing, expected an id in each row")


def entities_frame(annotations: pd.DataFrame) -> pd.DataFrame:
    """One row an annotation and entity: annotation i has the rows 2i (entity 0) and 2i + 1 (entity 1).

    A feature is +1 where this entity is favoured, -1 where the other is, 0 where neither. When it was spotted is what
    `parlai_spotbot.analysis.survival.events` makes of these rows. Raises `ValueError` naming the row where a
    conversation or annotator is missing.
    """
    check_ids(annotations, "annotations")
    halves = []
    for entity, (name, opponent, nature, sign) in enumerate((("a", "b", "nature0", 1), ("b", "a", "nature1", -1))):
        half = annotations[["annotation_id", "source", "worker_id", "item_id", "conversation_id", "k"]].copy()
        half["entity"] = entity
        half["name"] = annotations[name]
        half["opponent"] = annotations[opponent]
        half["nature"] = annotations[nature]
        for feature in FEATURES:
            half[feature] = sign * annotations[feature]
        halves.append(half)
    return pd.concat(halves).sort_index(kind="stable").reset_index(drop=True)


def matches_frame(annotations: pd.DataFrame, criterion: str = "nature") -> pd.DataFrame:
    """One row a match, with `outcome` +1 where `a` wins, -1 where `b` wins, 0 for a tie (section 3.2).

    Conversations between people, and of a bot with itself, are no matches. The index is that of `annotations`.

    Parameters
    ----------
    criterion : str
        "nature" (human > unsure > bot), a feature, or "sensibleness_and_specificity" (favoured in both).

    Raises
    ------
    ValueError
        For another criterion; names the row where a conversation or annotator is missing.
    """
    check_ids(annotations, "annotations")
    contest = annotations[(annotations["a"] != HUMAN) & (annotations["a"] != annotations["b"])]
    if criterion == "nature":
        level = {nature: -place for place, nature in enumerate(NATURES)}
        outcome = np.sign(contest["nature0"].map(level) - contest["nature1"].map(level))
    elif criterion == "sensibleness_and_specificity":
        same = contest["sensibleness"] == contest["specificity"]
        outcome = contest["sensibleness"].where(same, 0)
    elif criterion in FEATURES:
        outcome = contest[criterion]
    else:
        known = ("nature", *FEATURES, "sensibleness_and_specificity")
        raise ValueError(f"criterion is {criterion!r}, expected one of {', '.join(known)}")
    matches = contest[["a", "b", "k", "conversation_id", "worker_id"]].copy()
    matches["outcome"] = outcome.astype(int)
    return matches
