"""Judgements from a CSV or JSON Lines file, with a mapping from the survey's fields to the file's columns.

Two shapes are understood. *Wide*: a row an annotation, the answers in columns `nature0`, `nature1`, `fluency`,
`sensibleness`, `specificity` (Spot The Bot). *Long*: a row an answer, with `question`, `target` and `answer` (any
survey).
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Judgement

WIDE = {
    "nature0": ("nature", "entity:0", ("human", "bot", "unsure")),
    "nature1": ("nature", "entity:1", ("human", "bot", "unsure")),
    **{f: (f, "pair", ("entity:0", "entity:1", "no_difference")) for f in ("fluency", "sensibleness", "specificity")},
}
NEEDED = ("conversation_id", "exchanges", "worker_id")
LONG = ("question", "target", "answer")
OPTIONAL = ("annotation_id", "unit_id", "item_id", "source", "seconds", "started_at", "submitted_at", "control")
FIELDS = (*NEEDED, *WIDE, *LONG, *OPTIONAL)


@dataclass(frozen=True)
class Row:
    """One row of the file with its place, its values under the survey's field names."""

    where: str
    values: dict[str, Any]
    theirs: dict[str, str]

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name, "")
        if value is None or value == "":
            if default is not None:
                return default
            raise UserError(f"{self.where}: field '{self.theirs[name]}' ({name}) is empty.", "Fill it in.")
        return str(value)

    def number(self, name: str, what: str, whole: bool = False) -> float | int:
        value = self.text(name)
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (whole and (number < 1 or number != int(number))):
            raise UserError(
                f"{self.where}: field '{self.theirs[name]}' ({name}) is {value!r}, expected {what}.", "Correct it."
            )
        return int(number) if whole else number

    def choice(self, name: str, known: tuple[str, ...], answers: Mapping[str, str]) -> str:
        value = self.text(name)
        value = answers.get(value, value)
        if value not in known:
            raise UserError(
                f"{self.where}: field '{self.theirs[name]}' ({name}) is {value!r}.",
                nearest(value, known) + " Other words are told with --answers THEIRS=OURS,….",
            )
        return value


def judgements(
    path: Path | str,
    conversations: Mapping[str, Conversation],
    *,
    survey: str = "spot_the_bot",
    columns: Mapping[str, str] | None = None,
    answers: Mapping[str, str] | None = None,
) -> list[Judgement]:
    """Read judgements about known conversations.

    Parameters
    ----------
    conversations : mapping
        Conversation id -> conversation.
    columns : mapping
        Our field -> their column, where the names differ; see `FIELDS`.
    answers : mapping
        Their answer -> ours ("human", "bot", "unsure"; "entity:0", "entity:1", "no_difference").

    Raises
    ------
    UserError
        Names file, line and field, and what may have been meant.
    """
    path = Path(path)
    rows = _csv(path) if path.suffix.lower() in (".csv", ".tsv") else _jsonl(path)
    if not rows:
        raise UserError(f"{path}: holds no rows.", "Name a file with a header and at least one row.")
    mapping, wide = _mapping(path, rows[0][1], dict(columns or {}), survey)
    found: dict[str, tuple[str, Judgement]] = {}
    for where, values in rows:
        row = Row(where, {ours: values.get(theirs) for ours, theirs in mapping.items()}, mapping)
        for judgement in _judgements(row, conversations, survey, dict(answers or {}), wide):
            if judgement.judgement_id in found:
                raise UserError(
                    f"{where}: answers '{judgement.question}' about '{judgement.target}' a second time, after "
                    f"{found[judgement.judgement_id][0]}.", "Give each annotation an annotation_id of its own.",
                )  # fmt: skip
            found[judgement.judgement_id] = (where, judgement)
    return [judgement for _, judgement in found.values()]


def merge(known: list[Judgement], new: list[Judgement]) -> list[Judgement]:
    """Those of `new` that are not in `known`; the same id with another answer is a `UserError`."""
    have = {judgement.judgement_id: judgement for judgement in known}
    fresh = []
    for judgement in new:
        before = have.get(judgement.judgement_id)
        if before is None:
            fresh.append(judgement)
        elif before != judgement:
            raise UserError(
                f"judgement '{judgement.judgement_id}' is in the study with other contents.",
                "Give changed annotations another annotation_id, or import into another --study.",
            )
    return fresh


