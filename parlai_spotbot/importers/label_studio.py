"""Annotations of Label Studio (export "JSON") as judgements, of tasks that `spotbot_export` wrote.

Who annotated is known by Label Studio's number of the user; e-mail addresses and names are not kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.annotations import Annotation, AnnotationFile, annotation_format
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.surveys.survey import Question

ANNOTATOR = "annotator"
"""Under `meta` of a result: the number of the annotator, in files that we wrote."""
TIMES = ("updated_at", "created_at")
SEVERAL = ("checkboxes", "ranking")


def read(source: AnnotationFile) -> Iterator[Annotation]:
    """Every annotation that wasn't skipped; predictions, which aren't people's, are left out and counted."""
    for where, task in dataset_rows(source.path):
        if not isinstance(task.get("annotations"), list):
            raise UserError(
                f"{where}: field 'annotations' is missing, or no list.", "Export as JSON, not as JSON-MIN or CSV."
            )
        item = files.field(files.field(task, "data", dict, where), "item_id", str, f"{where}: field 'data'")
        source.left_out["prediction"] += len(files.field(task, "predictions", list, where, []))
        for number, row in enumerate(task["annotations"], start=1):
            place = f"{where}, annotation {number}"
            if not isinstance(row, dict):
                raise UserError(f"{place}: expected an object, found {type(row).__name__}.", "Export the file anew.")
            if row.get("was_cancelled"):
                source.left_out["skipped task"] += 1
                continue
            yield _annotation(source, row, item, place)


def _annotation(source: AnnotationFile, row: dict, item: str, where: str) -> Annotation:
    answers: dict[str, Any] = {}
    known = None
    for number, result in enumerate(files.field(row, "result", list, where), start=1):
        place = f"{where}, result {number}"
        if not isinstance(result, dict):
            raise UserError(f"{place}: expected an object, found {type(result).__name__}.", "Export the file anew.")
        name = result.get("from_name")
        question = source.question(name, f"{place}: field 'from_name'")
        if name in answers:
            raise UserError(f"{place}: '{name}' is answered twice.", "Remove one of the answers.")
        answers[name] = _value(question, files.field(result, "value", dict, place), f"{place}: field 'value'")
        meta = result.get("meta")
        known = meta.get(ANNOTATOR, known) if isinstance(meta, dict) else known
    worker = f"annotator-{known}" if isinstance(known, (str, int)) else _worker(row, where)
    own = row.get("id")
    told = files.dumps([worker, item, list(answers.items())])
    name = own if isinstance(own, (str, int)) else hashlib.sha256(told.encode()).hexdigest()[:16]
    return Annotation(
        where=where,
        item_id=item,
        worker_id=worker,
        annotation_id=f"label_studio-{name}",
        answers=answers,
        seconds=files.field(row, "lead_time", (int, float, type(None)), where, None),
        submitted_at=next(filter(None, (files.field(row, name, (str, type(None)), where, None) for name in TIMES)), ""),
    )


def _worker(row: dict, where: str) -> str:
    who = row.get("completed_by")
    if isinstance(who, dict):
        email = who.get("email")
        who = who.get("id", hashlib.sha256(email.encode()).hexdigest()[:12] if isinstance(email, str) else None)
    if isinstance(who, bool) or not isinstance(who, (int, str)):
        raise UserError(f"{where}: field 'completed_by' is {who!r}, expected a user.", "Export the file anew.")
    return f"label_studio-{who}"


def _value(question: Question, value: dict, where: str) -> Any:
    """An answer as a result holds it: choices, a rating or a text."""
    if "choices" in value:
        chosen = files.field(value, "choices", list, where)
        if not all(isinstance(one, str) for one in chosen):
            raise UserError(f"{where}: field 'choices' is {chosen!r}, expected texts.", "Export the file anew.")
        if question.kind in SEVERAL:
            return chosen
        if len(chosen) != 1:
            raise UserError(f"{where}: field 'choices' holds {len(chosen)}, expected one.", "Correct it.")
        return chosen[0]
    if "rating" in value:
        return str(files.field(value, "rating", int, where))
    text = files.field(value, "text", (str, list), where)
    return text if isinstance(text, str) else "\n".join(map(str, text))


FORMAT = annotation_format(read)
