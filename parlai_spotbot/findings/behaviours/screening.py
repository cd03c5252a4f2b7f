"""Shares of annotators who passed the training, by task and group."""

from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.surveys.abc_eval.labels import TASKS
from parlai_spotbot.wording import percent


def compute(answers: Answers) -> dict:
    """Attempts at the training, passes and mistakes by task and group; {} for judges."""
    if not answers.crossed:
        return {}
    order = {task: place for place, task in enumerate(TASKS)}
    rows = screened(answers.facts.screening)
    return {"rows": sorted(rows, key=lambda row: (order.get(row["task"], len(order)), row["group"]))}


def summarise(result: Result) -> list[str]:
    """Return how many passed the training; [] where nobody was trained."""
    rows = result.data.get("rows") or []
    began, decided, passed = (sum(row[key] for row in rows) for key in ("annotators", "decided", "passed"))
    share = f" ({percent(passed / decided)})" if decided else ""
    text = f"The training of a task was begun {began} times and decided {decided} times; {passed} passed{share}."
    return [text] if rows else []


TABLE = Table(
    "rows",
    {
        "task": Column("text", "Task"),
        "group": Column("text", "Group"),
        "annotators": Column("count", "Began"),
        "decided": Column("count", "Decided"),
        "passed": Column("count", "Passed"),
        "pass_share": Column("share", "Share", ci="pass_ci"),
        "accuracy": Column("share", "Turns right"),
        "mistakes": Column("number", "Wrong a dialogue", digits=1),
    },
    "Training by task",
    "Began: handed in at least one dialogue. Decided: handed in the one that decides. Wrong: turns without the gold "
    "labels. Wilson's interval.",
    ("finch2023",),
)

FINDING = Finding(
    "screening",
    FORM,
    compute,
    tables={"screening": TABLE},
    summarise=summarise,
    heading="Who passed the training?",
    chart=Chart(
        "forest", "screening", x="pass_share", y="task", caption="Share that passed the training, with 95 % intervals."
    ),
    place=65,
)
