"""Uncertainty of the ranking by choices, and the data that would resolve it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, ranking
from parlai_spotbot.findings.scarce import CHOICES


def compute(answers: Answers) -> dict | None:
    """Return what open pairs need."""
    rows = answers.to(answers.questions[0])
    return needs.of_tests(ranking.compute(answers), CHOICES, rows[rows["a"] != rows["b"]])


FINDING = needs.finding(FORM, compute)
