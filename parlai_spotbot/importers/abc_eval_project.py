"""The file in which the authors of ABC-Eval published their whole project, as models that pydantic checks.

The file holds an object of stages: who chatted (`dialogue_collection`), what the trained annotators of the study said
(`surge_evaluation`), and how each group of annotators did in the training (`…_onboarding`). A stage holds `dialogues`,
with the answers at the dialogue or at its turns, and `work_units`, which say who gave them, when, and how long it took.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.abc_eval_labels import REMEDY, Bot, Label, one_of, read_release

CHATS, ANSWERS = "dialogue_collection", "surge_evaluation"
TRAININGS = {"student_onboarding": "students", "mturk_onboarding": "mturkers", "surge_onboarding": "surgers"}
"""Stages of the training and what their groups of annotators are called."""

DIMENSIONS = {
    "consistent": "consistency",
    "emotional": "emotional_understanding",
    "engaging": "engagingness",
    "grammatical": "grammaticality",
    "informative": "informativeness",
    "quality": "quality",
    "proactive": "proactivity",
    "relevant": "relevance",
}
"""Their names of dimensions and ours."""

Seconds = Annotated[
    float | None, BeforeValidator(lambda value: value if isinstance(value, (int, float)) and value >= 0 else None)
]
"""A time; their -1, and what is not a number, mean that it is not known."""

Text = Annotated[str, BeforeValidator(lambda value: value or "")]


class WorkUnit(BaseModel):
    """A work unit: who did it, in how many seconds, on which dialogues, and when."""

    worker_id: str
    dialogue_ids: list[str]
    time_to_complete_sec: Seconds = None
    task: Text = ""
    completion_date: Text = ""
    subtask_durations: dict[str, Seconds] | None = None

    def seconds(self, part: str) -> float | None:
        """Return how long a part of the unit took."""
        return (self.subtask_durations or {}).get(part)


class Answer(BaseModel):
    """An answer of a work unit."""

    work_unit_id: str


class LabelAnswer(Answer):
    """Presence of a behaviour in a turn."""

    score: int = Field(ge=0, le=1)


class Rating(Answer):
    """A rating of a turn or dialogue on a dimension."""

    score: int = Field(ge=1, le=5)


class Choice(Answer):
    """A preference over another dialogue (1), for it (-1), or neither."""

    score: int = Field(ge=-1, le=1)
    dialogue_compared_to_id: str


class TrainingAttempt(Answer):
    """A dialogue of the training as somebody annotated it: the mistakes, and whether that was enough."""

    mistakes: list | None = None
    passed: bool | None = None


Dimension = Annotated[str, one_of(DIMENSIONS)]


class ProjectTurn(BaseModel):
    """An exchange with the answers about its second turn."""

    user_turn: Text = ""
    bot_turn: Text = ""
    behavior_annotations: dict[Label, list[LabelAnswer]] = {}
    likert_annotations: dict[Dimension, list[Rating]] = {}


class ProjectDialogue(BaseModel):
    """A dialogue with all that was said of it."""

    bot: Bot
    turns: list[ProjectTurn] = Field(min_length=1)
    likert_annotations: dict[Dimension, list[Rating]] = {}
    comparative_annotations: dict[Dimension, list[Choice]] = {}

    @property
    def exchanges(self) -> list[tuple[str, str]]:
        return [(turn.user_turn, turn.bot_turn) for turn in self.turns]

    def answers(self) -> Iterator[tuple[str, Answer, int | None]]:
        """Yield (label or dimension, answer, number of the bot's turn or None)."""
        for number, turn in enumerate(self.turns):
            for given in (turn.behavior_annotations, turn.likert_annotations):
                yield from ((name, one, number) for name, answers in given.items() for one in answers)
        for given in (self.likert_annotations, self.comparative_annotations):
            yield from ((name, one, None) for name, answers in given.items() for one in answers)


class TrainingDialogue(BaseModel):
    """A dialogue of the training."""

    turns: list = Field(min_length=1)
    attempts: list[TrainingAttempt] = []


class ProjectStage(BaseModel):
    """A stage's dialogues and work units, by their ids."""

    dialogues: dict[str, ProjectDialogue] = Field(min_length=1)
    work_units: dict[str, WorkUnit]


class TrainingStage(BaseModel):
    """A stage of the training of a group of annotators."""

    dialogues: dict[str, TrainingDialogue]
    work_units: dict[str, WorkUnit]


class Project(BaseModel):
    """The stages that are read of the file."""

    dialogue_collection: ProjectStage
    surge_evaluation: ProjectStage
    student_onboarding: TrainingStage | None = None
    mturk_onboarding: TrainingStage | None = None
    surge_onboarding: TrainingStage | None = None

    def stages(self) -> dict[str, ProjectStage | TrainingStage]:
        """Return the stages that the file holds."""
        return {name: stage for name, stage in self if stage is not None}


def read_project(path: Path | str) -> Project:
    """Read and check the project; a `UserError` names stage, dialogue, turn and field of the first wrong value."""
    project = read_release(Project, Path(path), "file of the project")
    for name, stage in project.stages().items():
        for identity, dialogue in stage.dialogues.items():
            where = f"{path}: {name}, dialogue {identity!r}"
            training = isinstance(dialogue, TrainingDialogue)
            for answer in dialogue.attempts if training else (one for _, one, _ in dialogue.answers()):
                _check_links(stage, identity, answer, where)
    return project


def _check_links(stage: ProjectStage | TrainingStage, identity: str, answer: Answer, where: str) -> None:
    """Raise `UserError` where an answer lacks its work unit, or a comparison the other dialogue."""
    if answer.work_unit_id not in stage.work_units:
        raise UserError(f"{where}: field 'work_unit_id' names {answer.work_unit_id!r}, which is not there.", REMEDY)
    shown = stage.work_units[answer.work_unit_id].dialogue_ids
    if isinstance(answer, Choice):
        other = answer.dialogue_compared_to_id
        if len(shown) != 2 or {identity, other} != set(shown) or other not in stage.dialogues:
            raise UserError(
                f"{where}: compared to {other!r}, but work unit {answer.work_unit_id!r} is about "
                f"{' and '.join(map(repr, shown)) or 'no dialogue'}.",
                REMEDY,
            )
