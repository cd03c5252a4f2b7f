"""Agreement of annotators on labels."""

from __future__ import annotations

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM


def compute(answers: Answers) -> dict:
    """Alpha of each label, and what annotator models add to it."""
    result = agreement.agreement(answers, "value", lambda rows: rows["rated"].tolist(), "nominal")
    return result | agreement.annotators_by_models(
        answers, lambda rows: rows["rated"].tolist(), lambda rows: rows["value"].map({0: "no", 1: "yes"}), "label"
    )


FINDING = agreement.finding(FORM, compute)
