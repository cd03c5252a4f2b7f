"""Costs of metrics: minutes a dialogue, dialogues an hour, and pay.

ABC-Eval 2022, appendices E and F, Tables 9 and 10: the median time of a task, summed over the tasks of a method
dialogue by dialogue; throughput as its reciprocal; and the pay for any number of dialogues. A choice between two
conversations is one task for two dialogues.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.medians import median_interval
from parlai_spotbot.records import HUMAN, Judgement


def throughput(minutes: float) -> float:
    """Return dialogues an hour (Table 10's TP)."""
    return 60 / minutes if minutes > 0 else np.nan


def projected(minutes: float, dialogues: float, wage: float, each: int = 1) -> float:
    """Return the pay for so many dialogues at `wage` an hour, `each` dialogues a task (Table 10's EC)."""
    return minutes / 60 * wage * dialogues / each


def times_of(judgements: Sequence[Judgement], metrics: Sequence[Metric], source: str = HUMAN) -> pd.DataFrame:
    """Return one row an annotation of known time that a metric rests on: method, task, each (dialogues it is about),
    home (the dialogue, or both), worker_id, minutes."""
    task_of: dict[str, tuple[str, str, int]] = {}
    for metric in metrics:
        task_of |= dict.fromkeys(metric.rows["annotation_id"], (metric.method, metric.task, _each(metric)))
    rows = {}
    for row in judgements:
        task = task_of.get(row.annotation_id)
        if row.source == source and task is not None and task[0] == row.survey and (row.seconds or 0) > 0:
            home = "\t".join(sorted(row.conversation_ids))
            rows.setdefault((row.survey, row.annotation_id), (*task, home, row.worker_id, row.seconds / 60))
    return pd.DataFrame(list(rows.values()), columns=["method", "task", "each", "home", "worker_id", "minutes"])


def _each(metric: Metric) -> int:
    return 2 if metric.kind == CHOICE else 1


def costs(times: pd.DataFrame, metrics: Sequence[Metric], *, wage: float | None = None, dialogues: int = 100) -> dict:
    """Return what each task and each method takes.

    Parameters
    ----------
    times : frame
        See `times_of`.
    wage : float, optional
        Pay an hour; without one there are hours and no pay.
    dialogues : int
        How many the projection is for.

    Returns
    -------
    dict
        `tasks` [{method, task, metrics, each, n, annotators, minutes (median), minutes_ci, throughput,
        payment}], `methods` [{method, tasks, metrics, minutes, minutes_ci, throughput, hours,
        projected}], `wage`, `dialogues`.
    """
    tasks: dict[str, dict] = {}
    for metric in metrics:
        if metric.task in tasks:
            tasks[metric.task]["metrics"].append(metric.name)
            continue
        time = times[times["task"] == metric.task]
        minutes = time["minutes"].to_numpy(float)
        median = float(np.median(minutes)) if len(minutes) else np.nan
        tasks[metric.task] = {
            "method": metric.method,
            "task": metric.task,
            "metrics": [metric.name],
            "each": _each(metric),
            "n": len(minutes),
            "annotators": int(time["worker_id"].nunique()),
            "minutes": median,
            "minutes_ci": median_interval(minutes, Clusters.by(time["home"], time["worker_id"])),
            "throughput": throughput(median / _each(metric)),
            "payment": projected(median, 1, wage) if wage is not None else None,
        }
    methods = [
        _method(name, [entry for entry in tasks.values() if entry["method"] == name], times, wage, dialogues)
        for name in dict.fromkeys(metric.method for metric in metrics)
    ]
    return {"tasks": list(tasks.values()), "methods": methods, "wage": wage, "dialogues": dialogues}


def _method(method: str, tasks: Sequence[dict], times: pd.DataFrame, wage: float | None, dialogues: int) -> dict:
    """Return the costs of all tasks of a method: the median over dialogues that have them all, as in Table 10."""
    time = times[times["method"] == method]
    per = time.groupby(["home", "task"])["minutes"].mean().unstack("task")
    whole = per.dropna().sum(axis=1).to_numpy(float) if len(per) else np.array([])
    each = max(entry["each"] for entry in tasks)
    minutes, ci = float(sum(entry["minutes"] for entry in tasks)), (np.nan, np.nan)
    if len(whole) and len(per.columns) == len(tasks):
        minutes, ci = float(np.median(whole)), median_interval(whole, Clusters.by(np.arange(len(whole))))
    return {
        "method": method,
        "tasks": len(tasks),
        "metrics": sum(len(entry["metrics"]) for entry in tasks),
        "minutes": minutes,
        "minutes_ci": ci,
        "throughput": throughput(minutes / each),
        "hours": projected(minutes, dialogues, 1.0, each),
        "projected": projected(minutes, dialogues, wage, each) if wage is not None else None,
    }
