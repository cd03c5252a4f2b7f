"""How long annotating takes, over all tasks and by task."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.time import time_summary
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
from parlai_spotbot.surveys.abc_eval.labels import TASKS
from parlai_spotbot.wording import number, plainly


def compute(own: Answers) -> dict:
    """Seconds per annotation over all tasks, and by task under `tasks`."""
    annotations = own.annotations.rename(columns={"exchanges": "k"})
    by_task = {task: annotations[annotations["task"] == task] for task in TASKS}
    tasks = {task: time_summary(rows, own.options.wage) for task, rows in by_task.items() if len(rows)}
    return {**costs.compute_time(own), "tasks": tasks}


def tell(result: Result) -> list[Section]:
    """How long it took, over all and by task."""
    time, found = result.data, costs.tell_time(result)
    if not found:
        return []
    rows = [
        (
            plainly(task),
            str(own["n"]),
            number(own["median"] / 60, 1),
            number(own["mean"] / 60, 1),
            number(own["hours"], 1),
            *((number(own["cost"]),) if own.get("cost") is not None else ()),
        )
        for task, own in time["tasks"].items()
        if own["n"]
    ]
    head = ("task", "conversations annotated", "median minutes", "mean minutes", "hours")
    paid = bool(rows) and len(rows[0]) > len(head)
    table = Table(
        "Time by task", "Minutes for one conversation in one task.", (*head, *(("cost",) if paid else ())), rows
    )
    section = found[0]
    return [Section(section.anchor, section.heading, section.text, section.charts, [table, *section.tables])]


def rows(data: Mapping) -> Rows:
    """Rows of the tables time and time_tasks."""
    yield from costs.time_rows(data)
    for task, found in data["tasks"].items():
        if found["n"]:
            kept = {key: found[key] for key in ("n", "median", "mean", "hours", "cost")}
            yield "time_tasks", {"task": task, **kept}


FINDING = Finding("time", FORM, compute, tell, rows, place=80, options=("wage",))
