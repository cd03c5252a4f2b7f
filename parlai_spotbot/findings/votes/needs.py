"""Uncertainty of the ranking by votes, and the data that would resolve it."""

import numpy as np

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.scarce import VOTES, scarce
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compute(ballots: Ballots) -> dict | None:
    """Return what open pairs need; nothing of a judge. Many files of votes don't say who voted."""
    if not ballots.crossed:
        return None
    little = scarce(VOTES, None, len(ballots.a), int((ballots.outcome != 0).sum()), len(ballots.names))
    given = np.bincount(ballots.worker[ballots.worker >= 0]) if (ballots.worker >= 0).all() else np.zeros(0, dtype=int)
    return needs.of_tests(ranking.compute(ballots), little, given[given > 0].tolist(), VOTES)


FINDING = needs.finding(FORM, compute)
