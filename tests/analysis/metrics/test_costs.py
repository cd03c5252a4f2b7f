"""What metrics cost: the arithmetic of the published tables, training, and times of a study."""

import pandas as pd
import pytest
import yaml

from parlai_spotbot.analysis.metrics.costs import costs, projected, throughput, times_of
from parlai_spotbot.records import HUMAN
from tests.case_tables import cases


def rows_of(times):
    """The times of annotations as a frame."""
    columns = ["method", "task", "home", "worker_id", "minutes"]
    return pd.DataFrame(times, columns=columns)


def metric(method, task, name, kind="rate"):
    from parlai_spotbot.analysis.metrics import Metric
    from parlai_spotbot.analysis.metrics.frame import PAIR_COLUMNS, TURN_COLUMNS

    columns = PAIR_COLUMNS if kind == "choice" else TURN_COLUMNS
    return Metric(method, name, kind, task, "nominal", pd.DataFrame(columns=list(columns)))


@cases(
    "minutes each per_hour cost",
    """
# Table 10: TI, dialogues a task, TP, EC; 400 dialogues at 20 an hour
- [8.08, 1, 7.43, 1077.14]
- [2.81, 1, 21.37, 374.36]
- [4.35, 2, 13.81, 289.68]
- [19.94, 1, 3.01, 2658.4]
- [25.6, 1, 2.34, 3413.58]
- [15.17, 1, 3.95, 2022.98]
""",
)
def test_the_paper_s_throughput_and_costs_follow_from_its_minutes(minutes, each, per_hour, cost):
    # Their minutes are rounded to hundredths, which bounds what can follow.
    assert throughput(minutes) == pytest.approx(per_hour, abs=60 * 0.005 / minutes**2 + 0.005)
    assert projected(minutes, 400, 20.0, each) == pytest.approx(cost, abs=0.005 / 60 * 20 * 400 / each + 0.005)


def test_minutes_of_a_method_are_those_of_dialogues_with_all_tasks():
    times = rows_of(
        yaml.safe_load("""
            - [m, m:a, c1, w1, 2.0]
            - [m, m:b, c1, w1, 1.0]
            - [m, m:a, c2, w1, 4.0]
            - [m, m:b, c2, w2, 3.0]
            - [m, m:a, c3, w2, 6.0]
            - [m, m:b, c3, w2, 1.0]
            - [m, m:b, c3, w1, 3.0]
            - [m, m:a, c4, w2, 90.0]
        """)
    )
    metrics = [metric("m", "m:a", "x"), metric("m", "m:b", "y"), metric("m", "m:b", "z")]
    found = costs(times, metrics, wage=30.0, dialogues=10)
    (method,) = found["methods"]
    assert method["minutes"] == 7.0  # of 3, 7 and 6 + the mean of 1 and 3
    assert method["throughput"] == pytest.approx(60 / 7)
    assert method["hours"] == pytest.approx(7 / 60 * 10)
    assert method["projected"] == pytest.approx(30 * 7 / 60 * 10)
    tasks = {row["task"]: row for row in found["tasks"]}
    assert tasks["m:a"]["minutes"] == 5.0
    assert tasks["m:b"]["metrics"] == ["y", "z"]
    assert tasks["m:b"]["payment"] == pytest.approx(30 * 2 / 60)


def test_a_choice_is_one_task_for_two_dialogues():
    times = rows_of([("c", "c", f"a{i}\tb{i}", "w", 4.0) for i in range(5)])
    found = costs(times, [metric("c", "c", "quality", "choice")], dialogues=100)
    assert found["methods"][0]["throughput"] == 30
    assert found["methods"][0]["hours"] == pytest.approx(50 * 4 / 60)
    assert found["methods"][0]["projected"] is None


def test_times_of_annotations_are_read_once_each(made, evidence):
    every = [row for rows in made.judgements.values() for row in rows]
    times = times_of(every, evidence.metrics[HUMAN])
    assert set(times["task"]) == {"abc_eval:consistency", "abc_eval:empathy", "dialogue_likert", "comparative"}
    annotations = {row.annotation_id for row in made.judgements["dialogue_likert"]}
    assert (times["task"] == "dialogue_likert").sum() == len(annotations)
