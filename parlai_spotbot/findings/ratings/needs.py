"""What is still uncertain of the ranking by ratings, and what would settle it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM, ranking


def compute(own: Answers) -> dict | None:
    """What open pairs need; nothing of a judge."""
    return needs.of_tests(ranking.compute(own)) if own.crossed else None


FINDING = needs.finding(FORM, compute, needs.tell_tests)
