"""The definitions, examples and gold dialogues of ABC-Eval's tasks, read from training/TASK.yaml, and how they grade.

ABC-Eval (2022, section 5, appendix D): three dialogues a task that cover positive and negative cases of each label,
with an explanation for every turn; the third decides. Two more serve a second attempt, and to watch quality later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_yaml
from parlai_spotbot.surveys.abc_eval.labels import LABELS, TASKS, complete, labels_of, possible
from parlai_spotbot.surveys.tasks import (
    BOT,
    ROLES,
    USER,
    GoldDialogue,
    GoldTurn,
    LabelDefinition,
    LabelExample,
    TaskMaterial,
)

FOLDER = Path(__file__).with_name("training")
ROUNDS = 3
"""Dialogues of a first attempt, the last of which decides."""

Answers = Mapping[tuple[str, str], Any]
"""(question, target) -> answer."""


@dataclass(frozen=True)
class GradedTurn:
    """How one turn of a gold dialogue was annotated; `given` is None where answers were missing."""

    turn: int
    given: frozenset[str] | None
    gold: frozenset[str]
    why: str

    @property
    def right(self) -> bool:
        """Whether the turn bears the gold labels and no other."""
        return self.given == self.gold


def gold_dialogues(task: str) -> tuple[GoldDialogue, ...]:
    """The gold dialogues of a task, those of the training in order; a missing or wrong file is a `UserError`."""
    return read_task(task).dialogues


def marks(gold: GoldDialogue, answers: Answers) -> tuple[GradedTurn, ...]:
    """How each turn of the bot was annotated, in order: by labels, however they were come to."""
    return tuple(
        GradedTurn(turn, given_labels(gold.task, answers, turn), labels, gold.turns[turn].why)
        for turn, labels in gold.key.items()
    )


def given_labels(task: str, answers: Answers, turn: int) -> frozenset[str] | None:
    """The labels that an annotator's answers give a turn; None where answers are missing."""
    own = {question: answer for (question, target), answer in answers.items() if target == f"turn:{turn}"}
    if not complete(task, own):
        return None
    return frozenset(label for label, holds in labels_of(task, own).items() if holds)


def wrong_turns(gold: GoldDialogue, answers: Answers) -> int:
    """Of how many turns the labels are not the gold ones."""
    return sum(not mark.right for mark in marks(gold, answers))


# -- the files ---------------------------------------------------------------------------------------------------------
@cache
def read_task(task: str) -> TaskMaterial:
    """What training/TASK.yaml says; the task is one of `TASKS`."""
    if task not in TASKS:
        raise UserError(f"task {task}: ABC-Eval has no such task.", nearest(task, TASKS))
    return read_file(FOLDER / f"{task}.yaml", task)


def read_file(path: Path, task: str) -> TaskMaterial:
    """A task's file, checked; a `UserError` names file, dialogue, turn and field."""
    row = _mapping(_yaml(path), f"{path}", ("task", "definitions", "instructions", "dialogues"))
    if row["task"] != task:
        raise UserError(f"{path}: field 'task' is {row['task']!r}, expected '{task}'.", "Name the file after its task.")
    where = f"{path}: definitions"
    definitions = _mapping(row["definitions"], where, LABELS[task])
    return TaskMaterial(
        instructions=_text(row["instructions"], f"{path}: instructions"),
        definitions=tuple(_definition(label, definitions[label], f"{where}.{label}") for label in LABELS[task]),
        dialogues=_dialogues(row["dialogues"], task, path),
    )


def read_dialogues(path: Path, task: str) -> tuple[GoldDialogue, ...]:
    """Gold dialogues alone, from a user's file ``{task, dialogues}``: each as in a task's file, with the role gold."""
    row = _mapping(_yaml(path, "Name a file of gold dialogues."), f"{path}", ("task", "dialogues"))
    if row["task"] != task:
        raise UserError(f"{path}: field 'task' is {row['task']!r}, the launch is for '{task}'.", "Name another file.")
    rows = enumerate(_list(row["dialogues"], f"{path}: dialogues"), 1)
    found = [_dialogue(one, task, path, number) for number, one in rows]
    for gold in found:
        if gold.role != "gold" or [one.id for one in found].count(gold.id) > 1:
            raise UserError(
                f"{path}: dialogue '{gold.id}' has the role {gold.role}, or stands there twice.",
                "Give each the role gold and an id of its own.",
            )
    return tuple(found)


def _yaml(path: Path, remedy: str = "Install the package again: it comes with this file.") -> Any:
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", remedy) from None
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", "Write it in UTF-8.") from None
    except Malformed as err:
        raise UserError(f"{path}: not valid YAML: {err}.", "Mend that line.") from None


