"""Entries of the ledger: annotators, their attempts, hand-outs, submissions, decisions."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from parlai_spotbot.records import Item

T = TypeVar("T")


@dataclass(frozen=True)
class Annotator:
    """Frozen record of an annotator: `standing` is "new", "passed" (the onboarding) or "stopped", `why` for what.

    `consent` is the digest of the consent text agreed to, "" without.
    """

    worker: str
    consent: str = ""
    standing: str = "new"
    why: str = ""


@dataclass(frozen=True)
class PracticeAttempt:
    """One attempt (from 0) at the onboarding: the body that was sent, and how many exercises of it were wrong."""

    worker: str
    attempt: int
    body: dict
    mistakes: int
    passed: bool
    at: float


@dataclass(frozen=True)
class Handout:
    """A unit handed out to an annotator. Times are seconds since the epoch, None where there is none.

    The browser knows only its `handle`. `slot` counts the annotator's units from 0. `items` are the ids of its
    items, controls among them, in order. `status` is "open", "done", "returned", "expired", or "void" where it was
    ended without blame. `told` says whether the crowd knows of a finished unit, `agent_id` by which name.
    """

    handle: str
    worker: str
    registration: str
    slot: int
    unit_id: str
    block_id: str
    items: tuple[str, ...]
    chance: str
    handed_at: float
    deadline: float
    status: str = "open"
    agent_id: str | None = None
    finished_at: float | None = None
    told: bool = False


@dataclass(frozen=True)
class Submission:
    """The answers to a unit. `body` is what the browser sent, `record` what was kept of it in clean form.

    `record`: ``{"handle", "unit_id", "started_at", "submitted_at", "comment", "texts_language", "items": [{"item",
    "item_id", "conversation_ids", "control", "exchanges", "presentation", "answers": [{"question", "target", "answer",
    "seconds", "changes"[, "opened"]}], "seconds", "comment"}]}``. `opened` is there where annotators open the dialogue:
    the exchanges open at that decision, and in the end for answers that are no decisions. Times of the record are
    seconds since the epoch.
    """

    handle: str
    record: dict
    body: dict
    sha256: str
    received_at: float


@dataclass(frozen=True)
class OpeningDecision:
    """An annotator's decision about one target when `opened` exchanges were open."""

    handle: str
    item: int
    target: str
    question: str
    answer: str
    opened: int
    seconds: float | None
    decided_at: float


@dataclass(frozen=True)
class TrainingRound:
    """A round of the training (from 0, over all attempts), as it was handed in and graded.

    `dialogue` is the id of the annotated one, `result` the annotator's feedback (training.graded), `passed` None
    where the round didn't decide, `team` the name of the group of annotators that the launch was for.
    """

    worker: str
    sitting: int
    dialogue: str
    body: dict
    result: dict
    passed: bool | None
    team: str
    at: float


def about_item(item: Item, drawn: dict) -> dict:
    """Return what a record says of an item beside the answers; `drawn` is its presentation."""
    return {
        "item_id": item.item_id,
        "conversation_ids": list(item.conversation_ids),
        "exchanges": item.exchanges,
        "control": item.control,
        "presentation": drawn,
    }


def digest(value: Any) -> str:
    """Return the SHA-256 of `value` as JSON: the same for the same content, whatever the order of keys."""
    return hashlib.sha256(dumps(value, sort_keys=True).encode("ascii")).hexdigest()


def dumps(value: Any, **more: Any) -> str:
    # ASCII: a lone surrogate, which a browser may send, is no valid UTF-8.
    return json.dumps(value, ensure_ascii=True, **more)


WITHDRAWN = "withdrawn-"
"""How the name begins under which a ledger keeps the units of somebody who withdrew."""

RECORD_DIGEST = "sha256"
"""Key of a stored record under which its own digest stands."""

JSON_FIELDS = ("body", "items", "record", "result")


def columns(kind: type) -> str:
    """Return the names of an entry's fields, which are those of its table's columns, for SQL."""
    return ", ".join(field.name for field in fields(kind))


def row_of(entry: Any) -> tuple:
    """Return an entry as it is stored."""
    values = {field.name: getattr(entry, field.name) for field in fields(entry)}
    if isinstance(entry, Submission):
        values["record"] = {**entry.record, RECORD_DIGEST: digest(entry.record)}
    return tuple(dumps(value) if name in JSON_FIELDS else value for name, value in values.items())


def entry_of(kind: type[T], row: tuple) -> T:
    """Return a stored row as an entry; raises `sqlite3.DatabaseError` for a submission that is not what was sent."""
    values: dict[str, Any] = {}
    for field, value in zip(fields(kind), row, strict=True):
        if field.name in JSON_FIELDS:
            value = json.loads(value)
            value = tuple(value) if isinstance(value, list) else value
        elif "bool" in field.type and value is not None:
            value = bool(value)
        values[field.name] = value
    entry = kind(**values)
    if isinstance(entry, Submission):
        sound = entry.record.pop(RECORD_DIGEST, None) == digest(entry.record) and digest(entry.body) == entry.sha256
        if not sound and not entry.record.get("withdrawn"):
            raise sqlite3.DatabaseError(f"the answers to hand-out {entry.handle} are not those that were sent")
    return entry
