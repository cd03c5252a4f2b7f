"""What is still uncertain of the ranking by votes, and what would settle it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compute(own: Ballots) -> dict | None:
    """What open pairs need; nothing of a judge."""
    return needs.of_pool(ranking.compute(own)) if own.crossed else None


FINDING = needs.finding(FORM, compute, needs.tell_pool)
