"""Shares of annotators who passed the training, by task and group."""

from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Result, declared
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


FINDING = declared(__file__, FORM, compute, summarise)
