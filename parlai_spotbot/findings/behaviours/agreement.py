"""Agreement of annotators on labels."""

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM


def compute(answers: Answers) -> dict:
    """Alpha of each label."""
    return agreement.agreement(answers, "value", lambda rows: rows["rated"].tolist(), "nominal")


FINDING = agreement.finding(FORM, compute)
