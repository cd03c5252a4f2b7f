"""Judgements from a CSV or JSON Lines file, with a mapping from the survey's fields to the file's columns.

Two shapes are understood. *Wide*: a row an annotation, the answers in columns `nature0`, `nature1`, `fluency`,
`sensibleness`, `specificity` (Spot The Bot). *Long*: a row an answer, with `question`, `target` and `answer` (any
survey). What the survey doesn't ask, or can't be answered, is refused here rather than by the analysis.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.format import FileWords, Format, ImportRequest
from parlai_spotbot.importers.imported_study import add_judgements
from parlai_spotbot.reading import Malformed, csv_rows
from parlai_spotbot.records import ADDITIONAL, Conversation, Judgement, judged_name
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_of
from parlai_spotbot.surveys.features import ANSWERS, features_of
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Question, Survey

NATURES = {f"nature{entity}": ("nature", f"entity:{entity}", ("human", "bot", "unsure")) for entity in (0, 1)}
NEEDED = ("conversation_id", "worker_id")
LONG = ("question", "target", "answer")
LABEL = "label_"
"""How the names of questions begin that data from elsewhere may have instead of ABC-Eval's."""
OPTIONAL = (
    "exchanges",
    "conversation_ids",
    "annotation_id",
    "unit_id",
    "item_id",
    "source",
    "seconds",
    "started_at",
    "submitted_at",
    "control",
)


def wide_fields(survey: Survey) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """The columns of answers in a row an annotation: column -> question, target, answers."""
    return NATURES | {name: (name, "pair", ANSWERS) for name in features_of(survey)}


@dataclass(frozen=True)
class JudgementRow:
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

    def choice(self, name: str, values: tuple[str, ...], answers: Mapping[str, str]) -> str:
        value = self.text(name)
        value = answers.get(value, value)
        if value not in values:
            raise UserError(
                f"{self.where}: field '{self.theirs[name]}' ({name}) is {value!r}.",
                nearest(value, values) + " Other words are told with --answers THEIRS=OURS,….",
            )
        return value


def judgements(
    path: Path | str,
    conversations: Mapping[str, Conversation],
    survey: Survey,
    *,
    items: Mapping[tuple[tuple[str, ...], str], str] | None = None,
    words: FileWords | None = None,
) -> list[Judgement]:
    """Read judgements about known conversations, in the order of the file; answers given again stand there again.

    Parameters
    ----------
    conversations : mapping
        Conversation id -> conversation.
    survey : Survey
        As the study asks it. Where it compares, a row is of two conversations (`conversation_ids`).
    items : mapping, optional
        Conversations and question of an item of the study's units -> its id: it says who is judged in them.
    words : FileWords, optional
        `columns`: our field -> their column, where the names differ. `answers`: their answer -> ours
        ("human", "bot", "unsure"; "entity:0", "entity:1", "no_difference").

    Raises
    ------
    UserError
        Names file, line and field, and what may have been meant.
    """
    path, words = Path(path), words or FileWords()
    if packing_of(survey).comes_in:
        raise UserError(f"--survey {survey.name}: has a format of its own.", f"Use --format {survey.name}.")
    rows = _csv(path) if path.suffix.lower() in (".csv", ".tsv") else _jsonl(path)
    if not rows:
        raise UserError(f"{path}: holds no rows.", "Name a file with a header and at least one row.")
    mapping, wide = _mapping(path, rows[0][1], dict(words.columns), survey)
    reader = JudgementReader(conversations, survey, items or {}, words.answers, wide)
    read: list[Judgement] = []
    places: dict[str, tuple[str, Judgement]] = {}
    for where, values in rows:
        row = JudgementRow(where, {field: values.get(theirs) for field, theirs in mapping.items()}, mapping)
        for judgement in reader.read(row):
            place, other = places.setdefault(judgement.judgement_id, (where, judgement))
            if (other.worker_id, other.item_id) != (judgement.worker_id, judgement.item_id):
                raise UserError(
                    f"{where}: annotation '{judgement.annotation_id}' is of another annotator or item on {place}.",
                    "Give each annotation an annotation_id of its own.",
                )
            read.append(judgement)
    return read


