"""What the authors of ABC-Eval published of their whole project, read part by part and checked.

The file holds an object of stages: who chatted (`dialogue_collection`), what the trained annotators of the study said
(`surge_evaluation`), and how each group of annotators did in the training (`…_onboarding`). A stage holds `dialogues`,
with the answers at the dialogue or at its turns, and `work_units`, which say who gave them, when, and how long it took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.files import field as get
from parlai_spotbot.importers.abc_eval_labels import BOTS, LABELS, REMEDY, label_named
from parlai_spotbot.importers.json_parts import OPEN, SKIP, TAKE, parts
from parlai_spotbot.records import NAME

CHATS, ANSWERS = "dialogue_collection", "surge_evaluation"
TRAININGS = {"student_onboarding": "students", "mturk_onboarding": "mturkers", "surge_onboarding": "surgers"}
"""Stages of the training and what their groups of annotators are called."""

STAGES = (CHATS, ANSWERS, *TRAININGS)
NEEDED = (CHATS, ANSWERS)

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

RATINGS, SIDES = range(1, 6), range(-1, 2)
TIMES = ("first_bot", "second_bot", "first_likert", "second_likert", "comparative")


@dataclass(frozen=True)
class WorkUnit:
    """A work unit: who did it, in how many seconds (None where that is not known), on which dialogues, and when."""

    worker: str
    seconds: float | None
    task: str
    dialogues: tuple[str, ...]
    finished: str
    times: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ProjectAnswer:
    """One answer: `kind` is "label", "turn", "dialogue" or "pair"; `turn` numbers the bot's turns from 0, `other` is
    the dialogue that it is compared to."""

    kind: str
    name: str
    value: int
    unit: str
    turn: int | None = None
    other: str = ""


@dataclass(frozen=True)
class TrainingAttempt:
    """A dialogue of the training as somebody annotated it: how many turns were wrong, and whether that was enough."""

    unit: str
    wrong: int
    passed: bool | None


@dataclass
class ProjectDialogue:
    """A dialogue with all that was said of it."""

    bot: str
    exchanges: list[tuple[str, str]]
    answers: list[ProjectAnswer] = field(default_factory=list)
    attempts: list[TrainingAttempt] = field(default_factory=list)


@dataclass
class ProjectStage:
    """A stage's dialogues and work units, by their ids."""

    dialogues: dict[str, ProjectDialogue] = field(default_factory=dict)
    work_units: dict[str, WorkUnit] = field(default_factory=dict)


def read_project(path: Path | str, tick: Callable[[], None] = lambda: None) -> dict[str, ProjectStage]:
    """The stages of `STAGES` that the file holds; `tick` is called for each dialogue.

    Raises `UserError` that names stage, dialogue, turn and field of the first thing that is wrong.
    """
    path, stages = Path(path), {}

    def want(keys: tuple[str, ...]) -> str:
        if keys[0] not in STAGES:
            return SKIP
        return (
            OPEN
            if len(keys) == 1 or (len(keys) == 2 and keys[1] in ("dialogues", "work_units"))
            else (TAKE if len(keys) == 3 else SKIP)
        )

    for keys, value in parts(path, want, REMEDY):
        where = f"{path}: {' '.join(keys[:2])} {keys[2]!r}" if len(keys) == 3 else f"{path}: {'.'.join(keys)}"
        if len(keys) < 3:
            if value is None and len(keys) == 1 and keys[0] not in NEEDED:
                continue
            raise UserError(f"{where}: expected keys and values, found {type(value).__name__}.", REMEDY)
        stage = stages.setdefault(keys[0], ProjectStage())
        if keys[1] == "work_units":
            stage.work_units[keys[2]] = _work_unit(value, where)
        else:
            stage.dialogues[keys[2]] = _dialogue(value, where, keys[0] in TRAININGS)
            tick()
    for name in NEEDED:
        if name not in stages or not stages[name].dialogues:
            raise UserError(f"{path}: has no dialogues of {name}.", REMEDY)
    for name, stage in stages.items():
        _joined(stage, f"{path}: {name}")
    return stages


def _work_unit(row: Any, where: str) -> WorkUnit:
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {row!r}.", REMEDY)
    number = (int, float, type(None))
    seconds = get(row, "time_to_complete_sec", number, where, None)
    times = get(row, "subtask_durations", (dict, type(None)), where, None) or {}
    dialogues = get(row, "dialogue_ids", list, where)
    if not all(isinstance(one, str) for one in dialogues):
        raise UserError(f"{where}: field 'dialogue_ids' is {dialogues!r}, expected ids of dialogues.", REMEDY)
    return WorkUnit(
        worker=get(row, "worker_id", str, where),
        seconds=_seconds(seconds),
        task=get(row, "task", (str, type(None)), where, "") or "",
        dialogues=tuple(dialogues),
        finished=get(row, "completion_date", (str, type(None)), where, "") or "",
        times={name: known for name in TIMES if (known := _seconds(get(times, name, number, where, None))) is not None},
    )


