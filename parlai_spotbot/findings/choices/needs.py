"""Uncertainty of the ranking by choices, and the data that would resolve it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, ranking


def little(answers: Answers) -> dict | None:
    """Return what there is of the first question's choices, where it is too little to plan from."""
    return needs.of_choices(answers.to(answers.questions[0]))


def compute(answers: Answers) -> dict | None:
    """Return what open pairs need; nothing of a judge, or of a survey served until settled."""
    if not answers.crossed or answers.settled:
        return None
    return needs.of_tests(ranking.compute(answers), little(answers))


FINDING = needs.finding(FORM, compute)
