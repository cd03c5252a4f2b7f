"""What a survey is: its questions as data, which the web page gets as JSON and Python reads as frozen dataclasses.

An item is answered by going through the questions in order; a question is put once for each of its targets, and only
when the questions under `after` are answered for all of theirs (paper, section 3.1: the nature of both entities first,
then the features).
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

KINDS = ("choice", "scale", "checkboxes", "ranking", "free_text")
"""Answers: one option; one of an ordered list; any number of options; all options in an order; a text."""

TARGET = re.compile(r"^(entity:[01]|conversation:\d+|pair|turn)$")
"""`turn` stands for every turn of the item in turn; its judgements name each as turn:0, turn:1, …"""


@dataclass(frozen=True)
class Option:
    """One possible answer: `value` is stored, `label` is shown, `definition` explains it."""

    value: str
    label: str
    definition: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked of each target. `wording` may hold {entity}, which is replaced by the target's label."""

    name: str
    kind: str
    targets: tuple[str, ...]
    wording: str
    options: tuple[Option, ...] = ()
    help: str = ""
    required: bool = True
    after: tuple[str, ...] = ()

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"question '{self.name}': kind is {self.kind!r}, expected one of {', '.join(KINDS)}")
        if not self.targets or not all(TARGET.match(target) for target in self.targets):
            raise ValueError(
                f"question '{self.name}': targets are {self.targets!r}, "
                "expected entity:0, entity:1, pair, turn or conversation:N"
            )
        values = [option.value for option in self.options]
        if (self.kind == "free_text") == bool(values) or len(set(values)) != len(values):
            raise ValueError(
                f"question '{self.name}': options are {values!r}, "
                "expected different values (none for free_text, some for every other kind)"
            )


@dataclass(frozen=True)
class Survey:
    """An evaluation method: what annotators read first, and what they are asked about every item."""

    name: str
    title: str
    instructions: str
    questions: tuple[Question, ...]

    def __post_init__(self):
        known: set[str] = set()
        for question in self.questions:
            if question.name in known:
                raise ValueError(f"survey '{self.name}': question '{question.name}' stands twice")
            if not set(question.after) <= known:
                raise ValueError(
                    f"survey '{self.name}': question '{question.name}' comes after {question.after!r}, "
                    "expected names of earlier questions"
                )
            known.add(question.name)

    def question(self, name: str) -> Question:
        """The question of this name; an unknown one is a `ValueError`."""
        for question in self.questions:
            if question.name == name:
                return question
        names = ", ".join(question.name for question in self.questions)
        raise ValueError(f"question {name!r}: survey '{self.name}' has {names}")

    def to_json(self) -> dict:
        """The survey as the web page gets it; lists in place of tuples."""
        row = asdict(self)
        for question in row["questions"]:
            question.update({key: list(question[key]) for key in ("targets", "options", "after")})
        return {**row, "questions": list(row["questions"])}
