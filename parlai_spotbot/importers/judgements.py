"""Judgements from a table, with a mapping from the survey's fields to the file's columns.

Two shapes are understood. *Wide*: a row an annotation, the answers in columns called like the survey's questions
(`fluency`), those about one of the two entities with its number (`nature0`, `nature1`) unless only one is judged
(`quality`). *Long*: a row an answer, with `question`, `target` and `answer`. Questions and answers that the survey does
not have are refused here rather than by the analysis.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import (
    NONE,
    Names,
    Row,
    head_of,
    named_columns,
    plain_text,
    spelling,
    unread_note,
)
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import add_judgements, judged_study
from parlai_spotbot.importers.left_out import LeftOut, Unusable
from parlai_spotbot.importers.numbers import readings
from parlai_spotbot.importers.several_in_a_row import PLACE
from parlai_spotbot.importers.survey_tools import answer_rows
from parlai_spotbot.importers.times import utc_time
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import ADDITIONAL, HUMAN, Conversation, Judgement, indexed, judged_name
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.features import features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Question, Survey
from parlai_spotbot.user_files import validated

NAMES: Mapping[str, Sequence[str]] = own_data(__file__)
LONG = ("question", "target", "answer")
WHOLE = re.compile(r"\.0+$")
TURN = "turn"
LABEL = "label_"
"""How the names of questions begin that data from elsewhere may have instead of ABC-Eval's."""


Time = Annotated[str, BeforeValidator(lambda value: value and utc_time(value))]


