"""What votes have as other answers do: what could be wrong, and what is needed."""

import pandas as pd

from parlai_spotbot.findings import alarms, needs
from parlai_spotbot.findings.scarce import VOTES
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def needed(ballots: Ballots) -> dict | None:
    """Return what open pairs need. Many files of votes don't say who voted."""
    votes = pd.DataFrame({"a": ballots.a, "b": ballots.b, "outcome": ballots.outcome})
    return needs.of_tests(ranking.compute(ballots), VOTES, votes)


FINDINGS = (alarms.finding(FORM, ranking.compute), needs.finding(FORM, needed))
