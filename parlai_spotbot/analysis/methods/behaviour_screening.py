"""The report's sections on the training of annotators and on gold dialogues among their work."""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Chart, Section, Table
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.wording import interval, number, percent, plainly


def screening_section(own: dict) -> list[Section]:
    """Who passed the training, by task and group; nothing where nobody was trained."""
    rows = own.get("rows") or []
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
        "screening", "forest", "Who passed the training", "Share of those who came to a decision, with Wilson's 95 % "
        "interval.",
        {"rows": [{"label": _named(row, grouped), "estimate": row["pass_share"], "low": row["pass_ci"][0],
                   "high": row["pass_ci"][1]} for row in rows],
         "reference": None, "x": "share of annotators who passed"},
    )  # fmt: skip
    head = ("task", *(("group",) if grouped else ()), "began", "decided", "passed", "share", "95 % interval",
            "at once", "turns right", "wrong a dialogue", "wrong where it decides", "minutes")  # fmt: skip
    table = Table(
        "Training by task",
        "Began: annotators who handed in at least one dialogue. Decided: who handed in the one that decides. At once: "
        "who passed at the first attempt. Wrong: turns that don't have the gold labels. Minutes: for a dialogue.",
        head,
        [
            (plainly(row["task"]), *((row["group"] or "–",) if grouped else ()), str(row["annotators"]),
             str(row["decided"]), str(row["passed"]), percent(row["pass_share"]), interval(row["pass_ci"]),
             str(row["first"]), percent(row["accuracy"]), number(row["mistakes"], 1),
             number(row["deciding_mistakes"], 1), number(None if row["seconds"] is None else row["seconds"] / 60, 1))
            for row in rows
        ],
        cite=("finch2023",),
    )  # fmt: skip
    labels = [
        (plainly(row["task"]), *((row["group"] or "–",) if grouped else ()), plainly(label), percent(share, 1))
        for row in rows for label, share in row["mistakes_by_label"].items()
    ]  # fmt: skip
    wrong = Table(
        "Mistakes by behaviour",
        "Share of the training's turns in which the label was given without holding, or held without being given.",
        ("task", *(("group",) if grouped else ()), "behaviour", "turns"), labels, folded=len(labels) > 6,
    )  # fmt: skip
    return [Section("screening", "Who passed the training?", text, [chart], [table, *([wrong] if labels else [])])]


def _named(row: dict, grouped: bool) -> str:
    return plainly(row["task"]) + (f", {row['group'] or 'no group'}" if grouped else "")


def gold_section(own: dict) -> list[Section]:
    """How good annotators were at gold dialogues among their work, over time; nothing where there were none."""
    rows = own.get("gold") or []
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
        text.append(f"In the first half of the time {percent(shares[0])} of turns were right, in the second "
                    f"{percent(shares[1])}.")  # fmt: skip
    tasks = sorted({row["task"] for row in rows})
    series = []
    for task in tasks:
        mine = [row for row in rows if row["task"] == task]
        series.append({"label": plainly(task), "x": list(range(1, len(mine) + 1)),
                       "y": [row["right"] / row["turns"] for row in mine]})  # fmt: skip
    chart = Chart(
        "gold", "lines", "Gold dialogues over time", "Each mark is one annotator's gold dialogue, in the order of "
        "time.",
        {"series": series, "x": "gold dialogue of the task, in order of time", "y": "share of turns that are right",
         "steps": False, "log_x": False, "reference": None},
    )  # fmt: skip
    table = Table(
        "Gold dialogues",
        "One row each time that an annotator came across one.",
        ("annotator", "task", "handed in", "turns right", "of", "wrong turns and their gold labels"),
        [(row["worker_id"], plainly(row["task"]), row["at"] or "–", str(row["right"]), str(row["turns"]),
          "; ".join(f"{turn}: {', '.join(map(plainly, labels)) or 'none'}" for turn, labels in row["wrong"].items()))
         for row in rows],
        folded=len(rows) > 12,
    )  # fmt: skip
    return [Section("gold", "Do annotators keep to the gold labels?", text, [chart] if len(rows) > 2 else [], [table])]