def _csv(path: Path) -> list[tuple[str, dict]]:
    try:
        lines = list(csv_rows(path))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", "Name a CSV or JSON Lines file.") from None
    except (Malformed, IsADirectoryError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", "Save it as CSV in UTF-8.") from None
    head = [key.strip() for key in lines[0][1]] if lines else []
    rows = []
    for number, values in lines[1:]:
        where = f"{path}, line {number}"
        if len(values) != len(head):
            raise UserError(f"{where}: has not the {len(head)} fields of the header.", "Quote fields with commas.")
        rows.append((where, dict(zip(head, (value.strip() for value in values), strict=True))))
    return rows


def _jsonl(path: Path) -> list[tuple[str, dict]]:
    return files.read_jsonl(path, lambda row, where: (where, row), "file of judgements", "Name a CSV or JSONL file.")


def _mapping(path: Path, first: dict, columns: dict[str, str], survey: Survey) -> tuple[dict[str, str], bool]:
    """Our field -> their column, for all that the file has; and whether its shape is wide."""
    answers = wide_fields(survey)
    fields = (*NEEDED, *answers, *LONG, *OPTIONAL)
    for field, theirs in columns.items():
        if field not in fields:
            raise UserError(f"--columns {field}={theirs}: there is no field '{field}'.", nearest(field, fields))
        if theirs not in first:
            raise UserError(f"--columns {field}={theirs}: {path} has no column '{theirs}'.", nearest(theirs, first))
    mapping = {name: columns.get(name, name) for name in fields if columns.get(name, name) in first}
    if "exchanges" not in mapping and "k" in first:
        mapping["exchanges"] = "k"
    wide = "answer" not in mapping
    for name in survey.features.own if wide else ():
        if name in first and name not in answers:
            raise UserError(
                f"{path}: column '{name}' answers what this study doesn't ask (spotbot_pack --ask).",
                "Take the column out, or import into a study that asks it.",
            )
    if wide and survey.name != "spot_the_bot":
        raise UserError(
            f"{path}: has no column 'answer', and a row an annotation is understood for spot_the_bot only.",
            "Bring it to a row an answer: question, target, answer.",
        )
    if packing_of(survey).compares and "conversation_ids" not in mapping:
        raise UserError(
            f"{path}: has no column 'conversation_ids', but survey {survey.name} compares two conversations.",
            "Give both ids in it, in the order of the answer (CSV: with a space between), or name it: --columns "
            "conversation_ids=THEIR_COLUMN.",
        )
    needed = [name for name in NEEDED if name != "conversation_id" or "conversation_ids" not in mapping]
    needed += ["exchanges"] if packing_of(survey).cuts else []
    for name in (*needed, *(answers if wide else LONG)):
        if name not in mapping:
            raise UserError(
                f"{path}: has no column '{name}'. {nearest(name, first)}", f"Name it: --columns {name}=THEIR_COLUMN."
            )
    return mapping, wide


@dataclass(frozen=True)
class JudgementReader:
    """Makes judgements of rows: of known conversations, with answers that the survey has."""

    conversations: Mapping[str, Conversation]
    survey: Survey
    items: Mapping[tuple[tuple[str, ...], str], str]
    answers: Mapping[str, str]
    wide: bool

    def read(self, row: JudgementRow) -> list[Judgement]:
        """The judgements of a row; what is wrong with it is a `UserError`."""
        if self.wide:
            fields = wide_fields(self.survey)
            asked_fields = [
                (name, *field[:2], row.choice(name, field[2], self.answers)) for name, field in fields.items()
            ]
        else:
            name, target = row.text("question"), row.text("target")
            asked_fields = [(f"{name}-{target}", name, target, self._answer(row, name, target))]
        base = self._base(row, asked_fields[0][2])
        return [
            replace(base, judgement_id=f"{base.annotation_id}-{stem}", question=question, target=target, answer=answer)
            for stem, question, target, answer in asked_fields
        ]

    def _answer(self, row: JudgementRow, name: str, target: str) -> Any:
        """The answer to a question, which the survey puts of such a target and to which it is one."""
        questions = {question.name: question for question in self.survey.questions}
        value = row.values["answer"]
        value = self.answers.get(value, value) if isinstance(value, str) else value
        if name not in questions and name.startswith((ADDITIONAL, LABEL)):
            return value
        allowed = questions[name].targets if name in questions else ()
        if re.sub(r"^turn:\d+$", "turn", target) not in allowed:
            expected = [f"{question.name} about {of}" for question in questions.values() for of in question.targets]
            raise UserError(
                f"{row.where}: question '{name}' about target '{target}'.",
                nearest(f"{name} about {target}", expected, 12),
            )
        return _checked(row, questions[name], value, self.answers)

    def _base(self, row: JudgementRow, target: str) -> Judgement:
        ids = self._ids(row, target)
        exchanges = self._exchanges(row, ids)
        source = row.text("source", "human")
        if source != "human" and not source.startswith("judge:"):
            raise UserError(f"{row.where}: field '{row.theirs['source']}' is {source!r}.", "Write human or judge:NAME.")
        item = row.text("item_id", "") or self._item(row, ids, exchanges)
        worker = row.text("worker_id")
        identity_text = files.dumps([source, worker, item, row.text("started_at", "")])
        annotation = row.text("annotation_id", hashlib.sha256(identity_text.encode()).hexdigest()[:16])
        seconds = row.number("seconds", "seconds from 0 up") if row.text("seconds", "") else None
        return Judgement(
            judgement_id="",
            annotation_id=annotation,
            survey=self.survey.name,
            unit_id=row.text("unit_id", "imported"),
            item_id=item,
            conversation_ids=ids,
            exchanges=exchanges,
            target="",
            question="",
            answer=None,
            worker_id=worker,
            source=source,
            control=row.text("control", "") or None,
            started_at=row.text("started_at", ""),
            submitted_at=row.text("submitted_at", ""),
            seconds=seconds,
        )

    def _ids(self, row: JudgementRow, target: str) -> tuple[str, ...]:
        """The conversations that the row is about: two where it compares, else one."""
        name = "conversation_ids" if row.values.get("conversation_ids") else "conversation_id"
        value = row.values.get(name)
        ids = tuple(map(str, value)) if isinstance(value, list) else (row.text(name),)
        if name == "conversation_ids" and not isinstance(value, list):
            ids = tuple(ids[0].split())
        for identity in ids:
            if identity not in self.conversations:
                raise UserError(
                    f"{row.where}: field '{row.theirs[name]}' names '{identity}', which is not among the study's "
                    f"{len(self.conversations)} conversations.",
                    nearest(identity, self.conversations, most=8),
                )
        packing = packing_of(self.survey)
        compares = packing.compares or (packing.chats and target == "pair")
        if len(set(ids)) != 1 + compares:
            raise UserError(
                f"{row.where}: field '{row.theirs[name]}' names {', '.join(ids)}, expected "
                f"{'two different conversations' if compares else 'one conversation'}.",
                "Correct it, or choose the --survey that these answers are of.",
            )
        return ids

    def _exchanges(self, row: JudgementRow, ids: tuple[str, ...]) -> int:
        """Return how many exchanges were shown: all, where the row doesn't say."""
        there = max(self.conversations[identity].exchanges for identity in ids)
        if not row.text("exchanges", "") and not packing_of(self.survey).cuts:
            return there
        exchanges = row.number("exchanges", "a whole number from 1 up", whole=True)
        if exchanges > there:
            raise UserError(
                f"{row.where}: field '{row.theirs['exchanges']}' is {exchanges}, but conversation {' and '.join(ids)} "
                f"has {there} exchanges.",
                "Correct it; k counts exchanges, not turns.",
            )
        return int(exchanges)

    def _item(self, row: JudgementRow, ids: tuple[str, ...], exchanges: int) -> str:
        """The id of the item, where the row has none: where only the study's units know who is judged, theirs."""
        unclear = [
            self.conversations[identity] for identity in ids if judged_name(self.conversations[identity]) is None
        ]
        if not packing_of(self.survey).compares or not unclear:
            return f"{'-'.join(ids)}-{exchanges}"
        item = self.items.get((ids, row.text("question", "")))
        if item is None:
            raise UserError(
                f"{row.where}: which of {' and '.join(unclear[0].entities)} is judged in conversation "
                f"{unclear[0].conversation_id} isn't known: no unit shows {' and '.join(ids)} with this question.",
                "Pack such units first (spotbot_pack), or name theirs: field item_id.",
            )
        return item


def _checked(row: JudgementRow, question: Question, value: Any, answers: Mapping[str, str]) -> Any:
    """The answer as the question stores it; what it doesn't offer is a `UserError`."""
    values = tuple(option.value for option in question.options)
    if question.kind in ("checkboxes", "ranking"):
        several = [
            answers.get(part, part) for part in (value if isinstance(value, list) else row.text("answer").split())
        ]
        wrong = [part for part in several if part not in values]
        if wrong:
            raise UserError(
                f"{row.where}: field '{row.theirs['answer']}' (answer) holds {wrong[0]!r}.",
                nearest(str(wrong[0]), values),
            )
        return several
    if question.kind == "free_text":
        return row.text("answer", "")
    return row.choice("answer", values, answers)


def _add(request: ImportRequest) -> str:
    survey, path = request["survey"], Path(request["data"])
    study = Study.open(request["study"])
    get_survey(survey, study)
    c_by_conversation_id = {c.conversation_id: c for c in study.conversations()}
    columns, answers = request.pairs("columns"), request.pairs("answers")
    of_study = survey_of(study, survey)
    units = study.units(survey) if study.units_path(survey).exists() else []
    items = {
        (item.conversation_ids, name): item.item_id
        for unit in units
        for item in unit.items
        for name in item.questions or [question.name for question in of_study.questions]
    }
    new = judgements(path, c_by_conversation_id, of_study, items=items, words=FileWords(columns, answers))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    about = {"source": path.name, "sha256": sha256, "columns": columns, "answers": answers}
    with study.lock("spotbot_import"):
        lines = add_judgements(study, of_study, new, about)
    return "\n".join([*lines, f"written: {study.judgements_path(survey)}"])


FORMAT = Format(_add)
