"""The pairs that are to be voted on next: those whose votes are most likely to settle something."""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.verdict import probe as verdicts
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plan_request import PlanRequest
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.findings.votes import FORM, SEEN, Ballots, ranking
from parlai_spotbot.sequential.betting import converged
from parlai_spotbot.sequential.evidence import Evidence, Rules, of_counts

VOTES = "votes"

EQUAL = 2
"""The code of two that are equal, as `Evidence` has it."""

MOST = 150
"""Contestants; of more the pairs can't be weighed in memory."""


def next_pairs(data: SurveyData | None, count: int, request: PlanRequest) -> pd.DataFrame:
    """Draw pairs of contestants to be shown next.

    Every pair keeps a share of the draws; the rest goes to pairs that the votes leave open, the more the more a vote on
    them, or on a pair that shares a contestant, raises the number of pairs expected to be settled by `count`
    further votes.

    Parameters
    ----------
    request : PlanRequest
        Of which `survey`, `source`, `level` and `seed` are used.

    Returns
    -------
    frame
        a, b, in the order in which they stand on the page, and `chance`, with which a draw is of this pair.
    """
    if data is None or request.survey != VOTES or count < 1:
        problem = f"--next {count}, --survey {request.survey}: expected a number from 1 up, of votes."
        raise UserError(problem, "Name a study with votes: --study S --survey votes --next 200.")
    ballots = data.answers(FORM, request.source)
    if not 2 <= len(ballots.names) <= MOST:
        raise UserError(f"{len(ballots.names)} contestants: expected 2 to {MOST}.", "Import votes on fewer.")
    chance = converged(_evidence(ballots, request.level), Rules(1 - request.level, 0.0, ballots.used + count))
    upper = np.triu_indices(len(ballots.names), 1)
    rng = np.random.default_rng([request.seed, ballots.used])
    drawn = rng.choice(len(upper[0]), count, p=chance[upper] / chance[upper].sum())
    pairs = np.array(upper)[:, drawn]
    sides = np.where(rng.random(count) < 0.5, pairs, pairs[::-1])
    names = np.array(ballots.names, dtype=object)
    return pd.DataFrame({"a": names[sides[0]], "b": names[sides[1]], "chance": chance[upper][drawn].round(6)})


def _evidence(ballots: Ballots, level: float) -> Evidence:
    """Return what the votes say, with the pairs settled that the ranking settles."""
    columns = ["a", "b", "difference", "p_adjusted", "verdict"]
    pairs = pd.DataFrame(main_ranking(ranking.compute(ballots)).pairs, columns=columns)
    better = np.sign(pairs["difference"]).where(pairs["p_adjusted"] < 1 - level, 0)
    equal = pairs["verdict"] == verdicts.EQUAL
    first, second = (pd.Index(ballots.names).get_indexer(pairs[end]) for end in ("a", "b"))
    verdict = np.zeros((len(ballots.names), len(ballots.names)), dtype=int)
    verdict[first, second] = better.mask(equal, EQUAL)
    verdict[second, first] = (-better).mask(equal, EQUAL)
    counts = ballots.counts()
    won, tied, lost = (counts[:, :, SEEN.index(name)] for name in ("won", "tie", "lost"))
    return of_counts(won + tied / 2, won + tied + lost, verdict)
