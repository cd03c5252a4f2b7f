"""Voluntary questions about themselves that annotators may answer once, with their first task.

The answers are next to those to the items, under a name of their own, so that no item's answers hold anything about a
person; they become judgements with the target "annotator", and go when the annotator withdraws.
"""

from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import AnswerBody, clean_answer, malformed, shaped
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.surveys.survey import Survey

KEY = "questionnaire"
"""Key of the answers in a submission; also the item id of their judgements."""

TARGET = "annotator"


def is_due(survey: Survey, ledger: Ledger, worker: str) -> bool:
    """Return whether the questionnaire is put: the survey has one, and the annotator has not handed a task in yet."""
    return bool(survey.questionnaire) and not ledger.handouts("worker = ? AND status = 'done'", worker)


def check(survey: Survey, rows: Any) -> list[dict]:
    """Return ``[{"question", "target", "answer"}]``, in the survey's order, without empty answers.

    Nothing has to be answered, not even sent. Raises `Refusal` 400 for what no page of ours sends.
    """
    rows = shaped(list[AnswerBody], rows or [])
    answers = {row["question"]: row.get("answer") for row in rows if row.get("target", TARGET) == TARGET}
    if len(answers) < len(rows) or not answers.keys() <= {question.name for question in survey.questionnaire}:
        raise malformed("An answer about yourself is to a question that is not asked, or answered twice.")
    cleaned = [
        (question.name, clean_answer(question, answers.get(question.name), survey.limits.text_length))
        for question in survey.questionnaire
    ]
    return [{"question": name, "target": TARGET, "answer": answer} for name, answer in cleaned if answer is not None]
