"""How far a judge that labels turns can be trusted, beside people."""

from __future__ import annotations

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.ratings.trust import ratings_of


def compute(own: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    if own.people is None:
        return {}
    scales = {label: ["0", "1"] for label in own.questions}
    return trust.beside_people(own, ratings=ratings_of(own), scales=scales)


FINDING = trust.finding(FORM, compute)
