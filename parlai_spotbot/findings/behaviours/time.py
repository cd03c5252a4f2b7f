"""Time of annotations, over all tasks and by task."""

from __future__ import annotations

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.schema import Column, Table
from parlai_spotbot.surveys.abc_eval.labels import TASKS


def compute(answers: Answers) -> dict:
    """Seconds per annotation over all tasks, and by task under `tasks`."""
    annotations = answers.annotations.rename(columns={"exchanges": "k"})
    by_task = {task: annotations[annotations["task"] == task] for task in TASKS}
    tasks = {task: time_summary(rows, answers.options.wage) for task, rows in by_task.items() if len(rows)}
    return {**costs.compute_time(answers), "tasks": tasks}


BY_TASK = Table("tasks/{task}", {"task": Column("text", "Task"), **costs.TIME.columns}, "Time by task")

FINDING = Finding(
    "time",
    FORM,
    compute,
    tables={"time": costs.TIME, "tasks": BY_TASK},
    summarise=costs.summarise_time,
    heading="Time",
    place=80,
    options=("wage",),
)
