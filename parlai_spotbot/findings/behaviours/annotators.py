"""Who labelled, how much of each task, and how well they keep to the gold labels."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.behaviours.ranking import ranked
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.surveys.abc_eval.gold import gold_quality
from parlai_spotbot.wording import interval, percent, plainly


def compute(own: Answers) -> dict:
    """As for other surveys; `gold`: each time that somebody came across a gold dialogue, and `tasks`: units and turns
    of each annotator in each task."""
    found = annotators.annotators(own, ranked)
    tasks = own.everyone.groupby(["worker_id", "task"], sort=True)
    done = [
        {
            "worker_id": worker,
            "task": task,
            "units": int(rows["unit_id"].nunique()),
            "turns": len(rows.drop_duplicates(["annotation_id", "target"])),
        }
        for (worker, task), rows in tasks
    ]
    return {**found, "tasks": done, "gold": gold_quality([row for row in own.judgements if row.control is not None])}


def tell(result: Result) -> list[Section]:
    """The gold dialogues, then who annotated."""
    return _gold(result) + annotators.tell(result)


def _gold(result: Result) -> list[Section]:
    """How good annotators were at gold dialogues among their work, over time; nothing where there were none."""
    rows = result.data.get("gold") or []
    if not rows:
        return []
    turns, right = (sum(row[key] for row in rows) for key in ("turns", "right"))
    missed = sum(row["missed"] for row in rows)
    bad = "one of them has" if missed == 1 else f"{missed or 'none'} of them have"
    text = [
        f"{len(rows)} gold dialogues were annotated among the work: {percent(right / turns)} of their {turns} turns "
        f"have the gold labels and no other ({interval(wilson(right, turns))}, Wilson); {bad} "
        "more wrong turns than the training allows. They are no data, and nobody's other answers are left out for them."
    ]
    half = len(rows) // 2
    if half >= 2:
        early, late = rows[:half], rows[-half:]
        shares = [sum(row["right"] for row in part) / sum(row["turns"] for row in part) for part in (early, late)]
        text.append(
            f"In the first half of the time {percent(shares[0])} of turns were right, in the second "
            f"{percent(shares[1])}."
        )
    tasks = sorted({row["task"] for row in rows})
    series = []
    for task in tasks:
        mine = [row for row in rows if row["task"] == task]
        series.append(
            {
                "label": plainly(task),
                "x": list(range(1, len(mine) + 1)),
                "y": [row["right"] / row["turns"] for row in mine],
            }
        )
    chart = Chart(
        "gold",
        "lines",
        "Gold dialogues over time",
        "Each mark is one annotator's gold dialogue, in the order of time.",
        {
            "series": series,
            "x": "gold dialogue of the task, in order of time",
            "y": "share of turns that are right",
            "steps": False,
            "log_x": False,
            "reference": None,
        },
    )
    table = Table(
        "Gold dialogues",
        "One row each time that an annotator came across one.",
        ("annotator", "task", "handed in", "turns right", "of", "wrong turns and their gold labels"),
        [
            (
                result.called(row["worker_id"]),
                plainly(row["task"]),
                row["at"] or "–",
                str(row["right"]),
                str(row["turns"]),
                "; ".join(
                    f"{turn}: {', '.join(map(plainly, labels)) or 'none'}" for turn, labels in row["wrong"].items()
                ),
            )
            for row in rows
        ],
        folded=len(rows) > 12,
    )
    return [Section("gold", "Do annotators keep to the gold labels?", text, [chart] if len(rows) > 2 else [], [table])]


def rows(data: Mapping) -> Rows:
    """Rows of the tables annotators, annotators_tasks and gold."""
    yield from annotators.rows(data)
    for row in data["tasks"]:
        yield "annotators_tasks", row
    for row in data["gold"]:
        kept = {key: value for key, value in row.items() if key != "wrong"}
        yield "gold", {**kept, "wrong_turns": " ".join(row["wrong"])}


FINDING = Finding("annotators", FORM, compute, tell, rows, place=70)
