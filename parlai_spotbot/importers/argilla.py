"""Responses of Argilla as judgements, of records that `spotbot_export --format argilla` wrote.

Both forms are read that Argilla writes: its records as JSON, with `responses` by question, and data sets (JSON Lines,
Parquet) with columns "QUESTION.responses", "QUESTION.responses.users" and "QUESTION.responses.status".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.annotations import Annotation, AnnotationFile, annotation_format
from parlai_spotbot.importers.dataset_rows import dataset_rows

COLUMN = ".responses"
SUBMITTED = "submitted"


def read(source: AnnotationFile) -> Iterator[Annotation]:
    """An annotation for each record and user; drafts and discarded responses are left out and counted."""
    for where, row in dataset_rows(source.path):
        item = files.field(row, "id", str, where)
        source.left_out["suggestion"] += len(row["suggestions"]) if isinstance(row.get("suggestions"), dict) else 0
        by_user: dict[str, dict[str, Any]] = {}
        for name, responses in _responses(row, where).items():
            place = f"{where}: responses to '{name}'"
            source.question(name, where)
            for number, response in enumerate(responses, start=1):
                if not isinstance(response, dict):
                    raise UserError(f"{place}, response {number}: expected an object.", "Export the file anew.")
                if response.get("status", SUBMITTED) != SUBMITTED:
                    source.left_out["drafted or discarded response"] += 1
                    continue
                user = files.field(response, "user_id", str, f"{place}, response {number}")
                answers = by_user.setdefault(user, {})
                source.left_out["response that the same user repeats"] += name in answers
                answers[name] = _value(response.get("value"), f"{place}, response {number}")
        for user, answers in by_user.items():
            yield Annotation(where, item, f"argilla-{user}", f"argilla-{item}-{user}", answers)


def _responses(row: Mapping[str, Any], where: str) -> dict[str, list]:
    """By question the responses of a record, in the form of records."""
    if "responses" in row:
        found = files.field(dict(row), "responses", dict, where)
    else:
        found = {
            name.removesuffix(COLUMN): _columns(row, name, where)
            for name in row
            if name.endswith(COLUMN) and row[name] is not None
        }
        if not any(name.endswith(COLUMN) for name in row):
            raise UserError(
                f"{where}: neither field 'responses' nor a column 'QUESTION.responses'.",
                "Export records with their responses.",
            )
    for name, responses in found.items():
        if not isinstance(responses, list):
            raise UserError(f"{where}: responses to '{name}': expected a list.", "Export the file anew.")
    return found


def _columns(row: Mapping[str, Any], name: str, where: str) -> list[dict]:
    columns = [row[name], row.get(f"{name}.users"), row.get(f"{name}.status")]
    columns[2] = columns[2] or ([SUBMITTED] * len(columns[0]) if isinstance(columns[0], list) else None)
    if not all(isinstance(column, list) and len(column) == len(columns[0]) for column in columns):
        raise UserError(
            f"{where}: fields '{name}', '{name}.users' and '{name}.status' are not lists of one length.",
            "Export the file anew.",
        )
    return [{"value": value, "user_id": user, "status": status} for value, user, status in zip(*columns, strict=True)]


def _value(value: Any, where: str) -> Any:
    """A label, labels, a rating, a ranking or a text as the survey's answers are."""
    if isinstance(value, list):
        parts = [part.get("value") if isinstance(part, dict) else part for part in value]
        if all(isinstance(part, str) for part in parts):
            return parts
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise UserError(f"{where}: field 'value' is {value!r}, expected a label, labels or a text.", "Correct it.")


FORMAT = annotation_format(read)