class RowFields(BaseModel):
    """The fields of a row beside its answers."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    worker_id: str
    conversation_ids: tuple[str, ...]
    exchanges: int | None = Field(None, ge=1)
    turn: int | None = Field(None, ge=0)
    annotation_id: str = ""
    unit_id: str = "imported"
    item_id: str = ""
    source: str = Field("human", pattern="^(human|judge:.+)$")
    control: str | None = None
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    started_at: Time = ""
    submitted_at: Time = ""


def wide_fields(survey: Survey) -> dict[str, tuple[str, str]]:
    """Return the columns of answers in a row an annotation: column -> question, target; "" is who is judged."""
    fields = {}
    for question in survey.main:
        for target in question.targets:
            if target in ("pair", TURN):
                fields[question.name] = (question.name, target.removeprefix(TURN))
            elif target.startswith("entity:"):
                fields[f"{question.name}{target[-1]}"] = (question.name, target)
                if not survey.spots:
                    fields[question.name] = (question.name, "")
    return fields


@dataclass(frozen=True)
class JudgementReader:
    """Makes judgements of rows: of known conversations, with answers that the survey has.

    `items`: conversations and question of an item of the study's units -> its id, which tells who is judged in them;
    `answers`: the file's answer -> ours.
    """

    conversations: Mapping[str, Conversation]
    survey: Survey
    items: Mapping[tuple[tuple[str, ...], str], str] = field(default_factory=dict)
    answers: Names = field(default_factory=dict)

    @classmethod
    def for_study(cls, study: Study, name: str, answers: Names | None = None) -> JudgementReader:
        """Return the reader of a study's survey."""
        data = study.load(name)
        survey = survey_of(data)
        questions = [question.name for question in survey.questions]
        items = {
            (item.conversation_ids, question): item.item_id
            for item in data.items.values()
            for question in item.questions or questions
        }
        return cls(indexed(study.conversations()), survey, items, answers or {})

    def read(
        self, values: Row, answers: Sequence[tuple[str, str, Any]], where: str, stems: Iterable[str] = ()
    ) -> list[Judgement]:
        """Return the judgements of a row: `values` are `RowFields`, `answers` of (question, target, answer).

        Raises `UserError` naming `where` and the field that is wrong.
        """
        if not values.get("worker_id"):
            raise Unusable("row without an annotator", f"{where}: 'worker_id' is missing.", "Fill it in.")
        row = validated(RowFields, values, where, "Correct it; columns are named with --columns OURS=THEIRS.")
        self._check_conversations(row, answers[0][1], where)
        answers = [(question, self._target(question, target, row, where), value) for question, target, value in answers]
        exchanges = row.exchanges or self._longest(row)
        item = row.item_id or self._item(row, answers[0][0], exchanges, where)
        identity = files.dumps([row.source, row.worker_id, item, row.started_at])
        annotation = row.annotation_id or hashlib.sha256(identity.encode()).hexdigest()[:16]
        about = row.model_dump(exclude={TURN}) | {"exchanges": exchanges, "item_id": item, "annotation_id": annotation}
        stems = stems or [f"{question}-{target}" for question, target, _ in answers]
        return [
            Judgement(
                judgement_id=f"{annotation}-{stem}",
                survey=self.survey.name,
                target=target,
                question=question,
                answer=self._answer(question, answer, where),
                **about,
            )
            for stem, (question, target, answer) in zip(stems, answers, strict=True)
        ]

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The survey's questions by name."""
        return {question.name: question for question in self.survey.questions}

    def _target(self, name: str, target: str, row: RowFields, where: str) -> str:
        """Return what an answer is about, by default the question's only target, or the conversation's only bot.

        Raises
        ------
        UserError
            The survey doesn't ask this question about it, or the conversation lacks it.
        """
        question = self.questions.get(name)
        if question is None and name.startswith((ADDITIONAL, LABEL)):
            return target
        if question is not None:
            target = target or self._judged(question, row, where)
            if target.startswith(TURN):
                self._check_turn(target.removeprefix(f"{TURN}:"), row, where)
            if re.sub(r"^turn:\d+$", TURN, target) in question.targets:
                return target
        problem = f"{where}: question '{name}'"
        asked = [*self.questions]
        if target:
            problem = f"{problem} about target '{target}'"
            name = f"{name} about {target}"
            asked = [f"{known.name} about {of}" for known in self.survey.questions for of in known.targets]
        raise UserError(f"{problem}.", nearest(name, asked, 12))

    def _judged(self, question: Question, row: RowFields, where: str) -> str:
        """Return the target of a question of which a row names none: its only one, or the conversation's only bot."""
        if question.targets == (TURN,) and row.turn is not None:
            return f"{TURN}:{row.turn}"
        entities = self.conversations[row.conversation_ids[0]].entities
        targets = question.targets
        if len(targets) > 1:
            targets = [f"entity:{place}" for place, entity in enumerate(entities) if entity != HUMAN]
        if len(targets) == 1 and targets[0] in question.targets:
            return targets[0]
        raise UserError(
            f"{where}: which of {' and '.join(entities)} the answer to '{question.name}' is about isn't said.",
            f"Name a column for each: --columns {question.name}0=THEIRS,{question.name}1=THEIRS; or one of targets: "
            "target=THEIRS.",
        )

    def _check_turn(self, number: str, row: RowFields, where: str) -> None:
        """Raise `UserError` for a turn that isn't said, or that the conversation lacks, or a person's."""
        if not number.isdecimal():
            raise UserError(
                f"{where}: which turn isn't said.", "Name its column: --columns turn=THEIRS; 0 is the first."
            )
        speakers = [turn.speaker for turn in self.conversations[row.conversation_ids[0]].turns]
        problem = ""
        if int(number) >= len(speakers):
            problem = f"the conversation has {len(speakers)}"
        elif speakers[int(number)] == HUMAN and {*speakers} != {HUMAN}:
            problem = "it is a person's"
        if problem:
            raise UserError(f"{where}: turn {number}: {problem}.", "Count turns from 0, the first of the conversation.")

    def _longest(self, row: RowFields) -> int:
        return max(self.conversations[identity].exchanges for identity in row.conversation_ids)

    def _check_conversations(self, row: RowFields, target: str, where: str) -> None:
        ids = row.conversation_ids
        for identity in ids:
            if identity not in self.conversations:
                raise Unusable(
                    "row about a conversation that the study lacks",
                    f"{where}: conversation '{identity}' is not among the study's {len(self.conversations)}.",
                    nearest(identity, self.conversations, most=8),
                )
        packing = packing_of(self.survey)
        compares = packing.compares or (packing.chats and target == "pair")
        if len(set(ids)) != 1 + compares:
            expected = "one conversation"
            if compares:
                expected = "two different conversations (conversation_ids)"
            raise UserError(
                f"{where}: names {', '.join(ids) or 'no conversation'}, expected {expected}.",
                "Correct it, or choose the --survey that these answers are of.",
            )
        if row.exchanges is None and packing.cuts:
            raise UserError(f"{where}: 'exchanges' is missing.", "Name it: --columns exchanges=THEIR_COLUMN.")
        if (row.exchanges or 0) > self._longest(row):
            raise UserError(
                f"{where}: exchanges: {row.exchanges}, but conversation {' and '.join(ids)} has {self._longest(row)}.",
                "Correct it; exchanges are counted, not turns.",
            )

    def _item(self, row: RowFields, question: str, exchanges: int, where: str) -> str:
        """Return the id of the item of a row without one; that of the study's units where only they tell who is
        judged."""
        ids = row.conversation_ids
        unclear = [talk for talk in map(self.conversations.__getitem__, ids) if judged_name(talk) is None]
        if not packing_of(self.survey).compares or not unclear:
            return f"{'-'.join(ids)}-{exchanges}"
        item = self.items.get((ids, question))
        if item is None:
            raise UserError(
                f"{where}: which of {' and '.join(unclear[0].entities)} is judged in conversation "
                f"{unclear[0].conversation_id} isn't known: no unit shows {' and '.join(ids)} with this question.",
                "Pack such units first (spotbot_pack), or name theirs: field item_id.",
            )
        return item

    def _answer(self, name: str, value: Any, where: str) -> Any:
        """Return the answer to a question as the survey stores it, which the question must offer."""
        if isinstance(value, str):
            value = self.answers.get(value, value)
        question = self.questions.get(name)
        if question is None:
            return value
        if question.kind == "free_text":
            return str(value or "")
        if question.kind not in ("checkboxes", "ranking"):
            return self._choice(question, str(value), where)
        if not isinstance(value, list):
            value = str(value or "").split()
        return [self._choice(question, str(one), where) for one in value]

    def _choice(self, question: Question, word: str, where: str) -> str:
        """Return the option of a question that a word of the file means."""
        word = self.answers.get(word, self.answers.get(WHOLE.sub("", word), word))
        values = [option.value for option in question.options]
        if word not in values:
            meant = {option.label: option.value for option in question.options} | {value: value for value in values}
            numbers = {*readings(word).values()}
            fits = {value for name, value in meant.items() if numbers & {*readings(name).values()}}
            if not numbers:
                fits = {value for name, value in meant.items() if spelling(name) == spelling(word)}
            if len(fits) == 1:
                word = fits.pop()
        if word in values:
            return word
        if not plain_text(word):
            problem = f"{where}: has no answer to '{question.name}'."
            raise Unusable("row without all answers", problem, "Fill it in, or remove the row.")
        allowed = dict.fromkeys([*values, *(option.label for option in question.options)])
        remedy = nearest(word, allowed) + " Map other words with --answers THEIRS=OURS,…."
        if question.scale:
            remedy += " Another scale is a survey of your own: its question has a scale; pack it, then name it."
        raise UserError(f"{where}: answer to '{question.name}' is {word!r}.", remedy)


