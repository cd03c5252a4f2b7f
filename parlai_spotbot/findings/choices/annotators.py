"""Annotators who chose, and results without some of them."""

from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.choices.ranking import ranked


def compute(answers: Answers) -> dict:
    return annotators.annotators(answers, ranked)


FINDING = annotators.finding(FORM, compute)
