"""Trust in a judge that labels turns."""

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.ratings.trust import ratings_of


def compute(answers: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    scales = {label: ["0", "1"] for label in answers.questions}
    return trust.beside_people(answers, ratings=ratings_of, scales=scales)


FINDING = trust.finding(FORM, compute)
