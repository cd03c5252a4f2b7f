"""Who passed the training, by task and group."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.surveys.abc_eval.labels import LABELS, TASKS
from parlai_spotbot.wording import interval, number, percent, plainly


def compute(own: Answers) -> dict:
    """Attempts at the training, passes and mistakes by task and group; {} for judges."""
    if not own.crossed:
        return {}
    order = {task: place for place, task in enumerate(TASKS)}
    rows = screened(own.facts.screening, LABELS)
    return {"rows": sorted(rows, key=lambda row: (order.get(row["task"], len(order)), row["group"]))}


def tell(result: Result) -> list[Section]:
    """Who passed the training, by task and group; nothing where nobody was trained."""
    rows = result.data.get("rows") or []
    if not rows:
        return []
    grouped = any(row["group"] for row in rows)
    began, decided, passed = (sum(row[key] for row in rows) for key in ("annotators", "decided", "passed"))
    text = [
        f"The training of a task was begun {began} times and decided {decided} times; {passed} passed "
        f"({percent(passed / decided if decided else None)}). Somebody who takes several tasks counts in each."
    ]
    shares = sorted((row["pass_share"], place) for place, row in enumerate(rows) if row["decided"])
    if len(shares) > 1 and shares[0][0] < shares[1][0]:
        hardest = rows[shares[0][1]]
        text.append(
            f"Fewest passed: {_named(hardest, grouped)}, {hardest['passed']} of {hardest['decided']} "
            f"({percent(hardest['pass_share'])}, {interval(hardest['pass_ci'])})."
        )
    chart = Chart(
        "screening",
        "forest",
        "Who passed the training",
        "Share of those who came to a decision, with Wilson's 95 % interval.",
        {
            "rows": [
                {
                    "label": _named(row, grouped),
                    "estimate": row["pass_share"],
                    "low": row["pass_ci"][0],
                    "high": row["pass_ci"][1],
                }
                for row in rows
            ],
            "reference": None,
            "x": "share of annotators who passed",
        },
    )
    head = (
        "task",
        *(("group",) if grouped else ()),
        "began",
        "decided",
        "passed",
        "share",
        "95 % interval",
        "at once",
        "turns right",
        "wrong a dialogue",
        "wrong where it decides",
        "minutes",
    )
    table = Table(
        "Training by task",
        "Began: annotators who handed in at least one dialogue. Decided: who handed in the one that decides. At once: "
        "who passed at the first attempt. Wrong: turns that don't have the gold labels. Minutes: for a dialogue.",
        head,
        [
            (
                plainly(row["task"]),
                *((row["group"] or "–",) if grouped else ()),
                str(row["annotators"]),
                str(row["decided"]),
                str(row["passed"]),
                percent(row["pass_share"]),
                interval(row["pass_ci"]),
                str(row["first"]),
                percent(row["accuracy"]),
                number(row["mistakes"], 1),
                number(row["deciding_mistakes"], 1),
                number(None if row["seconds"] is None else row["seconds"] / 60, 1),
            )
            for row in rows
        ],
        cite=("finch2023",),
    )
    labels = [
        (plainly(row["task"]), *((row["group"] or "–",) if grouped else ()), plainly(label), percent(share, 1))
        for row in rows
        for label, share in row["mistakes_by_label"].items()
    ]
    wrong = Table(
        "Mistakes by behaviour",
        "Share of the training's turns in which the label was given without holding, or held without being given.",
        ("task", *(("group",) if grouped else ()), "behaviour", "turns"),
        labels,
        folded=len(labels) > 6,
    )
    return [Section("screening", "Who passed the training?", text, [chart], [table, *([wrong] if labels else [])])]


def _named(row: dict, grouped: bool) -> str:
    return plainly(row["task"]) + (f", {row['group'] or 'no group'}" if grouped else "")


def rows(data: Mapping) -> Rows:
    """Rows of the tables screening and screening_labels."""
    for row in data.get("rows", []):
        rounds = {f"accuracy_round_{number}": share for number, share in row["by_round"].items()}
        yield "screening", {**flat(row), **rounds}
        for label, share in row["mistakes_by_label"].items():
            yield "screening_labels", {"task": row["task"], "group": row["group"], "label": label, "mistakes": share}


FINDING = Finding("screening", FORM, compute, tell, rows, place=65)
