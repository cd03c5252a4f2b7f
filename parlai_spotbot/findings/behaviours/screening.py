"""Shares of annotators who passed the training, by task and group."""

from parlai_spotbot.analysis.screening import screened
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.surveys.abc_eval.labels import TASKS
from parlai_spotbot.wording import percent


def compute(answers: Answers) -> Found | None:
    """Attempts at the training, passes and mistakes by task and group; None for judges."""
    rows = screened(answers.facts.screening)
    if rows.empty or not answers.crossed:
        return None
    order = {task: place for place, task in enumerate(TASKS)}
    return {"screening": rows.sort_values("task", key=lambda tasks: tasks.map(order), kind="stable")}


def summarise(result: Result) -> list[str]:
    """Return how many passed the training."""
    rows = result.frames["screening"]
    began, decided, passed = (rows[column].sum() for column in ("annotators", "decided", "passed"))
    text = f"The training of a task was begun {began} times and decided {decided} times; {passed} passed"
    if decided:
        text += f" ({percent(passed / decided)})"
    return [f"{text}."]


FINDING = declared(__file__, FORM, compute, summarise)