def _seconds(value: float | None) -> float | None:
    """Their -1, and what is not a number, mean that a time is not known."""
    return float(value) if value is not None and 0 <= value < float("inf") else None


def _dialogue(row: Any, where: str, training: bool) -> ProjectDialogue:
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {row!r}.", REMEDY)
    bot = get(row, "bot", (str, type(None)), where, None) or ""
    if not training and not NAME.match(BOTS.get(bot, bot)):
        raise UserError(f"{where}: field 'bot' is {bot!r}, expected a bot's name.", REMEDY)
    dialogue = ProjectDialogue(BOTS.get(bot, bot), [])
    for number, turn in enumerate(get(row, "turns", list, where)):
        here = f"{where}, turn {number}"
        if not isinstance(turn, dict):
            raise UserError(f"{here}: expected keys and values, found {turn!r}.", REMEDY)
        said = (get(turn, "user_turn", (str, type(None)), here, ""), get(turn, "bot_turn", (str, type(None)), here, ""))
        dialogue.exchanges.append((said[0] or "", said[1] or ""))
        if not training:
            dialogue.answers += _answers(turn, "behavior_annotations", "label", number, here)
            dialogue.answers += _answers(turn, "likert_annotations", "turn", number, here)
    if not dialogue.exchanges:
        raise UserError(f"{where}: field 'turns' is empty.", REMEDY)
    if training:
        dialogue.attempts += _attempts(row, where)
    else:
        dialogue.answers += _answers(row, "likert_annotations", "dialogue", None, where)
        dialogue.answers += _answers(row, "comparative_annotations", "pair", None, where)
    return dialogue


ALLOWED = {"label": range(2), "turn": RATINGS, "dialogue": RATINGS, "pair": SIDES}


def _answers(row: dict, name: str, kind: str, turn: int | None, where: str) -> Iterator[ProjectAnswer]:
    for label, given in get(row, name, dict, where, {}).items():
        here = f"{where}, {name} of {label!r}"
        ours = label_named(label, here) if kind == "label" else _dimension(label, here)
        if not isinstance(given, list):
            raise UserError(f"{here}: expected a list of answers, found {given!r}.", REMEDY)
        for one in given:
            if not isinstance(one, dict):
                raise UserError(f"{here}: expected keys and values, found {one!r}.", REMEDY)
            score = get(one, "score", (int, float), here)
            if score not in ALLOWED[kind]:
                said = f"{ALLOWED[kind][0]} to {ALLOWED[kind][-1]}"
                raise UserError(f"{here}: field 'score' is {score!r}, expected {said}.", REMEDY)
            other = get(one, "dialogue_compared_to_id", str, here) if kind == "pair" else ""
            yield ProjectAnswer(kind, ours, int(score), get(one, "work_unit_id", str, here), turn, other)


def _dimension(name: str, where: str) -> str:
    if name not in DIMENSIONS:
        raise UserError(f"{where}: dimension {name!r} is not known.", nearest(name, [*DIMENSIONS, *LABELS]))
    return DIMENSIONS[name]


def _attempts(row: dict, where: str) -> Iterator[TrainingAttempt]:
    for number, one in enumerate(get(row, "attempts", list, where, [])):
        here = f"{where}, attempt {number}"
        if not isinstance(one, dict):
            raise UserError(f"{here}: expected keys and values, found {one!r}.", REMEDY)
        wrong = get(one, "mistakes", (list, type(None)), here, None) or []
        passed = get(one, "passed", (bool, type(None)), here, None)
        yield TrainingAttempt(get(one, "work_unit_id", str, here), len(wrong), passed)


def _joined(stage: ProjectStage, where: str) -> None:
    """Every answer has its work unit, and every comparison the other dialogue."""
    for identity, dialogue in stage.dialogues.items():
        for answer in (*dialogue.answers, *dialogue.attempts):
            here = f"{where}, dialogue {identity!r}"
            if answer.unit not in stage.work_units:
                raise UserError(f"{here}: field 'work_unit_id' names {answer.unit!r}, which is not there.", REMEDY)
            work = stage.work_units[answer.unit]
            kind = getattr(answer, "kind", "")
            if kind == "pair" and (len(work.dialogues) != 2 or {identity, answer.other} != set(work.dialogues)):
                raise UserError(
                    f"{here}: compared to {answer.other!r}, but work unit {answer.unit!r} is about "
                    f"{' and '.join(map(repr, work.dialogues)) or 'no dialogue'}.",
                    REMEDY,
                )
            if kind == "pair" and answer.other not in stage.dialogues:
                raise UserError(f"{here}: compared to {answer.other!r}, which is not there.", REMEDY)
