"""Findings that votes share with others: what could be wrong, and what is needed."""

import pandas as pd

from parlai_spotbot.findings import alarms, needs
from parlai_spotbot.findings.scarce import VOTES
from parlai_spotbot.findings.votes import FORM, Ballots, ranking


def compared(ballots: Ballots) -> pd.DataFrame:
    """Return all votes. Many files of votes don't say who voted."""
    return pd.DataFrame({"a": ballots.a, "b": ballots.b, "outcome": ballots.outcome})


FINDINGS = (alarms.finding(FORM, ranking.compute), needs.finding(FORM, ranking.compute, compared, VOTES))
