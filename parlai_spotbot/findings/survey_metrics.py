"""From the judgements of any survey to its metrics, and from people's own chats to the outcomes.

Scales are rated, pairs of conversations chosen between, behaviours labelled turn by turn; Spot The Bot says who is
taken for human and is favoured over its partner. Controls, incomplete annotations and people who failed the controls
are left out as in the survey's own analysis, and counted.
"""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis.answers import last_answers, shown_item
from parlai_spotbot.analysis.metrics.frame import CHOICE, MEAN, QUALITY, RATE, TURN_COLUMNS, Metric, Outcomes
from parlai_spotbot.findings import forms_of
from parlai_spotbot.findings.answers import Answers, Facts, Options
from parlai_spotbot.findings.spotting import Annotations
from parlai_spotbot.findings.whole_study import INTERACTIVE
from parlai_spotbot.records import HUMAN, Conversation, Item, Judgement, indexed
from parlai_spotbot.surveys.survey import Survey

ABC = "abc_eval"
TAKEN_FOR_HUMAN = {"human": 1.0, "unsure": 0.5, "bot": 0.0}


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
    facts = Facts.from_records(survey, conversations, items, made={"copies": {}})
    metrics: list[Metric] = []
    reasons: dict[str, int] = {}
    for form in forms_of(survey):
        sources, left_out = form.sources([row for row in judgements if row.source == source], facts, Options())
        reasons |= left_out.get(source, {})
        for answers in sources.values():
            if isinstance(answers, Annotations):
                metrics += _spotting(answers)
            else:
                metrics += _metrics_asked(answers)
    if survey.name != ABC:
        metrics = _tasks(metrics)
    return metrics, reasons


def outcomes_of(judgements: Sequence[Judgement], conversations: Sequence[Conversation]) -> Outcomes:
    """Return what people said of the quality of the conversations that they led, from survey `interactive`."""
    talks = indexed(conversations)
    ratings = []
    choices = []
    for _, row in last_answers(judgements, shown_item())[0]:
        if row.control is not None or row.source != HUMAN or any(c not in talks for c in row.conversation_ids):
            continue
        if row.question == QUALITY and row.target.startswith("entity:"):
            talk = talks[row.conversation_ids[0]]
            bot = talk.entities[int(row.target[-1])]
            ratings.append((talk.conversation_id, bot, row.worker_id, float(row.answer)))
        elif row.question == f"{QUALITY}_choice" and len(row.conversation_ids) == 2:
            value = {"conversation:0": 1.0, "conversation:1": -1.0}.get(row.answer, 0.0)
            choices.append((*row.conversation_ids, row.worker_id, value))
    rated = pd.DataFrame(ratings, columns=["conversation_id", "bot", "worker_id", "value"])
    chosen = pd.DataFrame(choices, columns=["conversation_a", "conversation_b", "worker_id", "value"])
    return Outcomes(
        rated.drop_duplicates(["conversation_id", "bot"]).reset_index(drop=True),
        chosen.drop_duplicates(["conversation_a", "conversation_b"]).reset_index(drop=True),
    )


def _metrics_asked(answers: Answers) -> list[Metric]:
    """Scales, labels of turns and choices between conversations, one metric each; nothing that people are asked of
    people."""
    metrics = []
    survey = answers.facts.survey.name
    for question in answers.questions:
        rows = answers.to(question)
        if "outcome" in rows:
            metrics.append(Metric(survey, question, CHOICE, "", "ordinal", _chosen(rows)))
            continue
        rows = rows[rows["name"] != HUMAN].reset_index(drop=True)
        if rows.empty:
            continue
        rated = rows.rename(columns={"name": "bot", "rated": "unit"})[list(TURN_COLUMNS)].astype({"value": float})
        if "task" in rows:
            metrics.append(Metric(survey, question, RATE, f"{survey}:{rows['task'].iloc[0]}", "nominal", rated))
        else:
            metrics.append(Metric(survey, question, MEAN, "", "ordinal", rated))
    return metrics


def _chosen(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a metric from those of `choice_frame`."""
    ids = rows["conversation_ids"]
    frame = pd.DataFrame({"conversation_a": ids.str[0], "conversation_b": ids.str[1]})
    frame[["a", "b", "worker_id", "annotation_id"]] = rows[["a", "b", "worker_id", "annotation_id"]]
    return frame.assign(unit=ids.map(sorted).str.join("\t"), value=rows["outcome"].astype(float)).reset_index(drop=True)


def _spotting(answers: Annotations) -> list[Metric]:
    """Describe how human each bot was taken for, and how far it was favoured over its partner."""
    rows = pd.concat([answers.rows, answers.with_people], ignore_index=True)
    entities = answers.with_rows(rows).entities.rename(columns={"name": "bot"})
    place = entities["k"].astype(str) + "\tentity:" + entities["entity"].astype(str)
    entities["unit"] = entities["conversation_id"] + "\t" + place
    entities["taken_for_human"] = entities["nature"].map(TAKEN_FOR_HUMAN)
    matched = (rows["a"] != rows["b"]).to_numpy().repeat(2)
    metrics = []
    for name in sorted({"taken_for_human", *answers.features}):
        kept = entities[(entities["bot"] != HUMAN) & (matched | (name == "taken_for_human"))]
        frame = kept.assign(value=kept[name].astype(float))[list(TURN_COLUMNS)].reset_index(drop=True)
        if len(frame):
            metrics.append(Metric(answers.facts.survey.name, name, MEAN, "", "ordinal", frame))
    return metrics


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
    if len(members) == 1:
        return [replace(metric, task=metric.method) for metric in metrics]
    together = zip(metrics, groups, strict=True)
    return [replace(metric, task=f"{metric.method}:{'+'.join(members[group])}") for metric, group in together]
