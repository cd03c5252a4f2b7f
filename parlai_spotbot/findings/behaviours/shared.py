"""What labels of turns have as other answers do: agreement, annotators, what could be wrong, time, trust."""

from functools import partial

from parlai_spotbot.findings import agreement, alarms, annotators, costs, trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM, ranking
from parlai_spotbot.findings.ratings.shared import ratings_of


def trusted(answers: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    scales = {label: ["0", "1"] for label in answers.questions}
    return trust.beside_people(answers, ratings=ratings_of, scales=scales)


FINDINGS = (
    agreement.finding(FORM, partial(agreement.agreement, metric="nominal")),
    annotators.finding(FORM, partial(annotators.annotators, ranked=ranking.ranked)),
    alarms.finding(FORM, ranking.compute),
    costs.finding(FORM),
    trust.finding(FORM, trusted),
)
