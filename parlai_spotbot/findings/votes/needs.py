"""Uncertainty of the ranking by votes, and the data that would resolve it."""

import pandas as pd

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.scarce import VOTES
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compute(ballots: Ballots) -> dict | None:
    """Return what open pairs need. Many files of votes don't say who voted."""
    votes = pd.DataFrame({"a": ballots.a, "b": ballots.b, "outcome": ballots.outcome})
    return needs.of_tests(ranking.compute(ballots), VOTES, votes)


FINDING = needs.finding(FORM, compute)
