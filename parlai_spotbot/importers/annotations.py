"""Annotations that were made in another program's forms, as judgements of the survey whose tasks were exported to it.

A form has a control for each question and target ("nature__entity_0"); where one speaker of a conversation is judged,
which one differs from task to task, and the control is "quality__judged". Which conversations a task shows is known by
its item, so no file needs to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.format import Format, ImportRequest
from parlai_spotbot.importers.imported_study import add_judgements
from parlai_spotbot.importers.judgements import JudgementReader, JudgementRow
from parlai_spotbot.records import Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.wording import counted

JUDGED = "judged"
"""The target of a control that asks of whichever speaker the task judges."""


def control(question: str, target: str) -> str:
    """What the control of a question and target is called: letters, digits and _ alone."""
    return f"{question}__{target.replace(':', '_')}"


def controls_of(survey: Survey) -> dict[str, tuple[Question, str]]:
    """Every control that a form for this survey may have: its name -> question and target."""
    found = {}
    for question in survey.questions:
        own = [target for target in question.targets if target != "turn"]
        own += [JUDGED] * any(target.startswith("entity:") for target in own)
        found |= {control(question.name, target): (question, target) for target in own}
    return found


@dataclass(frozen=True)
class Annotation:
    """One annotator's answers to one task, by control; `where` it stands, `seconds` and `submitted_at` if known."""

    where: str
    item_id: str
    worker_id: str
    annotation_id: str
    answers: Mapping[str, Any]
    seconds: float | None = None
    submitted_at: str = ""


@dataclass
class AnnotationFile:
    """What a format reads from: a file, the survey's controls, and what is left out of it, counted."""

    path: Path
    controls: Mapping[str, tuple[Question, str]]
    left_out: Counter[str] = field(default_factory=Counter)

    def question(self, name: object, where: str) -> Question:
        """The question of a control; an unknown one is a `UserError`."""
        if not isinstance(name, str) or name not in self.controls:
            raise UserError(f"{where}: {name!r} is no control of this survey.", nearest(str(name), self.controls, 24))
        return self.controls[name][0]


Read = Callable[[AnnotationFile], Iterator[Annotation]]


def judgements_of(found: Iterator[Annotation], study: Study, survey: Survey) -> list[Judgement]:
    """The judgements that annotations make, of the items that the study's units hold.

    Raises
    ------
    UserError
        Names place and field: an unknown item, an answer that the survey doesn't offer, an annotation's id that is
        another annotator's or item's.
    """
    path = study.units_path(survey.name)
    units = study.units(survey.name) if path.exists() else []
    items: dict[str, tuple[str, Item]] = {}
    for unit in units:
        for item in unit.items:
            items.setdefault(item.item_id, (unit.unit_id, item))
    controls = controls_of(survey)
    known = {c.conversation_id: c for c in study.conversations()}
    reader = JudgementReader(known, survey, {}, {}, wide=False)
    made: list[Judgement] = []
    places: dict[str, Annotation] = {}
    for one in found:
        if one.item_id not in items:
            raise UserError(
                f"{one.where}: item '{one.item_id}' is in none of the {len(units)} units of {path}.",
                "Import into the study whose tasks were exported, with their --survey.",
            )
        first = places.setdefault(one.annotation_id, one)
        if (first.item_id, first.worker_id) != (one.item_id, one.worker_id):
            raise UserError(
                f"{one.where}: annotation '{one.annotation_id}' is of another annotator or item in {first.where}.",
                "Export the file anew.",
            )
        unit_id, item = items[one.item_id]
        base = {
            "conversation_ids": list(item.conversation_ids),
            "exchanges": item.exchanges,
            "worker_id": one.worker_id,
            "annotation_id": one.annotation_id,
            "item_id": item.item_id,
            "unit_id": unit_id,
            "control": item.control,
            "seconds": one.seconds,
            "submitted_at": one.submitted_at,
        }
        for name, value in one.answers.items():
            question, target = controls[name]
            if target == JUDGED:
                target = f"entity:{_judged(item, one.where)}"
            row = base | {"question": question.name, "target": target, "answer": value}
            theirs = {key: name if key == "answer" else key for key in row}
            made += reader.read(JudgementRow(one.where, row, theirs))
    return made


def _judged(item: Item, where: str) -> int:
    if len(item.judged) != 1:
        raise UserError(f"{where}: item '{item.item_id}' judges no single speaker.", "Export its tasks anew.")
    return item.judged[0]


def annotation_format(read: Read) -> Format:
    """A format whose annotations are added to the study from which its tasks came."""

    def bring(request: ImportRequest) -> str:
        name, path = request["survey"], Path(request["data"])
        study = Study.open(request["study"])
        get_survey(name, study)
        survey = survey_of(study, name)
        source = AnnotationFile(path, controls_of(survey))
        new = judgements_of(read(source), study, survey)
        if not new:
            raise UserError(f"{path}: holds no annotation of survey {name}.", "Annotate some tasks, and export again.")
        left = {what: count for what, count in sorted(source.left_out.items()) if count}
        about = {"source": path.name, "sha256": files.sha256(path), "format": request["format"], "left_out": left}
        with study.lock("spotbot_import"):
            lines = add_judgements(study, survey, new, about)
        return "\n".join(
            (
                *lines,
                *(f"note: {counted(count, what)} left out" for what, count in left.items()),
                f"written: {study.judgements_path(name)}",
                f"next: {hints.command('analyze', request['study'], name)}",
            )
        )

    return Format(bring)
