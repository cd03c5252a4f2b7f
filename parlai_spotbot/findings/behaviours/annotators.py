"""Annotators who labelled: work by task."""

from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.behaviours.ranking import ranked


def compute(answers: Answers) -> dict:
    return annotators.annotators(answers, ranked)


FINDING = annotators.finding(FORM, compute)
