"""From the judgements of any survey to its metrics, and from people's own chats to the outcomes.

Scales are rated, pairs of conversations chosen between, behaviours labelled turn by turn; Spot The Bot says who is
taken for human and is favoured over its partner. Controls, incomplete annotations and people who failed the controls
are left out as in the survey's own analysis, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis.annotators.controls import lost
from parlai_spotbot.analysis.answers import answers_frame, last_answers, shown_item
from parlai_spotbot.analysis.choices.grid import choice_frame
from parlai_spotbot.analysis.metrics.frame import CHOICE, MEAN, QUALITY, RATE, TURN_COLUMNS, Metric, Outcomes
from parlai_spotbot.analysis.ratings import rating_frame
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement
from parlai_spotbot.surveys.abc_eval.label_frame import label_frame
from parlai_spotbot.surveys.abc_eval.labels import EVERY_LABEL
from parlai_spotbot.surveys.asking import incomplete
from parlai_spotbot.surveys.controls.exclusion import failed_people
from parlai_spotbot.surveys.survey import Question, Survey

INTERACTIVE = "interactive"
"""The survey of people who chat with bots and then say how it was: the outcome, never a metric."""

ABC = "abc_eval"
SPOTTING = ("spot_the_bot", "spot_the_bot_game")
TAKEN_FOR_HUMAN = {"human": 1.0, "unsure": 0.5, "bot": 0.0}
FAVOURED = {"entity:0": 1.0, "no_difference": 0.0, "entity:1": -1.0}


def metrics_of(
    survey: Survey,
    judgements: Sequence[Judgement],
    conversations: Sequence[Conversation],
    items: Sequence[Item],
    source: str = HUMAN,
) -> tuple[list[Metric], dict[str, int]]:
    """The metrics of one source's answers to a survey, and why answers were left out, with how many.

    Raises `ValueError` naming the judgement (numbered from 1) that is wrong.
    """
    if survey.name == INTERACTIVE:
        return [], {}
    talks = {c.conversation_id: c for c in conversations}
    by_id = {item.item_id: item for item in items}
    js = [j for j in judgements if j.source == source]
    item_of = shown_item(by_id, talks, survey.layout == "opening")
    frame_of_answers = answers_frame(js, conversations, incomplete(survey, by_id), item_of)
    failed = failed_people(frame_of_answers.judgements, survey)
    reasons = frame_of_answers.left_out.get(source, {}) | lost(frame_of_answers.frame, failed)
    rows = frame_of_answers.frame[~frame_of_answers.frame["worker_id"].isin(list(failed))].reset_index(drop=True)
    if survey.name == ABC:
        metrics, more = _behaviours(rows, talks, by_id)
    elif survey.name in SPOTTING:
        metrics, more = _spotting(survey.name, rows, talks), {}
    else:
        metrics, more = _asked(survey, rows, talks, by_id)
    return _tasks(metrics) if survey.name != ABC else metrics, reasons | more


def outcomes_of(
    judgements: Sequence[Judgement], conversations: Sequence[Conversation], question: str = QUALITY
) -> Outcomes:
    """Return what people said of `question` ("quality") about the conversations that they led, from survey
    `interactive`."""
    talks = {c.conversation_id: c for c in conversations}
    ratings, choices = [], []
    for _, row in last_answers(judgements, shown_item())[0]:
        if row.control is not None or row.source != HUMAN or any(c not in talks for c in row.conversation_ids):
            continue
        if row.question == question and row.target.startswith("entity:"):
            talk = talks[row.conversation_ids[0]]
            bot = talk.entities[int(row.target[-1])]
            ratings.append((talk.conversation_id, bot, row.worker_id, float(row.answer)))
        elif row.question == f"{question}_choice" and len(row.conversation_ids) == 2:
            value = {"conversation:0": 1.0, "conversation:1": -1.0}.get(row.answer, 0.0)
            choices.append((*row.conversation_ids, row.worker_id, value))
    rated = pd.DataFrame(ratings, columns=["conversation_id", "bot", "worker_id", "value"])
    chosen = pd.DataFrame(choices, columns=["conversation_a", "conversation_b", "worker_id", "value"])
    return Outcomes(
        rated.drop_duplicates(["conversation_id", "bot"]).reset_index(drop=True),
        chosen.drop_duplicates(["conversation_a", "conversation_b"]).reset_index(drop=True),
    )


def _asked(
    survey: Survey, rows: pd.DataFrame, talks: Mapping[str, Conversation], items: Mapping[str, Item]
) -> tuple[list[Metric], dict[str, int]]:
    """Scales and choices between conversations, whatever survey asks them; other questions are no metrics."""
    metrics, lost = [], {}
    for question in survey.questions:
        question_rows = rows[rows["question"] == question.name].reset_index(drop=True)
        if question_rows.empty:
            continue
        if question.kind == "scale":
            values = [int(option.value) for option in question.options]
            frame, why = rating_frame(question_rows, talks, items, values)
            frame = frame[frame["name"] != HUMAN]
            ratings = _rated(frame)
            kind = MEAN
        elif _between_conversations(question):
            frame, why = choice_frame(question_rows, talks, items, tie=True)
            both = list(frame["conversation_ids"])
            ratings = pd.DataFrame(
                {
                    "conversation_a": [pair[0] for pair in both],
                    "conversation_b": [pair[1] for pair in both],
                    "a": frame["a"],
                    "b": frame["b"],
                    "unit": ["\t".join(sorted(pair)) for pair in both],
                    "worker_id": frame["worker_id"],
                    "annotation_id": frame["annotation_id"],
                    "value": frame["outcome"].astype(float),
                }
            )
            kind = CHOICE
        else:
            continue
        lost |= {reason: lost.get(reason, 0) + n for reason, n in why.items()}
        if len(ratings):
            metrics.append(Metric(survey.name, question.name, kind, "", "ordinal", ratings.reset_index(drop=True)))
    return metrics, lost


def _between_conversations(question: Question) -> bool:
    values = {option.value for option in question.options}
    return question.kind == "choice" and {"conversation:0", "conversation:1"} <= values


def _behaviours(
    rows: pd.DataFrame, talks: Mapping[str, Conversation], items: Mapping[str, Item]
) -> tuple[list[Metric], dict[str, int]]:
    """One metric a label: 1 for each of the bot's turns that shows it, else 0."""
    frame, lost = label_frame(rows, talks, items)
    frame = frame[frame["name"] != HUMAN]
    metrics = []
    for label in EVERY_LABEL:
        label_rows = frame[frame["question"] == label]
        if len(label_rows):
            rated = _rated(label_rows)
            metrics.append(Metric(ABC, label, RATE, f"{ABC}:{label_rows['task'].iloc[0]}", "nominal", rated))
    return metrics, lost


