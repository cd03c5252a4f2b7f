"""The units of a packed survey as tasks for another program's forms: what is shown and asked, and never who is a bot.

Names on the form are the same for every task: speakers bear those of the survey in their order, and where one of a
conversation is judged, it bears the first and the other one the survey's name for others. Controls, whose answers are
known, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.exporters.format import ExportRequest
from parlai_spotbot.importers.annotations import JUDGED, control
from parlai_spotbot.records import HUMAN, Item, Judgement
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_names, survey_of
from parlai_spotbot.surveys.survey import Question, Survey

LAYOUTS = ("dialogue", "side_by_side")


@dataclass(frozen=True)
class AnnotationControl:
    """What a form asks: the name of its control, the question as worded, and its options as (value, label)."""

    name: str
    question: Question
    wording: str
    options: tuple[tuple[str, str], ...]

    @property
    def required(self) -> bool:
        return self.question.required and not self.question.when


@dataclass(frozen=True)
class AnnotationTask:
    """An item: of each conversation who says what, under names that tell nothing; and who answered it, if asked for.

    `answers` are of one annotation each: (number of the annotator or the judge's name, answers by control, seconds,
    time).
    """

    item_id: str
    dialogues: tuple[tuple[tuple[str, str], ...], ...]
    answers: tuple[tuple[str, dict, float | None, str], ...] = ()


@dataclass(frozen=True)
class AnnotationTasks:
    """The tasks of a survey, what each asks, and what was left out."""

    survey: Survey
    controls: tuple[AnnotationControl, ...]
    tasks: tuple[AnnotationTask, ...]
    notes: tuple[str, ...]

    @property
    def said(self) -> str:
        annotations = sum(len(task.answers) for task in self.tasks)
        return f"{len(self.tasks)} tasks of {self.survey.name}, with {annotations} annotations"


def annotation_tasks(request: ExportRequest) -> AnnotationTasks:
    """The tasks of a study's survey, with the annotations by `request.source`, if one is named.

    Raises
    ------
    UserError
        No units; a survey that asks turn by turn or lets people chat; items that put different questions.
    """
    study = request.study.remaining()
    packed = [name for name in survey_names() if study.units_path(name).exists()]
    name = request.survey or next(iter(packed), None)
    if name not in packed:
        what = f"survey {name}" if name else "the study"
        raise UserError(f"{study.path}: {what} has no units.", hints.run("pack", study.path, name or ""))
    survey = survey_of(study, name)
    if survey.layout not in LAYOUTS:
        raise UserError(
            f"--survey {name}: asks turn by turn or in a chat, which no form of another program does.",
            "Choose spot_the_bot, acute_eval, comparative or dialogue_likert.",
        )
    every = {item.item_id: item for unit in study.units(name) for item in unit.items}
    items = {key: item for key, item in every.items() if item.control is None}
    chosen = _put(survey, items.values(), request.question)
    asked = [question for question in survey.questions if question.name in chosen]
    items = {key: item for key, item in items.items() if _questions(survey, item) == chosen}
    judged = any(len(item.judged) == 1 for item in items.values())
    names = _names(survey, judged)
    controls = tuple(
        AnnotationControl(
            control(question.name, target),
            question,
            _named(question.wording, names, target),
            tuple((option.value, _label(option.value, option.label, names)) for option in question.options),
        )
        for question in asked
        for target in _targets(question, judged)
    )
    answers = _answers(study, name, items, {one.name for one in controls}, request.source)
    tasks = tuple(
        AnnotationTask(key, tuple(_dialogues(survey, item)), tuple(answers.get(key, ()))) for key, item in items.items()
    )
    known = len(every) - sum(item.control is None for item in every.values())
    notes = (f"{known} controls left out: their answers are known",) if known else ()
    return AnnotationTasks(survey, controls, tasks, notes)


def _questions(survey: Survey, item: Item) -> frozenset[str]:
    return frozenset(item.questions or (question.name for question in survey.questions))


def _put(survey: Survey, items: Iterable[Item], question: str | None) -> frozenset[str]:
    """The questions that all tasks put: a form is the same for all of them."""
    sets = {_questions(survey, item) for item in items}
    main = sorted({name for own in sets for name in own} & {q.name for q in survey.main})
    if question is not None:
        if question not in main:
            raise UserError(f"--question {question}: no unit of survey {survey.name} puts it.", nearest(question, main))
        sets = {own for own in sets if question in own}
    if len(sets) != 1:
        raise UserError(
            f"--survey {survey.name}: its units put different questions, and a form is the same for all tasks.",
            f"Export one at a time: --question {main[0] if main else 'NAME'}. Known: {', '.join(main)}.",
        )
    return sets.pop()


def _targets(question: Question, judged: bool) -> tuple[str, ...]:
    if judged and all(target.startswith("entity:") for target in question.targets):
        return (JUDGED,)
    return question.targets


# -- names ---------------------------------------------------------------------------------------------------------
def _names(survey: Survey, judged: bool) -> dict[str, str]:
    """What targets are called on the form."""
    conversations = survey.speakers or survey.conversations
    return {
        **{f"entity:{i}": name for i, name in enumerate(survey.entities)},
        **{f"conversation:{i}": name for i, name in enumerate(conversations)},
        **({JUDGED: survey.entities[0]} if judged else {}),
    }


def _named(text: str, names: dict[str, str], target: str) -> str:
    text = text.replace("{entity}", names.get(target, ""))
    return re.sub(r"\{((?:entity|conversation):\d)\}", lambda found: names.get(found[1], found[0]), text)


def _label(value: str, label: str, names: dict[str, str]) -> str:
    if value not in names:
        return label
    return label.replace("{name}", names[value]) if "{name}" in label else names[value]


def _dialogues(survey: Survey, item: Item) -> Iterable[tuple[tuple[str, str], ...]]:
    """Who says what in each transcript, by the names on the form."""
    for place, transcript in enumerate(item.transcripts):
        names = list(survey.entities)
        if item.judged:
            seat = item.judged[place]
            speaker = survey.speakers[place] if len(item.transcripts) > 1 and survey.speakers else survey.entities[0]
            names[seat], names[1 - seat] = speaker, survey.other or survey.entities[1]
        yield tuple((names[turn.entity], turn.text) for turn in transcript)


# -- annotations ---------------------------------------------------------------------------------------------------
def _answers(
    study: Study, survey: str, items: dict[str, Item], controls: set[str], source: str | None
) -> dict[str, list[tuple[str, dict, float | None, str]]]:
    """By item the annotations of a source; people bear numbers, by the order of their ids."""
    if source is None:
        return {}
    rows = study.judgements(survey) if study.judgements_path(survey).exists() else []
    known = sorted({row.source for row in rows})
    if source not in known:
        raise UserError(f"--source {source}: answered nothing of survey {survey}.", nearest(source, known))
    mine = [row for row in rows if row.source == source and row.item_id in items and row.control is None]
    numbers = {worker: str(number) for number, worker in enumerate(sorted({row.worker_id for row in mine}), start=1)}
    by_annotation: dict[str, list[Judgement]] = {}
    for row in mine:
        by_annotation.setdefault(row.annotation_id, []).append(row)
    found: dict[str, list[tuple[str, dict, float | None, str]]] = {}
    for own in by_annotation.values():
        item = items[own[0].item_id]
        answers = {}
        for row in own:
            name = control(row.question, row.target)
            if name not in controls and len(item.judged) == 1 and row.target == f"entity:{item.judged[0]}":
                name = control(row.question, JUDGED)
            if name in controls:
                answers[name] = row.answer
        who = numbers[own[0].worker_id] if source == HUMAN else f"{source.removeprefix('judge:')}/{own[0].worker_id}"
        found.setdefault(item.item_id, []).append((who, answers, own[0].seconds, own[0].submitted_at))
    return found
