"""A study of ABC-Eval on disk: packed by the command's function, answered by annotators who go by known rates."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN, Contestant, Conversation, Item, Judgement, Turn
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.abc_eval.label_frame import TASK_OF
from parlai_spotbot.surveys.abc_eval.labels import LABELS, TASKS, possible
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.controls.gold import key_of
from parlai_spotbot.surveys.packing.pack_study import pack_study

SURVEY = "abc_eval"
RATES = {
    "ann": {
        "self_contradiction": 0.12,
        "redundant": 0.05,
        "empathetic": 0.4,
        "lack_of_empathy": 0.1,
        "preference_info": 0.3,
        "life_info": 0.25,
        "follow_up": 0.6,
        "topic_switch": 0.1,
        "irrelevant": 0.1,
    },
    "bob": {
        "self_contradiction": 0.02,
        "redundant": 0.15,
        "empathetic": 0.2,
        "lack_of_empathy": 0.15,
        "preference_info": 0.35,
        "life_info": 0.2,
        "follow_up": 0.4,
        "topic_switch": 0.3,
        "irrelevant": 0.2,
    },
    "cy": {
        "self_contradiction": 0.05,
        "redundant": 0.05,
        "empathetic": 0.42,
        "lack_of_empathy": 0.05,
        "preference_info": 0.25,
        "life_info": 0.0,
        "follow_up": 0.5,
        "topic_switch": 0.2,
        "irrelevant": 0.1,
    },
}
COMMON = {
    "commonsense_contradiction": 0.15,
    "fact_usage": 0.2,
    "fact_contradiction": 0.05,
    "ignore": 0.1,
    "partner_contradiction": 0.06,
    "uninterpretable": 0.01,
    "antisocial": 0.0,
}


def conversations(per_bot: int, exchanges: int) -> list[Conversation]:
    return [
        Conversation(
            f"{bot}-{n}",
            "chitchat",
            tuple(sorted((HUMAN, bot))),
            n,
            (HUMAN, bot),
            tuple(Turn((HUMAN, bot)[t % 2], f"{bot} says {t} in talk {n}") for t in range(2 * exchanges)),
            0,
        )
        for bot in RATES
        for n in range(per_bot)
    ]


def labelled(rng: random.Random, task: str, rates: Mapping[str, float]) -> frozenset[str]:
    while True:
        found = frozenset(label for label in LABELS[task] if rng.random() < rates.get(label, 0.0))
        if found in possible(task):
            return found


def make(
    path: Path,
    answers_for,
    per_bot: int = 8,
    exchanges: int = 8,
    tasks: Sequence[str] = TASKS,
    sources: Sequence[str] = (HUMAN,),
    training: bool = True,
) -> Study:
    """`answers_for(task, labels)` gives a turn's answers; see tests/analysis/made_up."""
    plan = Plan("chitchat", {bot: Contestant(bot, model=f"spotbot:{bot}") for bot in RATES}, per_bot, seed=5)
    study = Study.create(path, plan)
    files.write_jsonl(study.conversations_path, [c.to_json() for c in conversations(per_bot, exchanges)])
    pack_study(study, SURVEY, ask=tuple(tasks))
    write_controls(study, SURVEY)
    rng, rows = random.Random(7), []
    bots = {c.conversation_id: c.entities[1] for c in study.conversations()}
    golds = {key_of(item.control)[0]: item for item in read_controls(study, SURVEY)}
    for source in sources:
        truth: dict = {}
        for number, unit in enumerate(study.units(SURVEY)):
            for item in unit.items:
                task = TASK_OF[item.questions[0]]
                rates = COMMON | RATES[bots[item.conversation_ids[0]]]
                given = {}
                for turn in range(1, 2 * exchanges, 2):
                    own = truth.setdefault((item.item_id, turn), labelled(rng, task, rates))
                    given[turn] = labelled(rng, task, rates) if rng.random() < 0.1 else own
                who = (f"w{(number + unit.replicate) % 6}", source)
                rows += answered(unit.unit_id, item, task, given, answers_for, who, number)
        for number in range(12 if source == HUMAN else 0):
            task = tasks[number % 2]
            key = dict(key_of(golds[task].control)[1])
            if number % 3 == 0:
                key[1] = next(labels for labels in sorted(possible(task), key=sorted) if labels != key[1])
            rows += answered(f"g{number}", golds[task], task, key, answers_for, (f"w{number // 2}", source), number)
    files.write_jsonl(study.judgements_path(SURVEY), [row.to_json() for row in rows])
    if training:
        files.write_jsonl(study.survey_path(SURVEY) / "training.jsonl", rounds(tasks))
    return study


def answered(unit: str, item: Item, task: str, given: Mapping[int, frozenset[str]], answers_for, who, number: int):
    worker, source = who
    name = f"{source}/{worker}/{unit}/{item.item_id}"
    seconds = 60.0 + 7 * (number % 13) if source == HUMAN else None
    at = f"2026-01-{1 + number % 28:02d}T10:00:00+00:00" if source == HUMAN else ""
    for turn, labels in given.items():
        for question, answer in answers_for(task, labels).items():
            yield Judgement(
                f"{name}/{turn}/{question}",
                name,
                SURVEY,
                unit,
                item.item_id,
                item.conversation_ids,
                item.exchanges,
                f"turn:{turn}",
                question,
                answer,
                worker,
                source,
                item.control,
                {},
                at,
                at,
                seconds,
            )


def rounds(tasks: Sequence[str]) -> list[dict]:
    """Six annotators at each task: four pass at once, one at the second attempt, one never."""
    rows = []
    for task in tasks:
        for worker in range(6):
            wrong = [4, 2, 1] if worker < 4 else [5, 4, 5]
            plan = [(1, number + 1, "training", w) for number, w in enumerate(wrong)]
            if worker >= 4:
                plan.append((2, 1, "second_chance", 1 if worker == 4 else 6))
            for attempt, number, role, bad in plan:
                decides = role == "second_chance" or number == 3
                rows.append(
                    {
                        "task": task,
                        "annotator": f"w{worker}",
                        "attempt": attempt,
                        "round": number,
                        "role": role,
                        "dialogue": f"{task}-{number}",
                        "wrong_turns": bad,
                        "of": 12,
                        "mistakes_by_label": {LABELS[task][0]: bad},
                        "passed": bad < 2 if decides else None,
                        "at": "2026-01-01T09:00:00+00:00",
                        "seconds": 200.0,
                        "group": "students" if worker % 2 else "experts",
                    }
                )
    return rows
