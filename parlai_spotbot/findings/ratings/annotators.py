"""Who rated, and what changes without some of them."""

from __future__ import annotations

from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.ratings.ranking import main_dimension, ranked


def compute(own: Answers) -> dict:
    return annotators.annotators(own, ranked, main_dimension(own))


FINDING = annotators.finding(FORM, compute)
