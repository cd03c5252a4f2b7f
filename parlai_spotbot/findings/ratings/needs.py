"""What is still uncertain of the ranking by ratings, and what would settle it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM, ranking
from parlai_spotbot.findings.scarce import RATINGS, scarce


def little(own: Answers) -> dict | None:
    """What there is of the main dimension's ratings, where it is too little to plan from."""
    rows = own.to(ranking.main_dimension(own))
    return scarce(RATINGS, rows["worker_id"].nunique(), len(rows), len(rows), rows["name"].nunique())


def compute(own: Answers) -> dict | None:
    """What open pairs need; nothing of a judge."""
    given = own.to(ranking.main_dimension(own))["worker_id"].value_counts().tolist()
    return needs.of_tests(ranking.compute(own), little(own), given, RATINGS) if own.crossed else None


FINDING = needs.finding(FORM, compute)
