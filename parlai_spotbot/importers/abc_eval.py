"""The whole published project of ABC-Eval as one study: chats, five surveys, trainings, and the time that all took.

Surveys: abc_eval, dialogue_likert, turn_likert and comparative by the trained annotators of the study, interactive by
those who chatted. Other groups of annotators are there with their training only, as in the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.abc_eval_labels import (
    DOMAIN,
    QUESTION,
    REMEDY,
    SURVEY,
    ImportedAnnotation,
    conversation,
    released_labels,
)
from parlai_spotbot.importers.abc_eval_project import (
    ANSWERS,
    CHATS,
    STAGES,
    TRAININGS,
    ProjectAnswer,
    ProjectDialogue,
    ProjectStage,
    WorkUnit,
    read_project,
)
from parlai_spotbot.importers.conversations import numbered, plan_of
from parlai_spotbot.importers.format import ImportRequest, study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, TASKS, task_of_label
from parlai_spotbot.surveys.interactive import CHOICE
from parlai_spotbot.terminal import Bar

INTERACTIVE = "interactive"
LIKERT, TURNS, PAIRS = "dialogue_likert", "turn_likert", "comparative"
WHEN = "%m-%d-%Y %H:%M:%S"


def abc_eval(path: Path | str, tick: Callable[[], None] = lambda: None) -> ImportedStudy:
    """Read either published file: the nine labels of 108 conversations, or the whole project."""
    return full(path, tick) if is_full(path) else released_labels(path)


def is_full(path: Path | str) -> bool:
    """Whether a file holds the whole project, as its first key says."""
    try:
        with Path(path).open(encoding="utf-8-sig") as stream:
            head = stream.read(4096).lstrip()
        key = json.JSONDecoder().raw_decode(head[1:].lstrip())[0] if head.startswith("{") else ""
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", REMEDY) from None
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", REMEDY) from None
    except json.JSONDecodeError:
        key = ""
    return isinstance(key, str) and key.isidentifier()  # ids of dialogues begin with a parenthesis


def full(path: Path | str, tick: Callable[[], None] = lambda: None) -> ImportedStudy:
    """Read the whole project; `tick` is called for each dialogue. Raises `UserError` that names the place."""
    path = Path(path)
    stages = read_project(path, tick)
    maker = _Maker(str(path), stages)
    maker.make()
    found = numbered(list(maker.talks.values()))
    rows = maker.rows
    about = {
        "format": "abc_eval",
        "source": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "options": {},
        "conversations": len(found),
        "annotations": len({j.annotation_id for own in rows.values() for j in own}),
        "surveys": {name: len(own) for name, own in rows.items()},
        "training": len(maker.training),
        "unusable": {what: maker.odd[what, "left out"] for what in UNUSABLE if maker.odd[what, "left out"]},
        "oddities": [
            {"count": count, "of": "", "what": what, "rule": rule} for (what, rule), count in maker.odd.items()
        ],
        "notes": [
            "labels are kept as given, since the file doesn't say what was answered on the page",
            "annotators bear numbers; their ids are not kept",
            "judgements are those of the annotators of the study; of other groups there is the training",
        ],
    }
    others = {name: own for name, own in rows.items() if name != SURVEY and own}
    return ImportedStudy(
        plan_of(found, DOMAIN, None), found, SURVEY, (), rows[SURVEY], about, training=maker.training, others=others
    )


UNUSABLE = ("answers about turns that are not there",)


@dataclass
class _Maker:
    """Makes records of the stages: `talks` by id, `rows` by survey, `training`, and what is odd, counted."""

    path: str
    stages: dict[str, ProjectStage]
    talks: dict[str, Conversation] = field(default_factory=dict)
    rows: dict[str, list[Judgement]] = field(default_factory=dict)
    training: list[dict] = field(default_factory=list)
    odd: Counter = field(default_factory=Counter)
    people: dict[str, str] = field(default_factory=dict)
    units: dict[tuple[str, str], str] = field(default_factory=dict)

    def make(self) -> None:
        self.rows = {name: [] for name in (SURVEY, LIKERT, TURNS, PAIRS, INTERACTIVE)}
        for name in STAGES:
            for number, (identity, work) in enumerate(self.stages.get(name, ProjectStage()).work_units.items()):
                self.people.setdefault(work.worker, f"person-{len(self.people) + 1:04d}")
                self.units[name, identity] = f"{name.partition('_')[0]}-{number + 1:05d}"
        for name in (CHATS, ANSWERS):
            for identity, talk in self.stages[name].dialogues.items():
                self._conversation(identity, talk)
        for name in (CHATS, ANSWERS):
            for identity, talk in self.stages[name].dialogues.items():
                for answer in talk.answers:
                    self._answer(name, identity, answer)
        for name, group in TRAININGS.items():
            if name in self.stages:
                self._training(name, self.stages[name], group)
        self.rows = {name: _once(own, self.odd) for name, own in self.rows.items()}

    def _conversation(self, identity: str, talk: ProjectDialogue) -> None:
        known = self.talks.get(identity)
        if known is not None:
            if [turn.text for turn in known.turns] != [text for said in talk.exchanges for text in said]:
                self.odd["dialogues with other words where they were annotated", "as they were chatted"] += 1
            return
        took = self._chatted(identity)
        self.talks[identity] = conversation(identity, talk.bot, talk.exchanges, {"seconds": took} if took else {})

    def _chatted(self, identity: str) -> float | None:
        """How long the chat took."""
        for work in self.stages[CHATS].work_units.values():
            if identity in work.dialogues[:2]:
                return work.times.get(("first_bot", "second_bot")[work.dialogues.index(identity)])
        return None

    def _answer(self, stage: str, identity: str, answer: ProjectAnswer) -> None:
        work, talk = self.stages[stage].work_units[answer.unit], self.talks[identity]
        unit = self.units[stage, answer.unit]
        about = {"unit_id": unit, "submitted_at": self._when(work), "seconds": work.seconds}
        led = stage == CHATS
        own = ImportedAnnotation("", unit, talk, identity, self.people[work.worker], about=about)
        if answer.kind == "pair":
            self._pair(own, work, answer, led)
        elif answer.kind == "dialogue":
            if led and identity in work.dialogues[:2]:
                place = work.dialogues.index(identity)
                about["seconds"] = work.times.get(("first_likert", "second_likert")[place])
            survey, annotation = (INTERACTIVE, f"{unit}-{identity}") if led else (LIKERT, unit)
            self._add(replace(own, survey=survey, annotation_id=annotation), "entity:1", answer.name, str(answer.value))
        elif answer.turn is not None and answer.turn < talk.exchanges:
            target = f"turn:{2 * answer.turn + 1}"
            if answer.kind == "label":
                item = f"{identity}-{task_of_label(answer.name)}"
                value = ("no", "yes")[answer.value]
                self._add(replace(own, survey=SURVEY, item_id=item), target, QUESTION[answer.name], value)
            else:
                item = f"{identity}-{answer.name}"
                self._add(replace(own, survey=TURNS, item_id=item), target, answer.name, str(answer.value))
        else:
            self.odd[UNUSABLE[0], "left out"] += 1

    def _pair(self, own: ImportedAnnotation, work: WorkUnit, answer: ProjectAnswer, led: bool) -> None:
        """A choice stands in both dialogues; it is kept as the two were shown."""
        value = answer.value if own.conversation.conversation_id == work.dialogues[0] else -answer.value
        choice = {1: "conversation:0", -1: "conversation:1", 0: "neither"}[value]
        about = {**own.about, "conversation_ids": work.dialogues}
        if led:
            about["seconds"] = work.times.get("comparative")
        own = replace(own, conversation=self.talks[work.dialogues[0]], item_id="|".join(work.dialogues), about=about)
        survey, annotation = (INTERACTIVE, f"{own.annotation_id}-pair") if led else (PAIRS, own.annotation_id)
        question = answer.name + CHOICE if led else answer.name
        self._add(replace(own, survey=survey, annotation_id=annotation), "pair", question, choice)

    def _add(self, own: ImportedAnnotation, target: str, question: str, answer: str) -> None:
        self.rows[own.survey].append(own.judgement(target, question, answer))

    def _training(self, name: str, stage: ProjectStage, group: str) -> None:
        """A row a round; the last round of a task decides."""
        last: dict[str, int] = {}
        for identity, talk in stage.dialogues.items():
            for attempt in talk.attempts:
                task = self._task(stage.work_units[attempt.unit], name, identity)
                last[task] = max(last.get(task, 0), _round(identity))
        for identity, talk in stage.dialogues.items():
            for attempt in talk.attempts:
                work = stage.work_units[attempt.unit]
                task, number = work.task, _round(identity)
                passed = attempt.passed if attempt.passed is not None else attempt.wrong <= ALLOWED[task]
                self.training.append(
                    {
                        "task": task,
                        "annotator": self.people[work.worker],
                        "attempt": 0,
                        "round": number,
                        "role": "training",
                        "dialogue": identity,
                        "wrong_turns": attempt.wrong,
                        "of": max(len(talk.exchanges), attempt.wrong),
                        "mistakes_by_label": {},
                        "passed": passed if number == last[task] else None,
                        "at": self._when(work),
                        "seconds": work.seconds,
                        "group": group,
                    }
                )

    def _task(self, work: WorkUnit, stage: str, identity: str) -> str:
        if work.task not in TASKS:
            raise UserError(
                f"{self.path}: {stage}, dialogue {identity!r}: field 'task' of its work unit is {work.task!r}, "
                f"expected one of {', '.join(TASKS)}.",
                REMEDY,
            )
        return work.task

    def _when(self, work: WorkUnit) -> str:
        if not work.finished:
            return ""
        try:
            return datetime.strptime(work.finished, WHEN).isoformat(timespec="seconds")
        except ValueError:
            self.odd["times of another form than month-day-year hours:minutes:seconds", "left out"] += 1
            return ""


def _round(identity: str) -> int:
    """The number with which the id of a training dialogue ends; 0 where it ends with none."""
    end = identity.rpartition("_")[2]
    return int(end) if end.isdigit() else 0


def _once(rows: list[Judgement], odd: Counter) -> list[Judgement]:
    """Each answer once: choices stand in both dialogues, and the first one counts where the two disagree."""
    found: dict[str, Judgement] = {}
    for row in rows:
        before = found.setdefault(row.judgement_id, row)
        if before.answer != row.answer:
            odd["choices that read otherwise from the other dialogue", "as in the first dialogue"] += 1
    return list(found.values())


def _read(request: ImportRequest) -> ImportedStudy:
    with Bar("dialogues", unit="dialogue", after=2) as bar:
        return abc_eval(request["data"], bar.advance)


FORMAT = study_format(_read)
