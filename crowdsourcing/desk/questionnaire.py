"""The questions about themselves that annotators may answer once, when their first task is done: all are voluntary.

The answers are next to those to the items, under a name of their own, so that no item's answers hold anything about a
person; they become judgements with the target "annotator", and go when the annotator withdraws.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import clean_answer, malformed
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.surveys.survey import Survey

KEY = "questionnaire"
"""Under this a submission holds the answers; also the item id of their judgements."""

TARGET = "annotator"


def is_due(survey: Survey, ledger: Ledger, worker: str) -> bool:
    """Return whether the questionnaire is put: the survey has one, and the annotator has not handed a task in yet."""
    return bool(survey.questionnaire) and not ledger.handouts("worker = ? AND status = 'done'", worker)


def check(survey: Survey, rows: Any) -> list[dict]:
    """``[{"question", "target", "answer"}]``, clean and in the survey's order; without what was left empty.

    Nothing has to be answered, not even sent. Raises `Refusal` 400 for what no page of ours sends.
    """
    rows = [] if rows is None else rows
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise malformed("The answers about yourself are not a list.")
    question_by_name = {question.name: question for question in survey.questionnaire}
    given: dict[str, str] = {}
    for row in rows:
        name = row.get("question")
        if not isinstance(name, str) or name not in question_by_name or row.get("target", TARGET) != TARGET:
            raise malformed("An answer about yourself is to a question that is not asked.")
        if name in given:
            raise malformed(f"'{name}' is answered twice.")
        answer = clean_answer(question_by_name[name], row.get("answer"), survey.limits.text_length, "About yourself")
        if answer is not None:
            given[name] = answer
    return [{"question": name, "target": TARGET, "answer": given[name]} for name in question_by_name if name in given]


def answers_of(record: Mapping[str, Any]) -> list[dict]:
    """Return what a submission says about its annotator; [] where it says nothing, or was withdrawn."""
    return list(record.get(KEY, ()))
