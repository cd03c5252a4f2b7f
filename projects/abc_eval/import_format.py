"""The whole published project of ABC-Eval as one study: chats, five surveys, trainings, and the time that all took.

Surveys: abc_eval, dialogue_likert, turn_likert and comparative by the trained annotators of the study, interactive by
those who chatted. Other groups of annotators are there with their training only, as in the paper.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy, numbered, plan_of
from parlai_spotbot.projects.abc_eval.released_labels import (
    DOMAIN,
    LABELS,
    QUESTION,
    REMEDY,
    SURVEY,
    YES_NO,
    about_file,
    as_released,
    conversation,
    judgement,
    released_labels,
)
from parlai_spotbot.reading import Malformed, opened
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED, task_of_label
from parlai_spotbot.surveys.interactive import CHOICE

CHATS = "dialogue_collection"
ANSWERS = "surge_evaluation"
TRAININGS = {"student_onboarding": "students", "mturk_onboarding": "mturkers", "surge_onboarding": "surgers"}
"""Stages of the training, and the names of their groups of annotators."""

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

INTERACTIVE = "interactive"
LIKERT = "dialogue_likert"
TURNS = "turn_likert"
PAIRS = "comparative"
WHEN = "%m-%d-%Y %H:%M:%S"
CHOICES = {1: "conversation:0", -1: "conversation:1", 0: "neither"}
RATINGS = {score: str(score) for score in range(1, 6)}
MISSING_TURNS = "answers about turns that are not there"


def is_full(path: Path | str) -> bool:
    """Return True if a file holds the whole project: its keys are stages, not ids as "(1,1)_emora"."""
    try:
        with opened(path) as stream:
            return re.match(r'\{\s*"[A-Za-z_]', stream.read(4096).lstrip()) is not None
    except (OSError, Malformed) as err:
        raise UserError(f"{path}: cannot be read: {err}.", REMEDY) from None


def full(path: Path | str) -> ImportedStudy:
    """Read the whole project; a `UserError` names stage and dialogue of the first wrong value.

    The file holds an object of stages: who chatted (`dialogue_collection`), the answers of the trained annotators of
    the study (`surge_evaluation`), and the training of each group of annotators (`…_onboarding`). A stage holds
    `dialogues`, with the answers at the dialogue or at its turns, and `work_units`, which say who gave them, when, and
    how long it took.
    """
    path = Path(path)
    place = [""]
    with as_released(path, place) as stages:
        maker = _Maker(stages, place)
        maker.make()
    conversations = numbered(list(maker.talks.values()))
    rows = maker.rows
    about = {
        **about_file(path, conversations, chain.from_iterable(rows.values())),
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


def _answers(dialogue: Mapping) -> Iterator[tuple[str, str, Mapping, int | None]]:
    """Yield (kind, label or dimension, answer, number of the bot's turn or None) of a dialogue."""
    for number, holder in [*enumerate(dialogue["turns"]), (None, dialogue)]:
        for kind, names in (("behavior", LABELS), ("likert", DIMENSIONS), ("comparative", DIMENSIONS)):
            for name, given in holder.get(f"{kind}_annotations", {}).items():
                yield from ((kind, names[name], one, number) for one in given)


def _seconds(value: Any) -> float | None:
    """Return a time; their -1, and what is not a number, mean that it is not known."""
    return float(value) if isinstance(value, (int, float)) and value >= 0 else None


class _Maker:
    """Makes records of the stages: `talks` by id, `rows` by survey, `training`, and oddities, counted."""

    def __init__(self, stages: Mapping[str, Mapping], place: list[str]):
        self.stages = stages
        self.place = place
        self.talks: dict[str, Conversation] = {}
        self.rows: dict[str, list[Judgement]] = {name: [] for name in (SURVEY, LIKERT, TURNS, PAIRS, INTERACTIVE)}
        self.training: list[dict] = []
        self.odd: Counter = Counter()
        self.people: dict[str, str] = {}
        self.units: dict[tuple[str, str], str] = {}

    def make(self) -> None:
        for name in (CHATS, ANSWERS, *TRAININGS):
            units = self.stages.get(name, {"work_units": {}})["work_units"]
            for number, (identity, work) in enumerate(units.items(), start=1):
                self.people.setdefault(work["worker_id"], f"person-{len(self.people) + 1:04d}")
                self.units[name, identity] = f"{name.partition('_')[0]}-{number:05d}"
        self._read_talks()
        for name, identity, dialogue in self._dialogues(CHATS, ANSWERS):
            for given in _answers(dialogue):
                self._answer(name, self.talks[identity], *given)
        for name, group in TRAININGS.items():
            if name in self.stages:
                self._training(name, group)
        self.rows = {name: self._once(judgements) for name, judgements in self.rows.items()}

    def _read_talks(self) -> None:
        """Read each conversation once, with its duration; an annotated one may have other words than the chat."""
        spent = {}
        for work in self.stages[CHATS]["work_units"].values():
            for identity, part in zip(work["dialogue_ids"], ("first_bot", "second_bot"), strict=False):
                spent.setdefault(identity, self._part(work, part))
        for _, identity, dialogue in self._dialogues(CHATS, ANSWERS):
            exchanges = [(turn.get("user_turn") or "", turn.get("bot_turn") or "") for turn in dialogue["turns"]]
            if identity not in self.talks:
                took = {"seconds": spent[identity]} if spent.get(identity) else {}
                self.talks[identity] = conversation(identity, dialogue["bot"], exchanges, took)
            elif [turn.text for turn in self.talks[identity].turns] != [text for both in exchanges for text in both]:
                self.odd["dialogues with other words where they were annotated", "as they were chatted"] += 1

    def _dialogues(self, *stages: str) -> Iterator[tuple[str, str, Mapping]]:
        for name in stages:
            for identity, dialogue in self.stages[name]["dialogues"].items():
                self.place[0] = f"{name}, dialogue '{identity}'"
                yield name, identity, dialogue

    @staticmethod
    def _part(work: Mapping, part: str) -> float | None:
        """Return the duration of a part of the unit."""
        return _seconds((work.get("subtask_durations") or {}).get(part))

    def _answer(self, stage: str, talk: Conversation, kind: str, name: str, answer: Mapping, turn: int | None) -> None:
        work = self.stages[stage]["work_units"][answer["work_unit_id"]]
        led = stage == CHATS
        unit = self.units[stage, answer["work_unit_id"]]
        identity = talk.conversation_id
        score = answer["score"]
        about = {"unit_id": unit, "worker_id": self.people[work["worker_id"]], "item_id": identity}
        about |= {"submitted_at": self._when(work), "seconds": _seconds(work.get("time_to_complete_sec"))}
        if kind == "comparative":
            first, second = work["dialogue_ids"]
            if {identity, answer["dialogue_compared_to_id"]} != {first, second}:
                raise ValueError(f"compared to {answer['dialogue_compared_to_id']!r}, not in its work unit")
            about |= {"conversation_ids": (first, second), "item_id": f"{first}|{second}"}
            if led:
                about["seconds"] = self._part(work, "comparative")
            survey, annotation = (INTERACTIVE, f"{unit}-pair") if led else (PAIRS, unit)
            value = CHOICES[score if identity == first else -score]  # kept as the two were shown
            question = name + CHOICE * led
            target = "pair"
            talk = self.talks[first]
        elif turn is None:
            if led and identity in work["dialogue_ids"][:2]:
                place = work["dialogue_ids"].index(identity)
                about["seconds"] = self._part(work, ("first_likert", "second_likert")[place])
            survey, annotation = (INTERACTIVE, f"{unit}-{identity}") if led else (LIKERT, unit)
            question = name
            target = "entity:1"
            value = RATINGS[score]
        elif turn >= talk.exchanges:
            self.odd[MISSING_TURNS, "left out"] += 1
            return
        else:
            target = f"turn:{2 * turn + 1}"
            annotation = unit
            survey = TURNS
            question = name
            task = name
            scale = RATINGS
            if kind == "behavior":
                survey = SURVEY
                question = QUESTION[name]
                task = task_of_label(name)
                scale = YES_NO
            about["item_id"], value = f"{identity}-{task}", scale[score]
        self.rows[survey].append(judgement(talk, survey, annotation, target, question, value, **about))

    def _training(self, name: str, group: str) -> None:
        """Add a row a round; the last round of a task decides."""
        last = {}
        rows = []
        for _, identity, dialogue in self._dialogues(name):
            end = identity.rpartition("_")[2]
            number = int(end) if end.isdigit() else 0
            for attempt in dialogue.get("attempts", []):
                work = self.stages[name]["work_units"][attempt["work_unit_id"]]
                wrong = len(attempt.get("mistakes") or ())
                task = work["task"]
                passed = attempt.get("passed")
                allowed = ALLOWED[task]
                last[task] = max(last.get(task, 0), number)
                rows.append(
                    {
                        "task": task,
                        "annotator": self.people[work["worker_id"]],
                        "attempt": 0,
                        "round": number,
                        "role": "training",
                        "dialogue": identity,
                        "wrong_turns": wrong,
                        "of": max(len(dialogue["turns"]), wrong),
                        "mistakes_by_label": {},
                        "passed": wrong <= allowed if passed is None else passed,
                        "at": self._when(work),
                        "seconds": _seconds(work.get("time_to_complete_sec")),
                        "group": group,
                    }
                )
        self.training += [row if row["round"] == last[row["task"]] else row | {"passed": None} for row in rows]

    def _when(self, work: Mapping) -> str:
        date = work.get("completion_date") or ""
        try:
            return datetime.strptime(date, WHEN).isoformat(timespec="seconds")
        except ValueError:
            if date:
                self.odd["times of another form than month-day-year hours:minutes:seconds", "left out"] += 1
            return ""

    def _once(self, rows: list[Judgement]) -> list[Judgement]:
        """Return each answer once: choices are in both dialogues, and the first one counts where the two differ."""
        row_by_id = {}
        for row in rows:
            if row_by_id.setdefault(row.judgement_id, row).answer != row.answer:
                self.odd["choices that read otherwise from the other dialogue", "as in the first dialogue"] += 1
        return list(row_by_id.values())


FORMAT = study_format(lambda request: (full if is_full(request.data) else released_labels)(request.data))
