"""Annotations of Label Studio (export "JSON") as judgements, of tasks that `spotbot_export` wrote.

A form has a control for each question and target ("nature__entity_0"; "quality__judged" where the judged speaker
differs from task to task). Annotators are known by Label Studio's number of the user; of an annotator who was deleted
only the place among such annotators of a task is known.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import add_judgements
from parlai_spotbot.importers.judgements import JudgementReader
from parlai_spotbot.importers.left_out import LeftOut, Unusable
from parlai_spotbot.outside import cleaned
from parlai_spotbot.records import Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.user_files import validated

JUDGED = "judged"
"""The target of a control that asks about the speaker whom the task judges."""
REMEDY = "Export as JSON, not as JSON-MIN or CSV."


class Value(BaseModel):
    """An answer: choices, a rating or a text."""

    choices: list[str] | None = None
    rating: int | None = None
    text: str | list[str] | None = None


class LabelStudioResult(BaseModel):
    """The answer of a control; relations and regions have none."""

    from_name: str = ""
    value: Value = Value()


class Annotation(BaseModel):
    """One annotator's answers to a task."""

    result: list[LabelStudioResult]
    completed_by: int | str | dict | None = None
    id: int | str
    was_cancelled: bool = False
    lead_time: float | None = None
    created_at: str = ""
    updated_at: str = ""


class TaskData(BaseModel):
    """The data of a task."""

    item_id: str = ""


class LabelStudioTask(BaseModel):
    """A task with its annotations."""

    data: TaskData
    annotations: list[Annotation]
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
    path: Path, items: Mapping[str, tuple[str, Item]], reader: JudgementReader, left_out: LeftOut, skipped: Counter[str]
) -> Iterator[Judgement]:
    """Yield the judgements of a file about `items`; tasks that annotators skipped, and predictions, are `skipped`."""
    for where, row in dataset_rows(path):
        task = validated(LabelStudioTask, row, where, REMEDY)
        nobody = 0
        skipped["prediction"] += len(task.predictions)
        for number, annotation in enumerate(task.annotations, start=1):
            place = f"{where}, annotation {number}"
            name = annotation.completed_by
            if name is None:
                nobody += 1
                name = f"unknown-{nobody}"
            elif isinstance(name, dict):
                name = name.get("id")
            if annotation.was_cancelled:
                skipped["skipped task"] += 1
                continue
            with left_out.row():
                if task.data.item_id not in items:
                    problem = f"{place}: item '{task.data.item_id}' is in none of the study's units."
                    remedy = "Import into the study whose tasks were exported, with their --survey."
                    raise Unusable("annotation of a task of another study", problem, remedy)
                results = _judgements(annotation, *items[task.data.item_id], f"label_studio-{name}", reader, place)
                if not results:
                    raise Unusable("annotation that has no answer", f"{place}: has no answer.", "Annotate the task.")
                left_out.once([replace(one, judgement_id="", annotation_id="") for one in results], place)
                yield from results


def _judgements(
    annotation: Annotation, unit_id: str, item: Item, worker: str, reader: JudgementReader, place: str
) -> list[Judgement]:
    """Return the judgements of an annotation."""
    values = {
        "conversation_ids": list(item.conversation_ids),
        "exchanges": item.exchanges,
        "worker_id": worker,
        "annotation_id": f"label_studio-{annotation.id}",
        "item_id": item.item_id,
        "unit_id": unit_id,
        "control": item.control,
        "seconds": annotation.lead_time,
        "submitted_at": annotation.updated_at or annotation.created_at,
    }
    controls = controls_of(reader.survey)
    results = []
    for result in annotation.result:
        name = result.from_name
        if name not in controls and result.value == Value():
            continue
        if name not in controls:
            raise UserError(f"{place}: {name!r} is no control of this survey.", nearest(name, controls, 24))
        question, target = controls[name]
        if target == JUDGED and item.judged:
            target = f"entity:{item.judged[0]}"
        answer = _answer(question, result.value, f"{place}: '{name}'")
        results += reader.read(values, [(question.name, target, answer)], f"{place}: '{name}'")
    return results


def _answer(question: Question, value: Value, where: str) -> Any:
    """Return an answer as the survey has it."""
    if value.choices is not None:
        if question.kind in ("checkboxes", "ranking"):
            return value.choices
        if len(value.choices) != 1:
            raise UserError(f"{where}: field 'choices' holds {len(value.choices)}, expected one.", "Correct it.")
        return value.choices[0]
    if value.rating is not None:
        return str(value.rating)
    if value.text is None and question.kind != "free_text":
        raise Unusable("annotation with a lost answer", f"{where}: field 'value' holds no answer.", "Annotate it.")
    text = value.text or ""
    if isinstance(text, list):
        text = "\n".join(text)
    return cleaned(text)


def bring(request: ImportRequest) -> str:
    """Add the annotations to the study from which their tasks came."""
    name = request.survey
    path = Path(request.data)
    if not Study.exists(request.study):
        remedy = "Name the study whose tasks were exported (spotbot_export --format label_studio)."
        raise UserError(f"{request.study}: no study here.", remedy)
    study = Study.open(request.study)
    reader = JudgementReader.for_study(study, name)
    items = {item.item_id: (unit.unit_id, item) for unit in reversed(study.load(name).units) for item in unit.items}
    skipped = Counter()
    new = list(read(path, items, reader, request.left_out, skipped))
    request.left_out.check(path)
    if not new:
        raise UserError(f"{path}: holds no annotation of survey {name}.", "Annotate some tasks, and export again.")
    left = {what: count for what, count in sorted(skipped.items()) if count}
    return add_judgements(request, study, new, {"format": "label_studio", "left_out": left})


FORMAT = bring
