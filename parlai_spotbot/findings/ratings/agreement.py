"""Whether annotators rate alike."""

from __future__ import annotations

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM


def compute(own: Answers) -> dict:
    return agreement.agreement(own, "value", lambda rows: rows["rated"].tolist(), "ordinal")


FINDING = agreement.finding(FORM, compute)
