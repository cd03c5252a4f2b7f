"""Which preferences hold however often one looked at the answers before they were complete."""

from collections.abc import Mapping

from parlai_spotbot.findings import looks
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM


def compute(answers: Answers) -> Mapping | None:
    question = answers.questions[0]
    rows = answers.to(question)
    return looks.anytime(answers, question, rows[rows["a"] != rows["b"]])


FINDING = looks.finding(FORM, compute)