def _rated(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a metric from those of `rating_frame`."""
    return pd.DataFrame(
        {
            "conversation_id": frame["conversation_id"],
            "bot": frame["name"],
            "unit": frame["rated"],
            "worker_id": frame["worker_id"],
            "annotation_id": frame["annotation_id"],
            "value": frame["value"].astype(float),
        }
    ).reset_index(drop=True)


def _spotting(name: str, rows: pd.DataFrame, talks: Mapping[str, Conversation]) -> list[Metric]:
    """Describe how human each bot was taken for, and how far it was favoured over its partner."""
    rows_by_question: dict[str, list[tuple]] = {}
    for row in rows.itertuples(index=False):
        talk = talks[row.conversation_id]
        if row.question == "nature" and row.answer in TAKEN_FOR_HUMAN:
            pairs = [(int(row.target[-1]), TAKEN_FOR_HUMAN[row.answer])]
        elif row.target == "pair" and row.answer in FAVOURED and talk.entities[0] != talk.entities[1]:
            pairs = [(0, FAVOURED[row.answer]), (1, -FAVOURED[row.answer])]
        else:
            continue
        for entity, value in pairs:
            bot = talk.entities[entity]
            if bot != HUMAN:
                unit = f"{row.conversation_id}\t{row.exchanges}\tentity:{entity}"
                question = "taken_for_human" if row.question == "nature" else row.question
                rows_by_question.setdefault(question, []).append(
                    (row.conversation_id, bot, unit, row.worker_id, row.annotation_id, value)
                )
    return [
        Metric(name, question, MEAN, "", "ordinal", pd.DataFrame(group_rows, columns=list(TURN_COLUMNS)))
        for question, group_rows in sorted(rows_by_question.items())
    ]


def _tasks(metrics: Sequence[Metric]) -> list[Metric]:
    """Return the metrics with the task that each belongs to: those asked in one annotation are one task.

    A task is named by the survey, or, where it has several, by the names of its metrics, too.
    """
    seen: dict[str, int] = {}
    members: dict[int, list[str]] = {}
    groups = []
    for place, metric in enumerate(metrics):
        annotations = metric.rows["annotation_id"].unique()
        group = next((seen[one] for one in annotations if one in seen), place)
        seen |= dict.fromkeys(annotations, group)
        members.setdefault(group, []).append(metric.name)
        groups.append(group)
    several = len(members) > 1
    return [
        replace(metric, task=f"{metric.method}:{'+'.join(members[group])}" if several else metric.method)
        for metric, group in zip(metrics, groups, strict=True)
    ]
