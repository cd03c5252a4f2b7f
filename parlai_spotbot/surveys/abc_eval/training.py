"""The definitions, examples and gold dialogues of ABC-Eval's tasks, read from training/TASK.yaml, and how they grade.

ABC-Eval (2022, section 5, appendix D): three dialogues a task that cover positive and negative cases of each label,
with an explanation for every turn; the third decides. Two more serve a second attempt, and to watch quality later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from parlai_spotbot.surveys.abc_eval.labels import complete, labels_of
from parlai_spotbot.surveys.shipped import FOLDER, data
from parlai_spotbot.surveys.tasks import GoldDialogue, TaskMaterial
from parlai_spotbot.user_files import validated

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


@cache
def read_task(task: str) -> TaskMaterial:
    """Return what training/TASK.yaml says; the task is one of `TASKS`."""
    name = f"abc_eval/training/{task}"
    read = validated(TaskMaterial, data(name), FOLDER / f"{name}.yaml")
    return replace(
        read,
        dialogues=tuple(replace(dialogue, task=task) for dialogue in read.dialogues),
        definitions={
            label: replace(about, label=label, heading=label.replace("_", " ").capitalize())
            for label, about in read.definitions.items()
        },
    )


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
