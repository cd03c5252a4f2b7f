"""Surveys that are split into tasks, each with labels, definitions, a training with gold labels, a limit of mistakes.

ABC-Eval (2022, section 5): small tasks, so that annotators need not keep many labels in mind; before the work three
dialogues whose gold labels are shown afterwards with the reasons; the third decides who may work.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from parlai_spotbot.surveys.about import Took

USER = 0
BOT = 1
"""The entities of a gold dialogue: the user speaks first, the bot is annotated."""


@dataclass(frozen=True)
class LabelExample:
    """A turn that does or doesn't bear a label, after its context, and why."""

    context: str
    turn: str
    label: bool
    why: str


@dataclass(frozen=True)
class LabelDefinition:
    """Definition of a label: in a sentence, by cases that count and near misses that don't, and by examples.

    A file leaves `label` and `heading` out, as it has the definitions by their labels.
    """

    label: str = ""
    heading: str = ""
    short: str = ""
    counts: tuple[str, ...] = ()
    counts_not: tuple[str, ...] = ()
    examples: tuple[LabelExample, ...] = ()


@dataclass(frozen=True)
class GoldTurn:
    """A turn of a gold dialogue, of the user or of the bot; the bot's have the `labels` that hold, and `why`."""

    user: str = ""
    bot: str = ""
    labels: tuple[str, ...] = ()
    why: str = ""

    @property
    def text(self) -> str:
        return self.user or self.bot


@dataclass(frozen=True)
class GoldDialogue:
    """A dialogue written for a task, with the labels of every turn of the bot; `task` is that of its file.

    `role` is "training" (a round of it) or "second_chance" (the decision of a further attempt).
    """

    id: str
    role: str
    covers: str
    turns: tuple[GoldTurn, ...]
    task: str = ""

    @property
    def bot_turns(self) -> tuple[int, ...]:
        """The numbers of the turns that are annotated."""
        return tuple(range(BOT, len(self.turns), 2))

    @property
    def key(self) -> dict[int, frozenset[str]]:
        """The labels that hold, by the number of the turn."""
        return {number: frozenset(self.turns[number].labels) for number in self.bot_turns}


@dataclass(frozen=True)
class TaskMaterial:
    """A file on a task: gold dialogues, instructions, and definitions by label."""

    task: str
    dialogues: tuple[GoldDialogue, ...]
    instructions: str
    definitions: Mapping[str, LabelDefinition]


Read = Callable[[str], TaskMaterial]
"""Reads the material of a task by its name."""


@dataclass(frozen=True)
class Task:
    """A part of a survey that is annotated separately.

    `questions` are names of the survey's questions, `labels` what their answers lead to; who gets the labels of more
    than `allowed` turns of the deciding dialogue wrong has not passed. `instructions` and `definitions` are there once
    the survey is narrowed to the task (`Survey.task`), which reads them by `read`. `took` is how long a conversation
    takes in it (`about.About`).
    """

    name: str
    title: str
    questions: tuple[str, ...]
    labels: tuple[str, ...]
    allowed: int
    instructions: str = ""
    definitions: tuple[LabelDefinition, ...] = ()
    read: Read | None = field(default=None, repr=False, compare=False)
    took: Took | None = None


def rounds(training: Sequence[GoldDialogue], attempt: int) -> tuple[GoldDialogue, ...]:
    """Return the gold dialogues of an attempt (from 0) in order, the last of which decides.

    The first has all rounds of the training; a further one the dialogue kept for it alone, which was never seen.
    """
    role = "second_chance"
    if attempt == 0:
        role = "training"
    return tuple(gold for gold in training if gold.role == role)
