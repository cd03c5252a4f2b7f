"""The whole published project of ABC-Eval as one study: chats, five surveys, trainings, and the time that all took.

Surveys: abc_eval, dialogue_likert, turn_likert and comparative by the trained annotators of the study, interactive by
those who chatted. Other groups of annotators are there with their training only, as in the paper.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import sha256
from parlai_spotbot.importers.abc_eval_labels import (
    DOMAIN,
    QUESTION,
    REMEDY,
    SURVEY,
    conversation,
    judgement,
    released_labels,
)
from parlai_spotbot.importers.abc_eval_project import (
    ANSWERS,
    CHATS,
    TRAININGS,
    Answer,
    Choice,
    LabelAnswer,
    Project,
    TrainingStage,
    WorkUnit,
    read_project,
)
from parlai_spotbot.importers.conversations import numbered, plan_of
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, TASKS, task_of_label
from parlai_spotbot.surveys.interactive import CHOICE

INTERACTIVE = "interactive"
LIKERT, TURNS, PAIRS = "dialogue_likert", "turn_likert", "comparative"
WHEN = "%m-%d-%Y %H:%M:%S"
CHOICES = {1: "conversation:0", -1: "conversation:1", 0: "neither"}
MISSING_TURNS = "answers about turns that are not there"


def is_full(path: Path | str) -> bool:
    """Return True if a file holds the whole project: its keys are stages, not ids as "(1,1)_emora"."""
    try:
        with Path(path).open(encoding="utf-8-sig") as stream:
            return re.match(r'\{\s*"[A-Za-z_]', stream.read(4096).lstrip()) is not None
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", REMEDY) from None
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", REMEDY) from None


def full(path: Path | str) -> ImportedStudy:
    """Read the whole project; a `UserError` names the place of the first wrong value."""
    path = Path(path)
    maker = _Maker(str(path), read_project(path))
    maker.make()
    conversations, rows = numbered(list(maker.talks.values())), maker.rows
    about = {
        "format": "abc_eval",
        "source": path.name,
        "sha256": sha256(path),
        "options": {},
        "conversations": len(conversations),
        "annotations": len({j.annotation_id for row in rows.values() for j in row}),
        "surveys": {name: len(judgements) for name, judgements in rows.items()},
        "training": len(maker.training),
        "unusable": {MISSING_TURNS: count} if (count := maker.odd[MISSING_TURNS, "left out"]) else {},
        "oddities": [
            {"count": count, "of": "", "what": what, "rule": rule} for (what, rule), count in maker.odd.items()
        ],
        "notes": [
            "labels are kept as given, since the file doesn't say what was answered on the page",
            "annotators bear numbers; their ids are not kept",
            "judgements are those of the annotators of the study; of other groups there is the training",
        ],
    }
    others = {name: judgements for name, judgements in rows.items() if name != SURVEY and judgements}
    plan = plan_of(conversations, DOMAIN, None)
    return ImportedStudy(plan, conversations, SURVEY, (), rows[SURVEY], about, training=maker.training, others=others)


@dataclass
class _Maker:
    """Makes records of the stages: `talks` by id, `rows` by survey, `training`, and oddities, counted."""

    path: str
    project: Project
    talks: dict[str, Conversation] = field(default_factory=dict)
    rows: dict[str, list[Judgement]] = field(default_factory=dict)
    training: list[dict] = field(default_factory=list)
    odd: Counter = field(default_factory=Counter)
    people: dict[str, str] = field(default_factory=dict)
    units: dict[tuple[str, str], str] = field(default_factory=dict)

    def make(self) -> None:
        stages = self.project.stages()
        self.rows = {name: [] for name in (SURVEY, LIKERT, TURNS, PAIRS, INTERACTIVE)}
        for name in (CHATS, ANSWERS, *TRAININGS):
            units = stages[name].work_units if name in stages else {}
            for number, (identity, work) in enumerate(units.items(), start=1):
                self.people.setdefault(work.worker_id, f"person-{len(self.people) + 1:04d}")
                self.units[name, identity] = f"{name.partition('_')[0]}-{number:05d}"
        for name in (CHATS, ANSWERS):
            for identity, dialogue in stages[name].dialogues.items():
                texts = [text for exchange in dialogue.exchanges for text in exchange]
                talk = self.talks.get(identity)
                if talk is None:
                    took = self._chatted(identity)
                    about = {"seconds": took} if took else {}
                    self.talks[identity] = conversation(identity, dialogue.bot, dialogue.exchanges, about)
                elif [turn.text for turn in talk.turns] != texts:
                    self.odd["dialogues with other words where they were annotated", "as they were chatted"] += 1
        for name in (CHATS, ANSWERS):
            for identity, dialogue in stages[name].dialogues.items():
                for question, answer, turn in dialogue.answers():
                    self._answer(name, self.talks[identity], question, answer, turn)
        for name, group in TRAININGS.items():
            if name in stages:
                self._training(name, stages[name], group)
        self.rows = {name: self._once(judgements) for name, judgements in self.rows.items()}

    def _chatted(self, identity: str) -> float | None:
        """Return how long the chat took."""
        for work in self.project.dialogue_collection.work_units.values():
            if identity in work.dialogue_ids[:2]:
                return work.seconds(("first_bot", "second_bot")[work.dialogue_ids.index(identity)])
        return None

    def _answer(self, stage: str, talk: Conversation, name: str, answer: Answer, turn: int | None) -> None:
        work, led = getattr(self.project, stage).work_units[answer.work_unit_id], stage == CHATS
        unit, identity = self.units[stage, answer.work_unit_id], talk.conversation_id
        about: dict[str, Any] = {"unit_id": unit, "worker_id": self.people[work.worker_id], "item_id": identity}
        about |= {"submitted_at": self._when(work), "seconds": work.time_to_complete_sec}
        if isinstance(answer, Choice):
            first, second = work.dialogue_ids
            value = answer.score if identity == first else -answer.score  # kept as the two were shown
            about |= {"conversation_ids": (first, second), "item_id": f"{first}|{second}"}
            if led:
                about["seconds"] = work.seconds("comparative")
            survey, annotation = (INTERACTIVE, f"{unit}-pair") if led else (PAIRS, unit)
            question, target, value = name + CHOICE * led, "pair", CHOICES[value]
            talk = self.talks[first]
        elif turn is None:
            if led and identity in work.dialogue_ids[:2]:
                place = work.dialogue_ids.index(identity)
                about["seconds"] = work.seconds(("first_likert", "second_likert")[place])
            survey, annotation = (INTERACTIVE, f"{unit}-{identity}") if led else (LIKERT, unit)
            question, target, value = name, "entity:1", str(answer.score)
        elif turn >= talk.exchanges:
            self.odd[MISSING_TURNS, "left out"] += 1
            return
        else:
            target, annotation = f"turn:{2 * turn + 1}", unit
            if isinstance(answer, LabelAnswer):
                about["item_id"] = f"{identity}-{task_of_label(name)}"
                survey, question, value = SURVEY, QUESTION[name], ("no", "yes")[answer.score]
            else:
                about["item_id"] = f"{identity}-{name}"
                survey, question, value = TURNS, name, str(answer.score)
        self.rows[survey].append(judgement(talk, survey, annotation, target, question, value, **about))

    def _training(self, name: str, stage: TrainingStage, group: str) -> None:
        """Add a row a round; the last round of a task decides."""
        last: dict[str, int] = {}
        attempts = [
            (identity, prepared_dialogue, one)
            for identity, prepared_dialogue in stage.dialogues.items()
            for one in prepared_dialogue.attempts
        ]
        for identity, _, attempt in attempts:
            task = stage.work_units[attempt.work_unit_id].task
            if task not in TASKS:
                raise UserError(
                    f"{self.path}: {name}, dialogue {identity!r}: field 'task' of its work unit is {task!r}, "
                    f"expected one of {', '.join(TASKS)}.",
                    REMEDY,
                )
            last[task] = max(last.get(task, 0), _round(identity))
        for identity, dialogue, attempt in attempts:
            work = stage.work_units[attempt.work_unit_id]
            number, wrong = _round(identity), len(attempt.mistakes or ())
            passed = attempt.passed if attempt.passed is not None else wrong <= ALLOWED[work.task]
            self.training.append(
                {
                    "task": work.task,
                    "annotator": self.people[work.worker_id],
                    "attempt": 0,
                    "round": number,
                    "role": "training",
                    "dialogue": identity,
                    "wrong_turns": wrong,
                    "of": max(len(dialogue.turns), wrong),
                    "mistakes_by_label": {},
                    "passed": passed if number == last[work.task] else None,
                    "at": self._when(work),
                    "seconds": work.time_to_complete_sec,
                    "group": group,
                }
            )

    def _when(self, work: WorkUnit) -> str:
        try:
            return datetime.strptime(work.completion_date, WHEN).isoformat(timespec="seconds")
        except ValueError:
            if work.completion_date:
                what = "times of another form than month-day-year hours:minutes:seconds"
                self.odd[what, "left out"] += 1
            return ""

    def _once(self, rows: list[Judgement]) -> list[Judgement]:
        """Return each answer once: choices are in both dialogues, and the first one counts where the two differ."""
        row_by_id: dict[str, Judgement] = {}
        for row in rows:
            if row_by_id.setdefault(row.judgement_id, row).answer != row.answer:
                self.odd["choices that read otherwise from the other dialogue", "as in the first dialogue"] += 1
        return list(row_by_id.values())


def _round(identity: str) -> int:
    """Return the number with which the id of a training dialogue ends; 0 where it ends with none."""
    end = identity.rpartition("_")[2]
    return int(end) if end.isdigit() else 0


FORMAT = study_format(lambda request: (full if is_full(request.data) else released_labels)(request.data))
