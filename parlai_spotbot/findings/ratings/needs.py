"""Uncertainty of the ranking by ratings, and the data that would resolve it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM, ranking
from parlai_spotbot.findings.scarce import RATINGS, scarce


def little(answers: Answers) -> dict | None:
    """Return what there is of the main dimension's ratings, where it is too little to plan from."""
    rows = answers.to(ranking.main_dimension(answers))
    return scarce(RATINGS, rows["worker_id"].nunique(), len(rows), len(rows), rows["name"].nunique())


def compute(answers: Answers) -> dict | None:
    """Return what open pairs need; nothing of a judge, and where it was served until settled."""
    if not answers.crossed or answers.settled:
        return None
    return needs.of_tests(ranking.compute(answers), little(answers), RATINGS)


FINDING = needs.finding(FORM, compute)
