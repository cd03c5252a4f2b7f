"""Who chose, and what changes without some of them."""

from __future__ import annotations

from parlai_spotbot.findings import annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.choices.ranking import ranked


def compute(own: Answers) -> dict:
    return annotators.annotators(own, ranked)


FINDING = annotators.finding(FORM, compute)
