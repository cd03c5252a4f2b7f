"""Uncertainty of the ranking by votes, and the data that would resolve it."""

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.scarce import VOTES, scarce
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compute(ballots: Ballots) -> dict | None:
    """Return what open pairs need; nothing of a judge. Many files of votes don't say who voted."""
    if not ballots.crossed:
        return None
    little = scarce(VOTES, None, len(ballots.a), int((ballots.outcome != 0).sum()), len(ballots.names))
    return needs.of_tests(ranking.compute(ballots), little, VOTES)


FINDING = needs.finding(FORM, compute)