def _csv(path: Path) -> list[tuple[str, dict]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", "Name a CSV or JSON Lines file.") from None
    except (UnicodeDecodeError, IsADirectoryError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", "Save it as CSV in UTF-8.") from None
    reader = csv.DictReader(text.splitlines(keepends=True), delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    rows = []
    for values in reader:
        where = f"{path}, line {reader.line_num}"
        if None in values or None in values.values():
            raise UserError(
                f"{where}: has not the {len(reader.fieldnames or ())} fields of the header.",
                "Quote fields with commas.",
            )
        rows.append((where, {key.strip(): value.strip() for key, value in values.items()}))
    return rows


def _jsonl(path: Path) -> list[tuple[str, dict]]:
    return files.read_jsonl(path, lambda row, where: (where, row), "file of judgements", "Name a CSV or JSONL file.")


def _mapping(path: Path, first: dict, columns: dict[str, str], survey: str) -> tuple[dict[str, str], bool]:
    """Our field -> their column, for all that the file has; and whether its shape is wide."""
    for ours, theirs in columns.items():
        if ours not in FIELDS:
            raise UserError(f"--columns {ours}={theirs}: there is no field '{ours}'.", nearest(ours, FIELDS))
        if theirs not in first:
            raise UserError(f"--columns {ours}={theirs}: {path} has no column '{theirs}'.", nearest(theirs, first))
    mapping = {name: columns.get(name, name) for name in FIELDS if columns.get(name, name) in first}
    if "exchanges" not in mapping and "k" in first:
        mapping["exchanges"] = "k"
    wide = "answer" not in mapping
    if wide and survey != "spot_the_bot":
        raise UserError(
            f"{path}: has no column 'answer', and a row an annotation is understood for spot_the_bot only.",
            "Bring it to a row an answer: question, target, answer.",
        )
    for name in (*NEEDED, *(WIDE if wide else LONG)):
        if name not in mapping:
            raise UserError(
                f"{path}: has no column '{name}'. {nearest(name, first)}", f"Name it: --columns {name}=THEIR_COLUMN."
            )
    return mapping, wide


def _judgements(
    row: Row, conversations: Mapping[str, Conversation], survey: str, answers: dict, wide: bool
) -> list[Judgement]:
    base = _base(row, conversations, survey)
    if wide:
        asked = [(name, *WIDE[name][:2], row.choice(name, WIDE[name][2], answers)) for name in WIDE]
    else:
        question, target = row.text("question"), row.text("target")
        known = next((options for q, t, options in WIDE.values() if (q, t) == (question, target)), None)
        value = row.values["answer"]
        if known is not None and survey == "spot_the_bot":
            value = row.choice("answer", known, answers)
        elif survey == "spot_the_bot":
            told = [f"{q} about {t}" for q, t, _ in WIDE.values()]
            raise UserError(
                f"{row.where}: question '{question}' about target '{target}'.",
                nearest(f"{question} about {target}", told),
            )
        asked = [
            (f"{question}-{target}", question, target, answers.get(value, value) if isinstance(value, str) else value)
        ]
    return [
        replace(
            base, judgement_id=f"{base.annotation_id}-{name}", question=question, target=target, answer=answer,
        )
        for name, question, target, answer in asked
    ]  # fmt: skip


def _base(row: Row, conversations: Mapping[str, Conversation], survey: str) -> Judgement:
    identity = row.text("conversation_id")
    if identity not in conversations:
        raise UserError(
            f"{row.where}: field '{row.theirs['conversation_id']}' names '{identity}', which is not among the study's "
            f"{len(conversations)} conversations.", nearest(identity, conversations, most=8),
        )  # fmt: skip
    exchanges = row.number("exchanges", "a whole number from 1 up", whole=True)
    if exchanges > conversations[identity].exchanges:
        raise UserError(
            f"{row.where}: field '{row.theirs['exchanges']}' is {exchanges}, but conversation {identity} has "
            f"{conversations[identity].exchanges} exchanges.", "Correct it; k counts exchanges, not turns.",
        )  # fmt: skip
    source = row.text("source", "human")
    if source != "human" and not source.startswith("judge:"):
        raise UserError(f"{row.where}: field '{row.theirs['source']}' is {source!r}.", "Write human or judge:NAME.")
    item = row.text("item_id", f"{identity}-{exchanges}")
    worker = row.text("worker_id")
    said = files.dumps([source, worker, item, row.text("started_at", "")])
    annotation = row.text("annotation_id", hashlib.sha256(said.encode()).hexdigest()[:16])
    seconds = row.number("seconds", "seconds from 0 up") if row.text("seconds", "") else None
    return Judgement(
        judgement_id="", annotation_id=annotation, survey=survey, unit_id=row.text("unit_id", "imported"), item_id=item,
        conversation_ids=(identity,), exchanges=exchanges, target="", question="", answer=None, worker_id=worker,
        source=source, control=row.text("control", "") or None, started_at=row.text("started_at", ""),
        submitted_at=row.text("submitted_at", ""), seconds=seconds,
    )  # fmt: skip
