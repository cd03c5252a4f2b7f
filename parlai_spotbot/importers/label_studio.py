"""Annotations of Label Studio (export "JSON") as judgements, of tasks that `spotbot_export` wrote.

A form has a control for each question and target ("nature__entity_0"; "quality__judged" where the judged speaker
differs from task to task). Annotators are known by Label Studio's number of the user; e-mail addresses are not kept.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.importers.format import Format, ImportRequest
from parlai_spotbot.importers.imported_study import add_judgements
from parlai_spotbot.importers.judgements import JudgementReader, JudgementRow
from parlai_spotbot.importers.validation import user_error
from parlai_spotbot.records import Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.wording import counted

JUDGED = "judged"
"""The target of a control that asks of whichever speaker the task judges."""
REMEDY = "Export as JSON, not as JSON-MIN or CSV."


class LabelStudioValue(BaseModel):
    """An answer: choices, a rating or a text."""

    choices: list[str] | None = None
    rating: int | None = None
    text: str | list[str] | None = None


class LabelStudioResult(BaseModel):
    """The answer of a control."""

    from_name: str
    value: LabelStudioValue


class LabelStudioAnnotation(BaseModel):
    """One annotator's answers to a task."""

    result: list[LabelStudioResult]
    completed_by: int | str | dict[str, Any]
    id: int | str | None = None
    was_cancelled: bool = False
    lead_time: float | None = None
    created_at: str | None = None
    updated_at: str | None = None


class LabelStudioTask(BaseModel):
    """A task with its annotations."""

    data: dict[str, Any]
    annotations: list[LabelStudioAnnotation]
    predictions: list = []


def control(question: str, target: str) -> str:
    """Return the name of the control of a question and target: letters, digits and _ alone."""
    return f"{question}__{target.replace(':', '_')}"


def controls_of(survey: Survey) -> dict[str, tuple[Question, str]]:
    """Return every control that a form for this survey may have: its name -> question and target."""
    controls = {}
    for question in survey.questions:
        targets = [target for target in question.targets if target != "turn"]
        targets += [JUDGED] * any(target.startswith("entity:") for target in targets)
        controls |= {control(question.name, target): (question, target) for target in targets}
    return controls


def read(
    path: Path, survey: Survey, items: Mapping[str, tuple[str, Item]], reader: JudgementReader, left_out: Counter[str]
) -> Iterator[Judgement]:
    """Yield the judgements of a file about `items`; skipped tasks, and predictions, are counted in `left_out`."""
    controls = controls_of(survey)
    for where, row in dataset_rows(path):
        try:
            task = LabelStudioTask.model_validate(row)
        except ValidationError as err:
            raise user_error(err, where, REMEDY) from None
        item_id = files.field(task.data, "item_id", str, f"{where}: field 'data'")
        left_out["prediction"] += len(task.predictions)
        left_out["skipped task"] += sum(one.was_cancelled for one in task.annotations)
        for number, annotation in enumerate(task.annotations, start=1):
            place = f"{where}, annotation {number}"
            if annotation.was_cancelled:
                continue
            if item_id not in items:
                remedy = "Import into the study whose tasks were exported, with their --survey."
                raise UserError(f"{place}: item '{item_id}' is in none of the study's units.", remedy)
            unit_id, item = items[item_id]
            base = _base(annotation, unit_id, item, place)
            for result in annotation.result:
                name = result.from_name
                if name not in controls:
                    raise UserError(f"{place}: {name!r} is no control of this survey.", nearest(name, controls, 24))
                question, target = controls[name]
                target = f"entity:{item.judged[0]}" if target == JUDGED and item.judged else target
                answer = _answer(question, result.value, f"{place}: '{name}'")
                values = base | {"question": question.name, "target": target, "answer": answer}
                theirs = {key: name if key == "answer" else key for key in values}
                yield from reader.read(JudgementRow(place, values, theirs))


def _base(annotation: LabelStudioAnnotation, unit_id: str, item: Item, where: str) -> dict[str, Any]:
    """Return the fields that an annotation's judgements share."""
    who = annotation.completed_by
    if isinstance(who, dict):
        email = who.get("email")
        who = who.get("id", hashlib.sha256(email.encode()).hexdigest()[:12] if isinstance(email, str) else None)
    if isinstance(who, bool) or not isinstance(who, (int, str)):
        raise UserError(f"{where}: field 'completed_by' is {who!r}, expected a user.", REMEDY)
    identity_text = files.dumps([who, item.item_id, [one.model_dump() for one in annotation.result]])
    return {
        "conversation_ids": list(item.conversation_ids),
        "exchanges": item.exchanges,
        "worker_id": f"label_studio-{who}",
        "annotation_id": f"label_studio-{annotation.id or hashlib.sha256(identity_text.encode()).hexdigest()[:16]}",
        "item_id": item.item_id,
        "unit_id": unit_id,
        "control": item.control,
        "seconds": annotation.lead_time,
        "submitted_at": annotation.updated_at or annotation.created_at or "",
    }


def _answer(question: Question, value: LabelStudioValue, where: str) -> Any:
    """Return an answer as the survey has it."""
    if value.choices is not None and question.kind in ("checkboxes", "ranking"):
        return value.choices
    if value.choices is not None:
        if len(value.choices) != 1:
            raise UserError(f"{where}: field 'choices' holds {len(value.choices)}, expected one.", "Correct it.")
        return value.choices[0]
    if value.rating is not None:
        return str(value.rating)
    if value.text is None:
        raise UserError(f"{where}: field 'text' is missing.", REMEDY)
    return value.text if isinstance(value.text, str) else "\n".join(value.text)


def bring(request: ImportRequest) -> str:
    """Add the annotations to the study from which their tasks came."""
    name, path = request["survey"], Path(request["data"])
    study = Study.open(request["study"])
    get_survey(name, study)
    survey = survey_of(study, name)
    units = study.units(name) if study.units_path(name).exists() else []
    items = {item.item_id: (unit.unit_id, item) for unit in reversed(units) for item in unit.items}
    c_by_conversation_id = {c.conversation_id: c for c in study.conversations()}
    left_out = Counter[str]()
    new = list(read(path, survey, items, JudgementReader(c_by_conversation_id, survey, {}, {}, wide=False), left_out))
    if not new:
        raise UserError(f"{path}: holds no annotation of survey {name}.", "Annotate some tasks, and export again.")
    left = {what: count for what, count in sorted(left_out.items()) if count}
    about = {"source": path.name, "sha256": files.sha256(path), "format": request["format"], "left_out": left}
    with study.lock("spotbot_import"):
        lines = add_judgements(study, survey, new, about)
    lines += [f"note: {counted(count, what)} left out" for what, count in left.items()]
    lines += [f"written: {study.judgements_path(name)}", f"next: {hints.command('analyze', request['study'], name)}"]
    return "\n".join(lines)


FORMAT = Format(bring)
