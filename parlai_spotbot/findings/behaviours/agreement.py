"""Whether annotators give the same labels."""

from __future__ import annotations

from parlai_spotbot.findings import agreement
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM


def compute(own: Answers) -> dict:
    """Alpha of each label, and what annotator models add to it."""
    found = agreement.agreement(own, "value", lambda rows: rows["rated"].tolist(), "nominal")
    return found | agreement.annotators_by_models(
        own, lambda rows: rows["rated"].tolist(), lambda rows: rows["value"].map({0: "no", 1: "yes"}), "label"
    )


FINDING = agreement.finding(FORM, compute)
