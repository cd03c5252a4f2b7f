"""Annotators who labelled: work by task, and agreement with the gold labels."""

from __future__ import annotations

from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.behaviours.ranking import ranked
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.surveys.abc_eval.gold import gold_quality
from parlai_spotbot.wording import interval, percent


def compute(answers: Answers) -> dict:
    """As for other surveys; `gold`: each time that somebody came across a gold dialogue, and `tasks`: units and turns
    of each annotator in each task."""
    result = annotators.annotators(answers, ranked)
    tasks = answers.everyone.groupby(["worker_id", "task"], sort=True)
    done = [
        {
            "worker_id": worker,
            "task": task,
            "units": int(rows["unit_id"].nunique()),
            "turns": len(rows.drop_duplicates(["annotation_id", "target"])),
        }
        for (worker, task), rows in tasks
    ]
    return {
        **result,
        "tasks": done,
        "gold": gold_quality([row for row in answers.judgements if row.control is not None]),
    }


GOLD = Table(
    "gold",
    {
        "worker_id": Column("annotator", "Annotator"),
        "task": Column("text", "Task"),
        "at": Column("text", "Handed in"),
        "right": Column("count", "Turns right"),
        "turns": Column("count", "Of"),
        "missed": Column("flag", "More wrong than the training allows"),
    },
    "Gold dialogues",
    "Gold dialogues among the work are no data, and nobody's other answers are left out for them.",
    csv="gold",
)
TASKS = Table(
    "tasks",
    {
        "worker_id": Column("annotator", "Annotator"),
        "task": Column("text", "Task"),
        "units": Column("count", "Units"),
        "turns": Column("count", "Turns"),
    },
    "Work by task",
)


def summarise(result: Result) -> list[str]:
    """Return what is said in every survey, and how well annotators keep to the gold labels."""
    rows = result.data.get("gold") or []
    turns, right = (sum(row[key] for row in rows) for key in ("turns", "right"))
    gold = (
        f"Of the {turns} turns of {len(rows)} gold dialogues {percent(right / turns)} have the gold labels and no "
        f"other ({interval(wilson(right, turns))}, Wilson)."
        if turns
        else ""
    )
    return [*annotators.summarise(result), gold]


FINDING = annotators.finding(FORM, compute, {"tasks": TASKS, "gold": GOLD}, summarise)
