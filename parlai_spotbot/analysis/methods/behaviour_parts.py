"""The parts of ABC-Eval: how often each contestant shows each behaviour, who was screened, and how good annotators are.

There is no overall order: sixteen behaviours don't add up to one number, and of some more may be better or worse.
"""

from __future__ import annotations

import pandas as pd

from parlai_spotbot.analysis.behaviours import (
    adjust_over_all,
    behaviour,
    dialogue_rates,
)
from parlai_spotbot.analysis.methods import shared_parts
from parlai_spotbot.analysis.methods.driver import Source, Study
from parlai_spotbot.analysis.methods.rating_parts import ratings_of
from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.abc_eval.gold import gold_quality
from parlai_spotbot.surveys.abc_eval.label_frame import facts, label_frame
from parlai_spotbot.surveys.abc_eval.labels import LABELS, LESS, MORE, TASKS, task_of_label
from parlai_spotbot.wording import listed, plainly

CRITERION = "share of turns"
TEST = (
    "difference of shares over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a behaviour; beside it over all pairs of all behaviours"
)
NO_ORDER = (
    "There is no overall order, as the behaviours don't add up to one number: each has an order of its own. Of errors "
    "fewer are better; of {more} more are; of the others neither is known to be better."
)


def frame(answers: pd.DataFrame, study: Study) -> tuple[pd.DataFrame, dict[str, int]]:
    return label_frame(answers, study.conversations, study.items)


def names(rows: pd.DataFrame) -> set[str]:
    return set(rows["name"])


def direction(label: str) -> str | None:
    """Whether "less" or "more" of it is better; None where that isn't known."""
    return "less" if label in LESS else "more" if label in MORE else None


def ranked(source: Source, rows: pd.DataFrame) -> dict:
    """The shares and tests of one label."""
    label = rows["question"].iloc[0] if len(rows) else ""
    found = behaviour(
        rows, source.names, crossed=source.crossed, resample=source.resample, less_is_better=direction(label) == "less",
    )  # fmt: skip
    return {**found, "criterion": CRITERION, "task": task_of_label(label), "direction": direction(label), "test": TEST,
            "bootstrap": source.bootstrap()}  # fmt: skip


def ranking_part(source: Source) -> dict:
    """ranking.json: every label under `criteria`; `order` is empty, and `why` says so."""
    criteria = {label: ranked(source, source.rows[source.rows["question"] == label]) for label in source.questions}
    adjust_over_all(criteria)
    pairs = [pair for own in criteria.values() for pair in own["pairs"]]
    clear = {f"clear{over}": sum(pair[f"p_adjusted{over}"] < 0.05 for pair in pairs) for over in ("", "_all")}
    more = listed([f"“{plainly(label)}”" for label in MORE])
    return {
        "order": [],
        "why": NO_ORDER.format(more=more),
        "criterion": CRITERION,
        "criteria": criteria,
        "tests": {"pairs": len(pairs), **clear},
        "facts": facts(source.answers, source.rows),
        "bootstrap": source.bootstrap(),
    }


def dialogues_part(source: Source) -> dict:
    """dialogues.json: of each dialogue the share of its turns with each label."""
    found = dialogue_rates(source.rows)
    return {
        label: [
            {"bot": row.name, "conversation_id": row.conversation_id, "turns": row.turns, "n": row.n, "hits": row.hits,
             "share": row.share, "wilson": (row.low, row.high)}
            for row in found[found["question"] == label].itertuples(index=False)
        ]
        for label in source.questions
    }  # fmt: skip


def agreement_part(source: Source) -> dict:
    """agreement.json: alpha of each label, and what annotator models add to it."""

    def rated(rows: pd.DataFrame) -> list[str]:
        return rows["rated"].tolist()

    def given(rows: pd.DataFrame) -> pd.Series:
        return rows["value"].map({0: "no", 1: "yes"})

    found = shared_parts.agreement_part(source, "value", rated, "nominal")
    return found | shared_parts.consensus_part(source, rated, given, "label")


def annotators_part(source: Source) -> dict:
    """annotators.json: as for other surveys; `gold`: each time that somebody came across a gold dialogue, and `tasks`:
    units and turns of each annotator in each task."""
    found = shared_parts.annotators_part(source, ranked)
    own = [row for row in source.study.controls if row.source == source.name]
    tasks = source.everyone.groupby(["worker_id", "task"], sort=True)
    done = [
        {"worker_id": worker, "task": task, "units": int(rows["unit_id"].nunique()),
         "turns": len(rows.drop_duplicates(["annotation_id", "target"]))}
        for (worker, task), rows in tasks
    ]  # fmt: skip
    return {**found, "tasks": done, "gold": gold_quality(own)}


def screening_part(source: Source) -> dict:
    """screening.json: attempts at the training, passes and mistakes by task and group; {} for judges."""
    if source.name != HUMAN:
        return {}
    rows = screened(source.study.screening, LABELS)
    order = {task: place for place, task in enumerate(TASKS)}
    return {"rows": sorted(rows, key=lambda row: (order.get(row["task"], len(order)), row["group"]))}


def time_part(source: Source) -> dict:
    """time.json: seconds per annotation over all tasks, and by task under `tasks`."""
    found = shared_parts.time_part(source)
    annotations = source.annotations.rename(columns={"exchanges": "k"})
    present = [task for task in TASKS if task in set(annotations["task"])]
    return {
        **found,
        "tasks": {task: time_summary(annotations[annotations["task"] == task], source.wage) for task in present},
    }


def trust_part(source: Source) -> dict:
    if source.people is None:
        return {}
    scales = {label: ["0", "1"] for label in source.questions}
    return shared_parts.trust_part(source, ratings=ratings_of(source), scales=scales)
