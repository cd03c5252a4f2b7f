"""Made-up comparisons as answers of each comparing survey, and their rankings."""

import random
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd

import parlai_spotbot as sb
from parlai_spotbot.findings.answers import Facts, Options
from parlai_spotbot.findings.compute import compute
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.records import HUMAN, Item, Judgement, Utterance
from parlai_spotbot.surveys import get_survey
from tests.spoken import spoken

WORDS = ("river", "stone", "lamp", "bread", "window", "garden", "letter", "music", "winter", "bicycle", "market")
SURVEYS = ("spot_the_bot", "comparative", "dialogue_likert", "votes")
FEATURES = ("fluency", "sensibleness", "specificity")
JUDGE = "judge:j"


@dataclass(frozen=True)
class MadeUp:
    """Record of matches: first, second, outcome (+1 for the first), talk, prompt, worker, and if at hand time (in days)
    and text (of all conversations of the talk); `facts` are further facts, `turned` whether items are answered."""

    rows: pd.DataFrame
    source: str = HUMAN
    facts: dict | None = None
    control: frozenset = frozenset()
    unanswered: frozenset = frozenset()


def table(rows):
    """Return matches as a table."""
    return pd.DataFrame(rows, columns=["first", "second", "outcome", "talk", "prompt", "worker"])


def text_of(name):
    """Return eight turns of a conversation that no other one has."""
    rng = random.Random(name)
    return [" ".join(rng.choices(WORDS, k=12)) for _ in range(8)]


def conversation(name, entities, row):
    given = row.get("text")
    own = text_of(name)
    if isinstance(given, str):
        own = text_of(given)
        own[4] = given
    return spoken(name, entities, own, seed_id=str(row["prompt"]))


def talks_of(survey, row):
    """Return the conversations that a match is about: one of both contestants, or one of each with itself."""
    first, second = row["first"], row["second"]
    if survey == "comparative":
        return [conversation(f"{name}-{row['talk']}", (name, name), row) for name in (first, second)]
    return [conversation(f"{first}-{second}-{row['talk']}", (first, second), row)]


def answers_to(survey, outcome):
    """Return the answers of a match by question and target."""
    if survey == "comparative":
        return {("quality", "pair"): {1: "conversation:0", -1: "conversation:1", 0: "neither"}[outcome]}
    if survey == "dialogue_likert":
        return {("quality", "entity:0"): str(3 + outcome), ("quality", "entity:1"): str(3 - outcome)}
    labels = {1: ("human", "bot"), -1: ("bot", "human"), 0: ("unsure", "unsure")}[outcome]
    natures = {("nature", f"entity:{place}"): label for place, label in enumerate(labels)}
    return {**natures, **{(feature, "pair"): "no_difference" for feature in FEATURES}}


def item_of(survey, row, talks):
    """Return the item that shows these conversations and asks what a match answers."""
    asked = tuple(dict.fromkeys(question for question, _ in answers_to(survey, row["outcome"])))
    names = tuple(talk.conversation_id for talk in talks)
    shown = ((Utterance(0, "a"), Utterance(1, "b")),) * len(talks)
    return Item("+".join(names), names, 4, shown, questions=asked)


def judgements_and_facts(survey, made):
    """Return the judgements of a survey, and the facts that `compute` takes."""
    talks, items, units, judgements = {}, {}, {}, []
    for number, row in enumerate(made.rows.to_dict(orient="records")):
        own = talks_of(survey, row)
        talks |= {talk.conversation_id: talk for talk in own}
        item = item_of(survey, row, own)
        items[item.item_id] = item
        unit = f"unit-{row['worker']}"
        units.setdefault(unit, []).append(item.item_id)
        if number in made.unanswered:
            continue
        when = ""
        if "time" in row:
            when = str(np.datetime64("2026-01-01T00:00:00") + np.timedelta64(int(86400 * row["time"]), "s")) + "+00:00"
        control = "attention" if number in made.control else None
        for (question, target), answer in answers_to(survey, row["outcome"]).items():
            judgements.append(
                Judgement(
                    judgement_id=f"{number}-{question}-{target}",
                    annotation_id=str(number),
                    survey=survey,
                    unit_id=unit,
                    item_id=item.item_id,
                    conversation_ids=item.conversation_ids,
                    exchanges=4,
                    target=target,
                    question=question,
                    answer=answer,
                    worker_id=str(row["worker"]),
                    source=made.source,
                    control=control,
                    presentation={"place:0": "left"},
                    submitted_at=when,
                )
            )
    bots = tuple(sorted({*made.rows["first"], *made.rows["second"]}))
    further = {"units": {name: tuple(own) for name, own in units.items()}, **(made.facts or {})}
    return judgements, Facts.from_records(get_survey(survey), talks.values(), items.values(), bots=bots, **further)


def votes_file(made, folder):
    """Write matches as votes, and return the file."""
    rows = made.rows
    winner = rows["outcome"].map({1: "model_a", -1: "model_b", 0: "tie"})
    frame = pd.DataFrame({"model_a": rows["first"], "model_b": rows["second"], "winner": winner})
    frame["user"] = rows["worker"].astype(str)
    frame["prompt"] = rows["prompt"].map("p{}".format)
    if "time" in rows:
        frame["timestamp"] = (1.7e9 + 86400 * rows["time"]).astype(int)
    path = folder / "votes.csv"
    frame.to_csv(path, index=False)
    return path


def ranked(survey, made, folder=None, margin=None):
    """Return the ranking by the main question as its finding has it."""
    if survey == "votes":
        return main_ranking(sb.read_votes(votes_file(made, folder)).rank(bootstraps=5, margin=margin).frames)
    judgements, facts = judgements_and_facts(survey, made)
    result = compute(judgements, facts, Options(bootstraps=5, margin=margin), only=("ranking",))
    return main_ranking(result["ranking"]["by_source"][made.source])


def contents_of(survey, ranking, source=HUMAN):
    """Return a ranking as `findings.comparison.compare` takes it."""
    known = {"of": lambda *_: {}, "ranking": lambda _: ranking, "rankings": lambda _: {"": ranking}}
    return SimpleNamespace(survey=survey, analysed_sources=[source], made_by={}, **known)
