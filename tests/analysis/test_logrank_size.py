"""How often log-rank tests reject a true null hypothesis at .05, by simulation of studies like the released one.

Rows are spotted with probabilities .65, .72, .80 at 2, 3 and 5 exchanges. Clustered ones have normal effects of the
conversation and of the worker behind a threshold, calibrated to the released data's correlations: .13 between
annotations of one conversation, .15 between annotations of one worker.
"""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import multivariate_normal, norm

from parlai_spotbot.analysis.survival.logrank import logrank
from tests.case_tables import cases

LENGTHS = np.array([2.0, 3.0, 5.0])
SPOTTED = np.array([0.65, 0.72, 0.80])
BETWEEN_CONVERSATION, BETWEEN_WORKER = 0.13, 0.15

pytestmark = pytest.mark.slow


def intervals(k, spotted):
    return np.where(spotted, 0.0, k), np.where(spotted, k, np.inf)


def share_rejected(replications, draw, tests):
    """The share of p-values up to .05 by test; `draw(rng)` gives data, `tests` names functions of them."""
    rng = np.random.default_rng(1)
    hits = dict.fromkeys(tests, 0)
    for _ in range(replications):
        data = draw(rng)
        for name, test in tests.items():
            hits[name] += test(*data) <= 0.05
    sizes = {name: hit / replications for name, hit in hits.items()}
    print(sizes)
    return sizes


def p_of(**options):
    return lambda left, right, group, *_: logrank(left, right, group, backend="native", **options).pvalue


@pytest.mark.parametrize("sizes", [(932, 270), (300, 300, 150)])
def test_asymptotic_tests_of_independent_rows(sizes):
    group, n = np.repeat(np.arange(len(sizes)), sizes), sum(sizes)
    rng, hits, replications = np.random.default_rng(3), {}, 8000
    for _ in range(replications):
        level = rng.integers(0, 3, n)
        left, right = intervals(LENGTHS[level], rng.random(n) < SPOTTED[level])
        tests = {score: logrank(left, right, group, score, backend="native") for score in ("sun", "finkelstein")}
        tests["stratified"] = logrank(left, right, group, strata=level, backend="native")
        for name, test in tests.items():
            hits[name] = hits.get(name, 0) + (test.pvalue <= 0.05)
    shares = {name: hit / replications for name, hit in hits.items()}
    print(sizes, shares)
    assert len(shares) == 3
    assert all(0.04 <= share <= 0.06 for share in shares.values()), shares


def test_interval_censored_rows():
    # Inspections at random times, kept at the two around the event: neither current status nor a common grid.
    def draw(rng):
        times, event = np.cumsum(rng.exponential(0.5, (120, 6)), axis=1), rng.exponential(1.0, 120)
        edges = np.column_stack([np.zeros(120), times, np.full(120, np.inf)])
        after = (edges < event[:, None]).sum(axis=1)
        rows = np.arange(120)
        return edges[rows, after - 1], edges[rows, after], np.arange(120) % 2

    sizes = share_rejected(3000, draw, {score: p_of(score=score) for score in ("sun", "finkelstein")})
    assert all(0.04 <= size <= 0.06 for size in sizes.values()), sizes


def latent(correlation):
    """The correlation of normal variables whose being below a threshold has the `correlation` given."""
    p = SPOTTED.mean()
    at = norm.ppf(p)

    def gap(rho):
        both = multivariate_normal.cdf([at, at], [0, 0], [[1, rho], [rho, 1]])
        return (both - p**2) / (p * (1 - p)) - correlation

    return brentq(gap, 0, 0.9)


def study(pair, workers=33):
    """Conversations, groups, lengths of the rows of a pair, two annotations of each length; then workers by chance.

    "two bots" meet each other in 45 conversations and others in 90 each; "people and a bot" are 90 conversations of
    people, who are two entities each, and 135 in which the bot is one of two.
    """
    members = [(0, 1)] * 45 + [(0,)] * 90 + [(1,)] * 90 if pair == "two bots" else [(0, 0)] * 90 + [(1,)] * 135
    rows = [
        (conversation, entity, level, 6 * conversation + 2 * level + annotation)
        for conversation, entities in enumerate(members)
        for level in range(3)
        for annotation in range(2)
        for entity in entities
    ]
    conversation, group, level, annotation = np.array(rows).T

    def assign(rng):
        chance = rng.gamma(1.8, size=workers)  # some do many annotations, some few
        return rng.choice(workers, annotation.max() + 1, p=chance / chance.sum())[annotation]

    return conversation, group, level, assign


def draw_clustered(pair, own=0.0, workers=33):
    """A function that draws a study; a share `own` of workers' variance is theirs with each contestant by itself."""
    conversation, group, level, assign = study(pair, workers)
    c, w = latent(BETWEEN_CONVERSATION), latent(BETWEEN_WORKER)
    threshold = norm.ppf(SPOTTED)[level]

    def draw(rng):
        worker = assign(rng)
        effect = np.sqrt(c) * rng.normal(size=conversation.max() + 1)[conversation]
        effect += np.sqrt(w * (1 - own)) * rng.normal(size=workers)[worker]
        effect += np.sqrt(w * own) * rng.normal(size=(workers, 2))[worker, group]
        spotted = effect + np.sqrt(1 - c - w) * rng.normal(size=len(level)) < threshold
        return *intervals(LENGTHS[level], spotted), group, conversation, worker, level, spotted

    return draw


def by_conversation(left, right, group, conversation, worker, level, _):
    return logrank(left, right, group, clusters=conversation, strata=level, backend="native").pvalue


def crossed(left, right, group, conversation, worker, level, _):
    return logrank(left, right, group, clusters=[conversation, worker], strata=level, backend="native").pvalue


@cases("pair naive", "[[two bots, 0.07], [people and a bot, 0.12]]")
def test_clustered_rows(pair, naive):
    tests = {"rows": p_of(), "conversations": by_conversation, "conversations and workers": crossed}
    sizes = share_rejected(4000, draw_clustered(pair), tests)
    assert sizes.pop("rows") > naive  # takes rows as independent, which they aren't
    assert all(0.02 < size <= 0.06 for size in sizes.values()), sizes


def test_workers_who_differ_in_what_they_think_of_whom():
    # Conversations alone aren't enough where a worker spots one contestant more easily than another worker does.
    tests = {"rows": p_of(), "conversations": by_conversation, "conversations and workers": crossed}
    sizes = share_rejected(4000, draw_clustered("people and a bot", own=0.5), tests)
    assert sizes["rows"] > 0.25
    assert sizes["conversations"] > 0.15
    assert 0.02 < sizes["conversations and workers"] <= 0.06


def test_few_workers():
    sizes = share_rejected(4000, draw_clustered("two bots", own=0.5, workers=8), {"both": crossed})
    assert 0.01 < sizes["both"] <= 0.06


def test_few_conversations():
    # Five conversations of each bot, of six rows; only conversations make rows alike.
    conversation, level = np.repeat(np.arange(10), 6), np.tile(np.repeat(np.arange(3), 2), 10)
    group, c = conversation % 2, latent(0.3)

    def draw(rng):
        effect = np.sqrt(c) * rng.normal(size=10)[conversation] + np.sqrt(1 - c) * rng.normal(size=60)
        spotted = effect < norm.ppf(SPOTTED)[level]
        return *intervals(LENGTHS[level], spotted), group, conversation, None, level, spotted

    tests = {"rows": p_of(), "conversations": by_conversation}
    sizes = share_rejected(1500, draw, tests)
    assert sizes.pop("rows") > 0.12
    assert all(0.02 < size <= 0.06 for size in sizes.values()), sizes
