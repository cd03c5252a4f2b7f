"""What metrics cost: minutes a dialogue, dialogues an hour, pay, training and who passes it.

ABC-Eval 2022, appendices E and F, Figure 9, Tables 9 and 10: the median time of a task, summed over the tasks of a
method dialogue by dialogue; throughput as its reciprocal; and the pay for any number of dialogues. A choice between two
conversations is one task for two dialogues. What training takes is paid here, too, and counts by the dialogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.medians import median_interval
from parlai_spotbot.records import HUMAN, Judgement

TRAINING = ("task", "annotator", "attempt", "round", "role", "dialogue", "wrong_turns", "of", "passed", "seconds")
"""What a row of training must say; `group` (of annotators) may stand beside."""

EVERYBODY = "everybody"
GOLD = "gold"
"""The role of dialogues mixed into the work, by which quality is watched: no training."""


def throughput(minutes: float) -> float:
    """Dialogues an hour (Table 10's TP)."""
    return 60 / minutes if minutes > 0 else np.nan


def projected(minutes: float, dialogues: float, wage: float, each: int = 1) -> float:
    """Pay for so many dialogues at `wage` an hour, where one task is about `each` dialogues (Table 10's EC)."""
    return minutes / 60 * wage * dialogues / each


def times_of(judgements: Sequence[Judgement], metrics: Sequence[Metric], source: str = HUMAN) -> pd.DataFrame:
    """One row an annotation that a metric rests on: method, task, each (dialogues it is about), home (the dialogue, or
    both), worker_id, minutes; those without a time are left out."""
    task_of: dict[str, tuple[str, str, int]] = {}
    for metric in metrics:
        each = 2 if metric.kind == CHOICE else 1
        task_of |= dict.fromkeys(metric.rows["annotation_id"], (metric.method, metric.task, each))
    rows, seen = [], set()
    for row in judgements:
        key = (row.survey, row.annotation_id)
        known = task_of.get(row.annotation_id)
        if row.source != source or key in seen or known is None or known[0] != row.survey:
            continue
        seen.add(key)
        if row.seconds is not None and row.seconds > 0:
            home = "\t".join(sorted(row.conversation_ids))
            rows.append((*known, home, row.worker_id, row.seconds / 60))
    return pd.DataFrame(rows, columns=["method", "task", "each", "home", "worker_id", "minutes"])


def costs(
    times: pd.DataFrame,
    metrics: Sequence[Metric],
    training: pd.DataFrame | None = None,
    *,
    wage: float | None = None,
    dialogues: int = 100,
    doubled: float = 0.0,
) -> dict:
    """What each task and each method takes.

    Parameters
    ----------
    times : frame
        See `times_of`.
    training : frame, optional
        Rows with the columns `TRAINING`.
    wage : float, optional
        Pay an hour; without one there are hours and no pay.
    dialogues : int
        How many the projection is for.
    doubled : float
        Share of the dialogues that a second annotator does, too.

    Returns
    -------
    dict
        `tasks` [{method, task, metrics, each, n, minutes (median), minutes_ci, mean, per_dialogue (minutes a dialogue),
        annotators, training_minutes (an annotator), training_share (minutes a dialogue), payment, hours,
        projected}], `methods` [{method, minutes, minutes_ci, how, throughput, hours, projected, payment}], `wage`,
        `dialogues`, `doubled`.
    """
    names: dict[str, list[str]] = {}
    each_of: dict[str, int] = {}
    for metric in metrics:
        names.setdefault(metric.task, []).append(metric.name)
        each_of[metric.task] = 2 if metric.kind == CHOICE else 1
    trained = _training_minutes(training)
    tasks = []
    for task, members in names.items():
        own = times[times["task"] == task]
        method = next(metric.method for metric in metrics if metric.task == task)
        tasks.append(_task(method, task, members, each_of[task], own, trained, wage, dialogues, doubled))
    methods = [
        _method(method, [entry for entry in tasks if entry["method"] == method], times, wage, dialogues, doubled)
        for method in dict.fromkeys(metric.method for metric in metrics)
    ]
    return {"tasks": tasks, "methods": methods, "wage": wage, "dialogues": dialogues, "doubled": doubled}


def _task(
    method: str,
    task: str,
    members: Sequence[str],
    each: int,
    own: pd.DataFrame,
    trained: Mapping[str, tuple[float, int]],
    wage: float | None,
    dialogues: int,
    doubled: float,
) -> dict:
    minutes = own["minutes"].to_numpy(float)
    median = float(np.median(minutes)) if len(minutes) else np.nan
    entry = {
        "method": method,
        "task": task,
        "metrics": list(members),
        "each": each,
        "n": len(minutes),
        "minutes": median,
        "minutes_ci": median_interval(minutes, Clusters.by(own["home"], own["worker_id"])),
        "mean": float(minutes.mean()) if len(minutes) else np.nan,
        "per_dialogue": median / each,
        "annotators": int(own["worker_id"].nunique()),
        "throughput": throughput(median / each),
    }
    spent, people = trained.get(task, (0.0, 0))
    annotated = own["home"].nunique() * each
    entry["training_minutes"] = spent / people if people else np.nan
    # Those who failed were trained, too: the dialogues that were annotated bear it all.
    entry["training_share"] = spent / annotated if annotated and people else 0.0
    work = median / 60 * dialogues / each * (1 + doubled)
    entry["hours"], entry["training_hours"] = work, entry["training_share"] / 60 * dialogues
    return entry | _money(median, work, entry["training_hours"], wage)


def _money(minutes: float, hours: float, training_hours: float, wage: float | None) -> dict:
    """What one work of so many minutes, and all of it, costs; None where no wage is given."""
    return {
        "payment": projected(minutes, 1, wage) if wage is not None else None,
        "projected": hours * wage if wage is not None else None,
        "projected_with_training": (hours + training_hours) * wage if wage is not None else None,
    }


def _method(
    method: str, tasks: Sequence[dict], times: pd.DataFrame, wage: float | None, dialogues: int, doubled: float
) -> dict:
    """All tasks of a method on one dialogue: the median over dialogues that have them all, as in Table 10."""
    own = times[times["method"] == method]
    per = own.groupby(["home", "task"])["minutes"].mean().unstack("task")
    whole = per.dropna().sum(axis=1).to_numpy(float) if len(per) else np.array([])
    each = max((entry["each"] for entry in tasks), default=1)
    if len(whole) and len(per.columns) == len(tasks):
        alone = Clusters.by(np.arange(len(whole)))
        minutes, ci, how = float(np.median(whole)), median_interval(whole, alone), "dialogues"
    else:
        minutes, ci, how = float(np.sum([entry["minutes"] for entry in tasks])), (np.nan, np.nan), "tasks"
    hours = minutes / 60 * dialogues / each * (1 + doubled)
    training = sum(entry["training_hours"] for entry in tasks)
    return {
        "method": method,
        "minutes": minutes,
        "minutes_ci": ci,
        "how": how,
        "n": len(whole),
        "each": each,
        "tasks": len(tasks),
        "metrics": sum(len(entry["metrics"]) for entry in tasks),
        "throughput": throughput(minutes / each),
        "hours": hours,
        "training_hours": training,
        **_money(minutes, hours, training, wage),
    }


def training_frame(rows: Sequence[Mapping], survey: str = "abc_eval") -> pd.DataFrame:
    """Rows of training as a frame; the task is named as metrics name theirs. `ValueError` names a row that lacks a
    field."""
    for number, row in enumerate(rows, start=1):
        lacking = [name for name in TRAINING if name not in row]
        if lacking:
            raise ValueError(f"row {number} of training: no {', '.join(lacking)}")
    frame = pd.DataFrame([dict(row) for row in rows], columns=[*TRAINING, "group", "mistakes_by_label"])
    frame["group"] = frame["group"].astype(object).where(frame["group"].notna(), "")
    frame["task"] = [task if ":" in str(task) else f"{survey}:{task}" for task in frame["task"]]
    return frame


def _training_minutes(training: pd.DataFrame | None) -> dict[str, tuple[float, int]]:
    """task -> minutes that all of its annotators spent in training, and how many they were."""
    if training is None or training.empty:
        return {}
    training = training[training["role"] != GOLD]
    seconds = training["seconds"].astype(float).fillna(0.0)
    spent = seconds.groupby(training["task"]).sum() / 60
    people = training.groupby("task")["annotator"].nunique()
    return {str(task): (float(spent[task]), int(people[task])) for task in spent.index}


def screening(training: pd.DataFrame) -> list[dict]:
    """Who tried and passed, by task and group of annotators, and how the rounds went (Figure 9): see `screened`."""
    rounds = training[training["role"] != GOLD].to_dict("records")
    return [{**row, "group": row["group"] or EVERYBODY} for row in screened(rounds, {})]
