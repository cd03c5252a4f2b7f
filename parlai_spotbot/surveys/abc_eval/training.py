"""The definitions, examples and gold dialogues of ABC-Eval's tasks, read from training/TASK.yaml, and how they grade.

ABC-Eval (2022, section 5, appendix D): three dialogues a task that cover positive and negative cases of each label,
with an explanation for every turn; the third decides. Two more serve a second attempt, and to watch quality later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.surveys.abc_eval.labels import LABELS, TASKS, complete, labels_of, possible
from parlai_spotbot.surveys.tasks import ROLES, GoldDialogue, TaskMaterial
from parlai_spotbot.user_files import read_file

FOLDER = Path(__file__).with_name("training")
ROUNDS = 3
"""Dialogues of a first attempt, the last of which decides."""

Answers = Mapping[tuple[str, str], Any]
"""(question, target) -> answer."""


@dataclass(frozen=True)
class GradedTurn:
    """Description of how one turn of a gold dialogue was annotated; `given` is None where answers were missing."""

    turn: int
    given: frozenset[str] | None
    gold: frozenset[str]
    why: str

    @property
    def right(self) -> bool:
        """Return True if the turn bears the gold labels and no other."""
        return self.given == self.gold


def gold_dialogues(task: str) -> tuple[GoldDialogue, ...]:
    """Return the gold dialogues of a task, those of the training in order; a wrong file is a `UserError`."""
    return read_task(task).dialogues


def marks(gold: GoldDialogue, answers: Answers) -> tuple[GradedTurn, ...]:
    """Describe how each turn of the bot was annotated, in order: by labels, however they were come to."""
    return tuple(
        GradedTurn(turn, given_labels(gold.task, answers, turn), labels, gold.turns[turn].why)
        for turn, labels in gold.key.items()
    )


def given_labels(task: str, answers: Answers, turn: int) -> frozenset[str] | None:
    """Return the labels that an annotator's answers give a turn; None if answers are missing."""
    answer_by_question = {
        question: answer for (question, target), answer in answers.items() if target == f"turn:{turn}"
    }
    if not complete(task, answer_by_question):
        return None
    return frozenset(label for label, holds in labels_of(task, answer_by_question).items() if holds)


# -- the files ---------------------------------------------------------------------------------------------------------
@cache
def read_task(task: str) -> TaskMaterial:
    """Return what training/TASK.yaml says; the task is one of `TASKS`."""
    if task not in TASKS:
        raise UserError(f"task {task}: ABC-Eval has no such task.", nearest(task, TASKS))
    return read_file_of(FOLDER / f"{task}.yaml", task)


def read_file_of(path: Path, task: str) -> TaskMaterial:
    """Return a task's file, checked; a `UserError` names file, dialogue, turn and field."""
    read = _read(path, task)
    roles = Counter(dialogue.role for dialogue in read.dialogues)
    if list(read.definitions) != list(LABELS[task]) or not read.instructions:
        labels = ", ".join(LABELS[task])
        raise UserError(f"{path}: expected instructions, and definitions of {labels}.", "Add what is missing.")
    if [roles[role] for role in ROLES] != [ROUNDS, 1, 1]:
        raise UserError(
            f"{path}: the dialogues have the roles {dict(roles)}.",
            f"A task has {ROUNDS} of training, one second_chance and one gold.",
        )
    return replace(
        read,
        definitions={
            label: replace(about, label=label, heading=label.replace("_", " ").capitalize())
            for label, about in read.definitions.items()
        },
    )


def read_dialogues(path: Path, task: str) -> tuple[GoldDialogue, ...]:
    """Return gold dialogues alone, from a user's file ``{task, dialogues}``: each with the role gold."""
    dialogues = _read(path, task).dialogues
    if any(gold.role != "gold" for gold in dialogues):
        raise UserError(f"{path}: a dialogue has another role than gold.", "Give each the role gold.")
    return dialogues


def _read(path: Path, task: str) -> TaskMaterial:
    read = read_file(TaskMaterial, path, "Name a file of gold dialogues.")
    if read.task != task:
        raise UserError(f"{path}: field 'task' is '{read.task}', expected '{task}'.", "Name another file.")
    names = [dialogue.id for dialogue in read.dialogues]
    for dialogue in read.dialogues:
        if names.count(dialogue.id) > 1:
            raise UserError(f"{path}: dialogue '{dialogue.id}' stands twice.", "Give each an id of its own.")
        for number, labels in dialogue.key.items():
            given = dialogue.turns[number].labels
            if labels not in possible(task) or len(labels) < len(given):
                raise UserError(
                    f"{path}: dialogue '{dialogue.id}', turn {number}: labels are {list(given)!r}, which no answers to "
                    "the questions lead to.",
                    f"The labels of {task} are {', '.join(LABELS[task])}; leave out what excludes another.",
                )
    return replace(read, dialogues=tuple(replace(dialogue, task=task) for dialogue in read.dialogues))
