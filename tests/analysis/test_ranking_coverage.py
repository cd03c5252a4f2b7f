"""How often intervals cover the truth, and tests reject it, by simulation of studies of the released ones' size.

A match is decided by a normal variable with effects of the conversation and of the worker's taste for either bot,
.13 and .11 of its variance; the middle 70 % of equal bots' matches are ties. So outcomes of a conversation correlate by
.08 (.05 to .12 in the released data), a worker's on a pair by .08 (.06 to .08). The truth is what infinitely many
conversations and workers would give.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from parlai_spotbot.analysis.ranking import TrueSkill, rank_clusters, trueskill_scores
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from tests.analysis.made_up_studies import pair_weights

BOTS = tuple("abcd")
STRENGTH = np.array([0.25, 0.05, -0.05, -0.25])
BETWEEN_CONVERSATION, BETWEEN_WORKER = 0.13, 0.11
TIES = norm.ppf(0.85)
PER_PAIR, LENGTHS, TWICE, WORKERS = 45, (2, 3, 5), 2, 33
STUDIES = 2000


def plan():
    """Conversations of every pair, half of them in each order as far as 45 can be, each with six annotations."""
    pairs = [(i, j) for i in range(len(BOTS)) for j in range(i + 1, len(BOTS))]
    first, second = np.array([(i, j) if n % 2 else (j, i) for i, j in pairs for n in range(PER_PAIR)]).T
    conversation = np.repeat(np.arange(len(first)), len(LENGTHS) * TWICE)
    return first[conversation], second[conversation], conversation


def outcomes(rng, gap, first, second, conversation, worker, workers=WORKERS):
    """+1, 0 or -1 for each match whose entity 0 is better by `gap`."""
    taste = rng.normal(0, np.sqrt(BETWEEN_WORKER / 2), (workers, len(BOTS)))
    mood = rng.normal(0, np.sqrt(BETWEEN_CONVERSATION), conversation.max() + 1)
    rest = rng.normal(0, np.sqrt(1 - BETWEEN_CONVERSATION - BETWEEN_WORKER), len(conversation))
    seen = gap + mood[conversation] + taste[worker, first] - taste[worker, second] + rest
    return np.where(seen > TIES, 1, np.where(seen < -TIES, -1, 0))


def workers_of(rng, n):
    """Some do much, some little."""
    busy = rng.lognormal(0, 0.7, WORKERS)
    return rng.choice(WORKERS, n, p=busy / busy.sum())


def studies(number=STUDIES, seed=0):
    first, second, conversation = plan()
    names = np.array(BOTS)
    rng = np.random.default_rng(seed)
    for _ in range(number):
        worker = workers_of(rng, len(first))
        outcome = outcomes(rng, STRENGTH[first] - STRENGTH[second], first, second, conversation, worker)
        columns = {"a": names[first], "b": names[second], "conversation_id": conversation, "worker_id": worker}
        yield pd.DataFrame(columns | {"outcome": outcome}), rng


def covered(interval, truth):
    return (interval[..., 0] <= truth) & (truth <= interval[..., 1])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ranges_and_intervals_of_trueskill():
    model = TrueSkill(tau=0.0, draw_probability=0.7)
    rank = np.argsort(np.argsort(-STRENGTH)) + 1
    skills, intervals, ranges = [], [], []
    for matches, rng in studies(seed=1):
        skill = trueskill_scores(matches, BOTS, rng=rng, shuffles=10, model=model)["mu"].to_numpy()
        skills.append(skill - skill.mean())
        got = rank_clusters(matches, BOTS, pair_weights(matches, rng, 100), rng=rng, model=model)
        intervals.append(percentile_interval(got.scores - got.scores.mean(axis=1, keepdims=True)))
        ranges.append(covered(np.array([got.ranges[bot] for bot in BOTS]), rank).mean())
    # There is no other truth of a score that depends on the order of matches than its mean over studies.
    share = covered(np.array(intervals), np.mean(skills, axis=0)).mean()
    print(share, np.mean(ranges))
    assert share >= 0.93
    assert np.mean(ranges) >= 0.93
