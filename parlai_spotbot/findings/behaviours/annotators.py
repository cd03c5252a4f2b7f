"""Annotators who labelled: work by task, and agreement with the gold labels."""

from __future__ import annotations

from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.behaviours.ranking import ranked
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.surveys.controls.gold import gold_quality
from parlai_spotbot.wording import interval, percent


def compute(answers: Answers) -> dict:
    """As for other surveys; `gold`: each time that somebody came across a gold dialogue."""
    result = annotators.annotators(answers, ranked)
    return result | {"gold": gold_quality([row for row in answers.judgements if row.control is not None])}


def summarise(result: Result) -> list[str]:
    """Return what is said in every survey, and how well annotators keep to the gold labels."""
    rows = result.data.get("gold") or []
    turns, right = (sum(row[key] for row in rows) for key in ("turns", "right"))
    gold = (
        f"Of the {turns} turns of {len(rows)} gold dialogues {percent(right / turns)} have the gold labels and no "
        f"other ({interval(wilson(right, turns))}, Wilson)."
        if turns
        else ""
    )
    return [*annotators.summarise(result), gold]


FINDING = annotators.finding(FORM, compute, summarise)
