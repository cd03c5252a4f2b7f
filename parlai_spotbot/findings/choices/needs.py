"""What is still uncertain of the ranking by choices, and what would settle it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, ranking


def little(own: Answers) -> dict | None:
    """What there is of the first question's choices, where it is too little to plan from."""
    return needs.of_choices(own.to(own.questions[0]))


def compute(own: Answers) -> dict | None:
    """What open pairs need; nothing of a judge."""
    given = own.to(own.questions[0])["worker_id"].value_counts().tolist()
    return needs.of_tests(ranking.compute(own), little(own), given) if own.crossed else None


FINDING = needs.finding(FORM, compute)