def _definition(label: str, row: Any, where: str) -> LabelDefinition:
    row = _mapping(row, where, ("short", "counts", "counts_not", "examples"))
    examples = tuple(
        _instance(entry, f"{where}.examples, number {number}")
        for number, entry in enumerate(_list(row["examples"], f"{where}.examples"), start=1)
    )
    if {example.label for example in examples} != {True, False}:
        raise UserError(f"{where}.examples: expected some with label true and some with false.", "Add what is missing.")
    counts, counts_not = (
        tuple(_text(case, f"{where}.{key}") for case in _list(row[key], f"{where}.{key}"))
        for key in ("counts", "counts_not")
    )
    return LabelDefinition(
        label, label.replace("_", " ").capitalize(), _text(row["short"], f"{where}.short"), counts, counts_not, examples
    )


def _instance(row: Any, where: str) -> LabelExample:
    row = _mapping(row, where, ("context", "turn", "label", "why"))
    if not isinstance(row["label"], bool):
        raise UserError(f"{where}: field 'label' is {row['label']!r}, expected true or false.", "Correct it.")
    context, turn, why = (_text(row[key], f"{where}.{key}") for key in ("context", "turn", "why"))
    return LabelExample(context, turn, row["label"], why)


def _dialogues(rows: Any, task: str, path: Path) -> tuple[GoldDialogue, ...]:
    found = [_dialogue(row, task, path, number) for number, row in enumerate(_list(rows, f"{path}: dialogues"), 1)]
    ids = [gold.id for gold in found]
    for name in ids:
        if ids.count(name) > 1:
            raise UserError(f"{path}: dialogue '{name}' stands twice.", "Give each an id of its own.")
    for role, wanted in zip(ROLES, (ROUNDS, 1, 1), strict=True):
        number = sum(gold.role == role for gold in found)
        if number != wanted:
            raise UserError(
                f"{path}: {number} dialogues have the role {role}, expected {wanted}.",
                f"A task has {ROUNDS} of training, one second_chance and one gold.",
            )
    return tuple(found)


def _dialogue(row: Any, task: str, path: Path, number: int) -> GoldDialogue:
    name = row.get("id") if isinstance(row, dict) else None
    where = f"{path}: dialogue {number}" + (f" ({name})" if name else "")
    row = _mapping(row, where, ("id", "role", "covers", "turns"))
    if row["role"] not in ROLES:
        raise UserError(f"{where}: field 'role' is {row['role']!r}.", f"Known: {', '.join(ROLES)}.")
    turns = tuple(
        _turn(turn, task, place, f"{where}, turn {place}")
        for place, turn in enumerate(_list(row["turns"], f"{where}.turns"))
    )
    if len(turns) % 2:
        raise UserError(
            f"{where}: field 'turns' has {len(turns)}, expected that the bot has the last.", "Add its turn."
        )
    _text(row["id"], f"{where}.id")
    return GoldDialogue(row["id"], task, row["role"], _text(row["covers"], f"{where}.covers"), turns)


def _turn(row: Any, task: str, place: int, where: str) -> GoldTurn:
    if place % 2 == USER:
        return GoldTurn(USER, _text(_mapping(row, where, ("user",))["user"], f"{where}.user"))
    row = _mapping(row, where, ("bot", "labels", "why"))
    labels = _list(row["labels"], f"{where}.labels", empty=True)
    for label in labels:
        if label not in LABELS[task]:
            raise UserError(
                f"{where}: field 'labels' has {label!r}, no label of {task}.", nearest(str(label), LABELS[task])
            )
    if len(set(labels)) < len(labels) or frozenset(labels) not in possible(task):
        raise UserError(
            f"{where}: field 'labels' is {labels!r}, which no answers to the questions lead to.",
            "Leave out what excludes the other.",
        )
    return GoldTurn(BOT, _text(row["bot"], f"{where}.bot"), tuple(labels), _text(row["why"], f"{where}.why"))


def _mapping(row: Any, where: str, keys: tuple[str, ...]) -> dict:
    if not isinstance(row, dict):
        raise UserError(f"{where}: {row!r}, expected the fields {', '.join(keys)}.", "Correct it.")
    for key in row:
        if key not in keys:
            raise UserError(f"{where}: unknown field '{key}'.", nearest(str(key), keys))
    for key in keys:
        if key not in row:
            raise UserError(f"{where}: field '{key}' is missing.", "Add it.")
    return row


def _list(value: Any, where: str, empty: bool = False) -> list:
    if not isinstance(value, list) or not (value or empty):
        raise UserError(
            f"{where}: {value!r}, expected a list" + ("." if empty else " with something in it."), "Correct it."
        )
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where}: {value!r}, expected a text.", "Put it in quotes.")
    return value.strip()
