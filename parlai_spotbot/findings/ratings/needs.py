"""Uncertainty of the ranking by ratings, and the data that would resolve it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM, ranking
from parlai_spotbot.findings.scarce import RATINGS


def compute(answers: Answers) -> dict | None:
    """Return what open pairs need."""
    return needs.of_tests(ranking.compute(answers), RATINGS, answers.to(ranking.main_dimension(answers)))


FINDING = needs.finding(FORM, compute)
