"""Agreement of annotators on ratings."""

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM


def compute(answers: Answers) -> dict:
    return agreement.agreement(answers, "value", lambda rows: rows["rated"].tolist(), "ordinal")


FINDING = agreement.finding(FORM, compute)