def judgements(
    path: Path | str, reader: JudgementReader, columns: Names, left_out: LeftOut, by_rule: Counter[str]
) -> tuple[list[Judgement], list[str]]:
    """Return judgements about known conversations, in the order of the file, repeated answers repeated.

    Beside them are notes on columns that are read under other names than ours, or not at all.

    `columns`: our field -> their column, where the names differ; `by_rule` counts rows that their tool rejects.

    Raises
    ------
    UserError
        Names file, line and field, and what may have been meant.
    """
    path = Path(path)
    survey = reader.survey
    if packing_of(survey).comes_in:
        raise UserError(f"--survey {survey.name}: has a format of its own.", f"Use --format {survey.name}.")
    rows = answer_rows(path, by_rule, columns)
    if not rows:
        raise UserError(f"{path}: holds no rows.", "Name a file with a header and at least one row.")
    head = head_of(rows)
    mapping, fields = _mapping(path, head, columns, survey)
    read: list[Judgement] = []
    places: dict[str, tuple[str, Judgement]] = {}
    called = mapping.get("annotation_id", "annotation_id")
    stems = [name for name in fields if TURN not in mapping]
    for where, row in rows:
        with left_out.row():
            left_out.once(row.items(), where)
            values = _values(row, mapping)
            if "question" in mapping and not values.get("question"):
                raise Unusable("row without a question", f"{where}: 'question' is missing.", "Fill it in.")
            answers = _answers_of(values, fields, survey)
            for judgement in reader.read(values, answers, where, stems):
                place, first = places.setdefault(judgement.judgement_id, (where, judgement))
                _check_annotation(judgement, first, where, place, called)
                read.append(judgement)
    return read, _notes(head, mapping, columns)


def _notes(head: Iterable[str], mapping: Names, columns: Names) -> list[str]:
    """Return what a summary says of columns: those with other names than ours, those that aren't read."""
    named = [f"{ours} from {name}" for ours, name in mapping.items() if spelling(name) != ours and ours not in columns]
    notes = [unread_note(head, mapping.values())]
    if named:
        notes.append(f"read: {'; '.join(named)}")
    return [note for note in notes if note]


def _answers_of(values: Row, fields: Mapping[str, tuple[str, str]], survey: Survey) -> list[tuple[str, str, Any]]:
    """Return the question, target and answer of each answer in a row."""
    if fields:
        return [(*field, values.get(name)) for name, field in fields.items()]
    question = str(values.get("question") or survey.main[0].name)
    return [(question, str(values.get("target") or ""), values.get("answer"))]


