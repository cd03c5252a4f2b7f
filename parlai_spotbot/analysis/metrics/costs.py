"""Costs of metrics: minutes per dialogue, dialogues per hour, and pay.

ABC-Eval 2022, appendices E and F, Tables 9 and 10: the median time of a task, summed over the tasks of a method
dialogue by dialogue; throughput as its reciprocal; and the pay for any number of dialogues. A choice between two
conversations is one task for two dialogues.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.medians import median_interval
from parlai_spotbot.records import HUMAN, Judgement


def throughput(minutes: float) -> float:
    """Return dialogues per hour (Table 10's TP)."""
    return 60 / minutes if minutes > 0 else np.nan


def projected(minutes: float, dialogues: float, wage: float, each: int = 1) -> float:
    """Return the pay for `dialogues` at `wage` per hour, `each` dialogues per task (Table 10's EC)."""
    return minutes / 60 * wage * dialogues / each


def times_of(judgements: Sequence[Judgement], metrics: Sequence[Metric], source: str = HUMAN) -> pd.DataFrame:
    """Return one row per timed annotation that a metric is computed from.

    Columns: method, task, home (the dialogue, or both), worker_id, minutes.
    """
    task_of: dict[str, tuple[str, str]] = {}
    for metric in metrics:
        task_of |= dict.fromkeys(metric.rows["annotation_id"], (metric.method, metric.task))
    rows = {}
    for row in judgements:
        task = task_of.get(row.annotation_id)
        seconds = row.seconds or 0.0
        if row.source == source and task is not None and task[0] == row.survey and seconds > 0:
            home = "\t".join(sorted(row.conversation_ids))
            rows.setdefault((row.survey, row.annotation_id), (*task, home, row.worker_id, seconds / 60))
    return pd.DataFrame(list(rows.values()), columns=["method", "task", "home", "worker_id", "minutes"])


def costs(times: pd.DataFrame, metrics: Sequence[Metric], *, wage: float | None = None, dialogues: int = 100) -> dict:
    """Return the costs of each task and each method.

    Parameters
    ----------
    times : frame
        See `times_of`.
    wage : float, optional
        Pay per hour; without it there are hours and no pay.
    dialogues : int
        How many dialogues the projection is for.

    Returns
    -------
    dict
        `tasks` [{method, task, metrics, n, annotators, minutes (median), payment}], `methods` [{method, metrics,
        minutes, minutes_ci, throughput, hours, projected}], `wage`, `dialogues`.
    """
    tasks: dict[str, dict] = {}
    for metric in metrics:
        if metric.task not in tasks:
            time = times[times["task"] == metric.task]
            minutes = float(time["minutes"].median())
            tasks[metric.task] = {
                "method": metric.method,
                "task": metric.task,
                "metrics": [],
                "n": len(time),
                "annotators": int(time["worker_id"].nunique()),
                "minutes": minutes,
                "payment": None if wage is None else projected(minutes, 1, wage),
            }
        tasks[metric.task]["metrics"].append(metric.name)
    methods = []
    for name in dict.fromkeys(metric.method for metric in metrics):
        pairs = any(metric.kind == CHOICE for metric in metrics if metric.method == name)
        of_method = [task for task in tasks.values() if task["method"] == name]
        methods.append(_method(name, of_method, times, wage, dialogues, 1 + pairs))
    return {"tasks": list(tasks.values()), "methods": methods, "wage": wage, "dialogues": dialogues}


def _method(
    method: str, tasks: Sequence[dict], times: pd.DataFrame, wage: float | None, dialogues: int, each: int
) -> dict:
    """Return the costs of all tasks of a method: the median over dialogues that have them all, as in Table 10."""
    per = times[times["method"] == method].groupby(["home", "task"])["minutes"].mean().unstack("task")
    whole = per.dropna().sum(axis=1).to_numpy(float) if len(per.columns) == len(tasks) else np.array([])
    minutes = float(sum(task["minutes"] for task in tasks))
    ci = (np.nan, np.nan)
    if len(whole):
        minutes = float(np.median(whole))
        ci = median_interval(whole, Clusters.by(np.arange(len(whole))))
    return {
        "method": method,
        "metrics": sum(len(task["metrics"]) for task in tasks),
        "minutes": minutes,
        "minutes_ci": ci,
        "throughput": throughput(minutes / each),
        "hours": projected(minutes, dialogues, 1.0, each),
        "projected": None if wage is None else projected(minutes, dialogues, wage, each),
    }
