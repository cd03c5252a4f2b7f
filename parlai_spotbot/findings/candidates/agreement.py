"""Agreement of annotators on the reply that they chose first."""

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers


def compute(answers: CandidateAnswers) -> dict:
    return agreement.agreement(answers, "first", lambda rows: rows["item_id"].tolist(), "nominal")


FINDING = agreement.finding(FORM, compute)
