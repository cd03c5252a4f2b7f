"""What is still uncertain of the ranking by votes, and what would settle it."""

import numpy as np

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.scarce import VOTES, scarce
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compute(own: Ballots) -> dict | None:
    """What open pairs need; nothing of a judge. Many files of votes don't say who voted."""
    if not own.crossed:
        return None
    little = scarce(VOTES, None, len(own.a), int((own.outcome != 0).sum()), len(own.names))
    given = np.bincount(own.worker[own.worker >= 0]) if (own.worker >= 0).all() else np.zeros(0, dtype=int)
    return needs.of_pool(ranking.compute(own), little, given[given > 0].tolist())


FINDING = needs.finding(FORM, compute)