def _check_annotation(judgement: Judgement, first: Judgement, where: str, place: str, called: str) -> None:
    """Raise `UserError` where the `first` judgement with the id of another, at `place`, is of another annotation."""
    if (first.worker_id, first.item_id) != (judgement.worker_id, judgement.item_id):
        problem = f"{where}: field '{called}' is '{judgement.annotation_id}', as on {place}"
        remedy = f"Give each annotation a '{called}' of its own."
        raise UserError(f"{problem}, of another annotator or item.", remedy)


def _values(row: Row, mapping: Names) -> Row:
    """Return our fields of a row that hold something; ids of conversations as a list."""
    values = {}
    for name, theirs in mapping.items():
        value = row.get(theirs)
        if isinstance(value, str):
            value = value.strip()
        held = value not in (None, "") and value == value
        if name in RowFields.model_fields:
            held = plain_text(value)
        if held or isinstance(value, list):
            values[name] = value
    ids = values.pop("conversation_ids", None) or values.pop("conversation_id", "")
    if not isinstance(ids, list):
        ids = str(ids).split()
    return values | {"conversation_ids": ids}


def _mapping(
    path: Path, first: Sequence[str], columns: Names, survey: Survey
) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Return our field -> their column, for all that the file has; and the `wide_fields` of a file of that shape."""
    answers = wide_fields(survey)
    names = _names_of_fields(answers, survey)
    mapping = named_columns(columns, names, path, first, inner=(*NAMES, *answers))
    needed = _needed(mapping, answers, survey)
    _check_missing(path, first, mapping, needed, columns, survey)
    if mapping.keys().isdisjoint(needed):
        raise UserError(f"{path}: no column of answers is left.", "Leave out fewer with --columns NAME=-.")
    return mapping, {name: answers[name] for name in needed if name in answers and name in mapping}


def _names_of_fields(answers: Iterable[str], survey: Survey) -> dict[str, Sequence[str]]:
    """Return our fields -> how a file may call them: our names and others."""
    fields = ["conversation_id", *RowFields.model_fields, *LONG, *answers]
    if not any(TURN in question.targets for question in survey.main):
        fields.remove(TURN)
    names: dict[str, Sequence[str]] = dict.fromkeys(features_of(get_survey("spot_the_bot")), ())
    return names | {name: [spelling(name), *NAMES.get(name, ())] for name in fields}


def _check_missing(
    path: Path, first: Sequence[str], mapping: Names, needed: Sequence[str], columns: Names, survey: Survey
) -> None:
    """Raise `UserError` that names all columns that a file lacks."""
    ids = "conversation_id"
    if "conversation_ids" in mapping:
        ids = "conversation_ids"
    dropped = [name for name in wide_fields(survey) if columns.get(name) == NONE]
    missing = [name for name in (ids, "worker_id", *needed) if name not in (*mapping, *dropped)]
    lacks = [f"column '{name}'" for name in missing]
    if not needed:
        asked = [question.name for question in survey.main]
        lacks.append(f"column 'answer', and none of a question of --survey {survey.name}: {', '.join(asked)}")
        missing.append(asked[0])
    if PLACE in first and "worker_id" in missing:
        raise UserError(
            f"{path}: holds lists of scores, and doesn't say of whom the places in them are.",
            f"Of annotators, the first of each list one person: --columns worker_id={PLACE}. Of systems or criteria: "
            "make a column of each.",
        )
    if missing:
        named = ",".join(f"{name}=THEIR_COLUMN" for name in missing)
        remedy = f"Name it: --columns {named}; of a row an answer question=THEIR_COLUMN,answer=THEIR_COLUMN."
        raise UserError(f"{path}: has no {', no '.join(lacks)}. {nearest(missing[0], first, 20)}", remedy)


def _needed(mapping: Names, answers: Iterable[str], survey: Survey) -> list[str]:
    """Return the fields of answers that a file must have: of the long shape where it has one, else of the wide one."""
    if "answer" in mapping and len(survey.main) > 1:
        return ["question", "answer"]
    if "answer" in mapping:
        return ["answer"]
    if survey.spots:
        return [*answers]
    return [name for name in answers if name in mapping]


def _add(request: ImportRequest) -> str:
    study = judged_study(request)
    columns = request.pairs("columns")
    answers = request.pairs("answers")
    reader = JudgementReader.for_study(study, request.survey, answers)
    by_rule: Counter[str] = Counter()
    new, notes = judgements(request.data, reader, columns, request.left_out, by_rule)
    about = {"columns": columns, "answers": answers, "left_out": dict(by_rule), "notes": notes}
    text = add_judgements(request, study, new, about)
    if NONE in columns.values():
        features = [feature for feature in features_of(reader.survey) if columns.get(feature) != NONE]
        with study.lock("spotbot_import"):
            study.record("asked", study.provenance().get("asked", {}) | {request.survey: features})
    return text


FORMAT = _add
