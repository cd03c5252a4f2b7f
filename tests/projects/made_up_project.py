"""A small made-up file of the structure in which the authors of ABC-Eval published their whole project.

The bots differ in what they do, people who chat like what they do well, and annotators mostly see it. Names and places
of fields are the authors'; every word and number is made up.
"""

import json
from itertools import combinations

import numpy as np
import yaml

BOTS = ("blender2_3B", "emora", "bart_fid_rag_bcb", "rerank_blender")
TASKS = yaml.safe_load("""
interpretability: [uninterpretable]
sociality: [antisocial]
commonsense: [commonsense contradiction]
consistency: [self contradiction, partner contradiction, redundant]
empathy: [empathetic, lack of empathy]
knowledge: [correct fact, incorrect fact]
personal_information: [preference info, life info]
transitions: [ignore, irrelevant, follow up, topic switch]
""")
DIMENSIONS = ("consistent", "emotional", "engaging", "grammatical", "informative", "quality", "proactive", "relevant")


class MadeUp:
    """Dialogues of so many `exchanges`, `pairs` of each pair of bots, a quarter judged twice; in stages."""

    def __init__(self, seed=0, pairs=8, exchanges=4):
        self.rng = np.random.default_rng(seed)
        self.exchanges = exchanges
        self.skill = dict(zip(BOTS, (0.8, 0.4, 0.1, 0.55), strict=True))
        self.chats = [
            tuple(f"({10 * i + n},{i})_{bot}" for bot in pair)
            for i in range(pairs)
            for n, pair in enumerate(combinations(BOTS, 2))
        ]
        self.good = {
            one: float(np.clip(self.skill[one.split("_", 1)[1]] + self.rng.normal(0, 0.2), 0, 1))
            for pair in self.chats
            for one in pair
        }
        self.count = 0
        self.met = set()

    def unit(self, stage, worker, task, labels, dialogues, seconds=None, **times):
        self.count += 1
        identity = f"unit{self.count}"
        stage["work_units"][identity] = {
            "id": identity,
            "worker_id": worker,
            "time_to_complete_sec": seconds,
            "task": task,
            "labels": list(labels),
            "dialogue_ids": list(dialogues),
            "subtask_durations": times or None,
            "completion_date": "03-21-2022 10:11:12",
        }
        return identity

    def dialogue(self, identity):
        turns = [
            {
                "user_turn": f"what about {i} {identity}?",
                "bot_turn": f"well, {i}.",
                "likert_annotations": {},
                "behavior_annotations": {},
            }
            for i in range(self.exchanges)
        ]
        return {
            "dialogue_id": identity,
            "bot": identity.split("_", 1)[1],
            "comparative_annotations": {},
            "likert_annotations": {},
            "turns": turns,
        }

    def stage(self):
        found = {"dialogues": {}, "work_units": {}}
        for pair in self.chats:
            for identity in pair:
                found["dialogues"][identity] = self.dialogue(identity)
        return found

    def rating(self, identity, noise=0.6):
        return int(np.clip(round(1 + 4 * self.good[identity] + self.rng.normal(0, noise)), 1, 5))

    def compare(self, stage, pair, unit, label):
        gap = self.good[pair[0]] - self.good[pair[1]] + self.rng.normal(0, 0.2)
        score = 0 if abs(gap) < 0.05 else (1 if gap > 0 else -1)
        for own, other, value in ((*pair, score), (*pair[::-1], -score)):
            row = {
                "work_unit_id": unit,
                "label": label,
                "dialogue_compared_to_id": other,
                "score": value,
                "bot": own.split("_", 1)[1],
                "bot_compared_to": other.split("_", 1)[1],
            }
            stage["dialogues"][own]["comparative_annotations"].setdefault(label, []).append(row)

    def collection(self):
        stage = self.stage()
        for number, pair in enumerate(self.chats):
            unit = self.unit(
                stage,
                f"student{number // 4}",
                "collect",
                ["collect_dialogues"],
                pair,
                None,
                first_bot=400.0 + number,
                second_bot=500.0,
                first_likert=30.0,
                second_likert=40.0,
                comparative=35.0,
            )
            for label in DIMENSIONS:
                for identity in pair:
                    row = {"work_unit_id": unit, "label": label, "score": self.rating(identity)}
                    stage["dialogues"][identity]["likert_annotations"].setdefault(label, []).append(row)
                self.compare(stage, pair, unit, label)
        return stage

    def evaluation(self):
        stage = self.stage()
        for number, pair in enumerate(self.chats):
            times = 2 if number % 4 == 0 else 1
            for _ in range(times):
                unit = self.unit(
                    stage, self.worker("comparative", pair), "comparative", DIMENSIONS, pair, self.seconds(260)
                )
                for label in DIMENSIONS:
                    self.compare(stage, pair, unit, label)
                for identity in pair:
                    self.annotate(stage, identity)
        return stage

    def worker(self, *what):
        """Return somebody who hasn't been asked this of these."""
        while (who := (f"surger{self.rng.integers(12)}", *what)) in self.met:
            pass
        self.met.add(who)
        return who[0]

    def seconds(self, about):
        return float(np.round(about * self.rng.uniform(0.6, 1.6), 2))

    def annotate(self, stage, identity):
        talk, good = stage["dialogues"][identity], self.good[identity]
        for task, labels in TASKS.items():
            unit = self.unit(stage, self.worker(task, identity), task, labels, [identity], self.seconds(120))
            for turn in talk["turns"]:
                for label in labels:
                    chance = 0.1 + 0.5 * (good if label in ("empathetic", "correct fact") else 1 - good)
                    row = {"work_unit_id": unit, "label": label, "score": int(self.rng.random() < chance)}
                    turn["behavior_annotations"].setdefault(label, []).append(row)
        unit = self.unit(stage, self.worker("likert", identity), "likert", DIMENSIONS, [identity], self.seconds(170))
        for label in DIMENSIONS:
            row = {"work_unit_id": unit, "label": label, "score": self.rating(identity)}
            talk["likert_annotations"].setdefault(label, []).append(row)
            own = self.unit(stage, self.worker(label, identity), "likert_turn", [label], [identity], self.seconds(120))
            for turn in talk["turns"]:
                row = {"work_unit_id": own, "label": label, "score": self.rating(identity, 1.0)}
                turn["likert_annotations"].setdefault(label, []).append(row)

    def onboarding(self, group, people, chance):
        stage = {"dialogues": {}, "work_units": {}}
        for task in TASKS:
            for number in (1, 2, 3):
                identity = f"{task}_training_{number}"
                stage["dialogues"][identity] = {
                    **self.dialogue(f"({number},0)_emora"),
                    "dialogue_id": identity,
                    "bot": None,
                    "attempts": [],
                }
            for person in range(people):
                wrong = [int(self.rng.binomial(self.exchanges, chance)) for _ in range(3)]
                for number in (1, 2, 3):
                    identity = f"{task}_training_{number}"
                    unit = self.unit(stage, f"{group}{person}", task, TASKS[task], [identity], self.seconds(200))
                    stage["dialogues"][identity]["attempts"].append(
                        {
                            "work_unit_id": unit,
                            "mistakes": list(range(wrong[number - 1])),
                            "performance": None,
                            "passed": wrong[2] < (2 if task in ("interpretability", "sociality") else 3),
                        }
                    )
        return stage


def project(seed=0, **how):
    """The whole file as an object."""
    made = MadeUp(seed, **how)
    return {
        "annotation_pilots": [{"dialogues": {"broken": 1}, "work_units": {}}],
        "annotation_pilots_onboarding": [],
        "bot_pilots": [],
        "extra_unused": None,
        "dialogue_collection": made.collection(),
        "student_evaluation": None,
        "student_onboarding": made.onboarding("student", 5, 0.4),
        "student_gold_units": None,
        "mturk_onboarding": made.onboarding("turker", 7, 0.7),
        "surge_evaluation": made.evaluation(),
        "surge_onboarding": made.onboarding("surger", 6, 0.2),
        "expert_evaluation": None,
    }


def write(path, data=None):
    """Write it to a file as the authors' script would, and return the path."""
    path.write_text(json.dumps(project() if data is None else data))
    return path
