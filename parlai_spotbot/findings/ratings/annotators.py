"""Annotators who rated, and results without some of them."""

from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.ratings.ranking import main_dimension, ranked


def compute(answers: Answers) -> dict:
    return annotators.annotators(answers, ranked, main_dimension(answers))


FINDING = annotators.finding(FORM, compute)
