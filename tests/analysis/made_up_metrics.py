"""A study with several surveys, made up by a rule: people chat, rate and compare; others label, rate and choose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, Turn

BOTS = ("ada", "bob", "cleo", "dan")
TRAITS = {"ada": (0.05, 0.4), "bob": (0.12, 0.35), "cleo": (0.25, 0.2), "dan": (0.3, 0.1)}
"""How often each bot contradicts itself, and how often it shows empathy."""

TURNS = 8
"""Of the bot, in each conversation."""


@dataclass
class MadeUp:
    """The judgements by survey, conversations and items of a study of chats with people."""

    seed: int = 0
    judgements: dict[str, list[Judgement]] = field(default_factory=dict)
    conversations: list[Conversation] = field(default_factory=list)
    items: dict[str, list[Item]] = field(default_factory=dict)
    truth: dict[str, dict] = field(default_factory=dict)

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)
        self.annotations = 0

    def annotate(self, survey, talks, answers, worker, seconds=60.0, source=HUMAN):
        self.annotations += 1
        ids = tuple(talk.conversation_id for talk in talks)
        for (question, target), answer in answers.items():
            rows = self.judgements.setdefault(survey, [])
            rows.append(
                Judgement(
                    f"{survey}-{len(rows)}",
                    f"{survey}-a{self.annotations}",
                    survey,
                    f"u-{worker}",
                    "i-" + "-".join(ids),
                    ids,
                    TURNS,
                    target,
                    question,
                    answer,
                    worker,
                    source,
                    seconds=seconds,
                )
            )

    def chat(self, bot, number, person):
        """One conversation of a person with a bot, whose quality depends on what the bot does in it."""
        bad, kind = TRAITS[bot]
        wrong, warm = self.rng.random(TURNS) < bad, self.rng.random(TURNS) < kind
        entities = (HUMAN, bot)
        turns = tuple(Turn(entities[t % 2], f"{bot} {number} {t}") for t in range(2 * TURNS))
        name = f"{bot}-{number}"
        talk = Conversation(name, "chitchat", tuple(sorted(entities)), number, entities, turns, 0)
        self.conversations.append(talk)
        quality = 3.4 - 4 * wrong.mean() + 2.5 * (warm.mean() - 0.25) + self.rng.normal(0, 0.5)
        self.truth[name] = {"wrong": wrong, "warm": warm, "quality": quality, "person": person}
        return talk


def answers_of_turns(flags):
    return {("self_contradiction", f"turn:{2 * i + 1}"): "yes" if flag else "no" for i, flag in enumerate(flags)}


def noisy(flags, rng, error=0.05):
    return flags ^ (rng.random(len(flags)) < error)


def made_up(chats: int = 24, seed: int = 0, people: int = 24, annotators: int = 10) -> MadeUp:
    """`chats` a bot, in pairs by the same person; each labelled for consistency and empathy (a quarter twice), rated,
    and compared."""
    made, rng = MadeUp(seed), np.random.default_rng([seed, 1])
    pairs = [(a, b) for i, a in enumerate(BOTS) for b in BOTS[i + 1 :]]
    number = dict.fromkeys(BOTS, 0)
    for place in range(chats * len(BOTS) // 2):
        person, both = f"p{place % people}", []
        for bot in pairs[place % len(pairs)]:
            both.append(made.chat(bot, number[bot], person))
            number[bot] += 1
        _outcome(made, both, person, rng)
        for talk in both:
            _annotations(made, talk, rng, annotators)
        _compared(made, both, rng, annotators)
    return made


def _outcome(made, both, person, rng):
    quality = [made.truth[talk.conversation_id]["quality"] for talk in both]
    for talk, value in zip(both, quality, strict=True):
        score = str(int(np.clip(round(value), 1, 5)))
        made.annotate("interactive", [talk], {("quality", "entity:1"): score, ("relevance", "entity:1"): score}, person)
    gap = quality[0] - quality[1] + rng.normal(0, 0.3)
    better = "neither" if abs(gap) < 0.1 else f"conversation:{int(gap < 0)}"
    made.annotate("interactive", both, {("quality_choice", "pair"): better}, person)


def _annotations(made, talk, rng, annotators):
    truth = made.truth[talk.conversation_id]
    twice = 2 if rng.random() < 0.25 else 1
    for worker in rng.choice(annotators, twice, replace=False):
        answers = answers_of_turns(noisy(truth["wrong"], rng))
        for other in ("partner_contradiction", "redundant"):
            flags = rng.random(TURNS) < 0.1
            answers |= {(other, f"turn:{2 * i + 1}"): "yes" if flag else "no" for i, flag in enumerate(flags)}
        made.annotate("abc_eval", [talk], answers, f"w{worker}", 180 + 20 * rng.random())
    for worker in rng.choice(annotators, twice, replace=False):
        flags = noisy(truth["warm"], rng)
        answers = {("empathy", f"turn:{2 * i + 1}"): "empathetic" if f else "neither" for i, f in enumerate(flags)}
        made.annotate("abc_eval", [talk], answers, f"w{worker}", 110 + 20 * rng.random())
    for worker in rng.choice(annotators, twice, replace=False):
        answers = {
            (dimension, "entity:1"): str(int(np.clip(round(level), 1, 5)))
            for dimension, level in (
                ("quality", truth["quality"] + rng.normal(0, 0.8)),
                ("consistency", 4 - 4 * truth["wrong"].mean() + rng.normal(0, 0.9)),
                ("relevance", 3.5 + rng.normal(0, 1)),
            )
        }
        made.annotate("dialogue_likert", [talk], answers, f"w{worker}", 150 + 30 * rng.random())


def _compared(made, both, rng, annotators):
    for worker in rng.choice(annotators, 2 if rng.random() < 0.3 else 1, replace=False):
        answers = {}
        for dimension, weight in (("quality", 1.0), ("proactivity", 0.0)):
            first, second = (made.truth[talk.conversation_id]["quality"] for talk in both)
            gap = weight * (first - second) + rng.normal(0, 1)
            answers[dimension, "pair"] = "neither" if abs(gap) < 0.15 else f"conversation:{int(gap < 0)}"
        made.annotate("comparative", both, answers, f"w{worker}", 200 + 60 * rng.random())


def evidence_of(made: MadeUp):
    """What `analyze` wants, from a made-up study."""
    from parlai_spotbot.analysis.metrics import Evidence
    from parlai_spotbot.analysis.metrics.costs import times_of
    from parlai_spotbot.findings.survey_metrics import metrics_of, outcomes_of
    from parlai_spotbot.surveys import get_survey

    metrics, left_out = [], {}
    for name, judgements in made.judgements.items():
        found, lost = metrics_of(get_survey(name), judgements, made.conversations, made.items.get(name, []))
        metrics += found
        left_out |= lost
    every = [row for rows in made.judgements.values() for row in rows]
    outcomes = outcomes_of(made.judgements["interactive"], made.conversations)
    return Evidence({HUMAN: metrics}, outcomes, {HUMAN: times_of(every, metrics)}, {HUMAN: left_out})


def write_study(made: MadeUp, path):
    """The made-up study on disk, as the commands would leave it."""
    from parlai_spotbot import files
    from parlai_spotbot.records import Contestant
    from parlai_spotbot.study import Study
    from parlai_spotbot.study_plan import Plan

    plan = Plan(
        "chitchat",
        {bot: Contestant(bot, model="spotbot:eliza") for bot in BOTS},
        4,
        seed=5,
        surveys=("abc_eval", "dialogue_likert", "comparative", "interactive"),
    )
    study = Study.create(path, plan)
    files.write_jsonl(study.conversations_path, [talk.to_json() for talk in made.conversations])
    for survey, judgements in made.judgements.items():
        files.write_jsonl(study.judgements_path(survey), [row.to_json() for row in judgements])
    return study
