"""Power of a planned study in closed form, and the sample size that reaches a wished power.

In a pool of K contestants where every pair meets, a difference has 2 / K of the variance that the pair's own matches
would give (`ranking.contrasts` uses all of them). Matches of a conversation are all of one pair, so their design effect
multiplies that; an annotator's liking of single contestants enters all of their matches and doesn't shrink with K. The
variance is the expected sandwich (Cameron, Gelbach & Miller 2011), with Student's t by effective conversations and
annotators. It takes the expected error for that of every study; `simulation.calibrated` corrects it.
"""

import math

import numpy as np
from scipy.special import expit, logit, stdtrit

from parlai_spotbot.analysis.planning.design import Design, fewest
from parlai_spotbot.analysis.uncertainty.clusters import FEW, OWN, variances_known
from parlai_spotbot.analysis.values import Interval

LEAST = 0.7
"""Least factor of a statistic's slope: beyond it an exact test is the floor."""

CLEAREST = 0.99
"""Largest share of decided matches that is planned for; all of them has no strength."""


def planned_error(gap: float, conversations: float, design: Design) -> Interval:
    """Return the expected standard error, and degrees of freedom, of the difference `gap` of two log strengths.

    The other contestants are taken to stand half way between the two; `conversations` are those of each pair.
    """
    strength = np.zeros(design.bots)
    strength[:2] = gap / 2, -gap / 2
    met = 1.0 - np.eye(design.bots)
    each = design.annotations_per_conversation
    rate = expit(strength[:, None] - strength[None, :])
    weight = each * (1 - design.ties) * rate * (1 - rate) * met
    inverse = np.linalg.pinv(_laplacian(weight))
    row = inverse[0] - inverse[1]
    chance = float(row[0] - row[1]) / conversations
    liked = float(np.square(_laplacian(np.sqrt(weight * each)) @ row).sum()) / 2
    talks = conversations * design.pairs
    shared = design.shared_annotations(talks, talks * each) - 1
    talked = chance * (1 + (each - 1) * design.conversation_correlation)
    worked = chance + design.worker_correlation * shared / (talks * each) * liked
    held = (design.bots - 1) * (row**2).sum()
    squared = (design.bots - 1) * (row**4).sum() + row**2 @ met @ row**2
    clusters = [conversations * held**2 / squared, talks * each / (shared + squared * design.pairs / held**2)]
    effective = 1 + np.maximum(np.array(clusters) - 1, 1e-9) / _share(design)
    variance = talked + worked - chance
    _, df = variances_known(np.array([variance]), [talked, worked], list(effective[:, None]))
    return design.calibration * math.sqrt(variance), 0.0 if min(clusters) < FEW else float(df[0])


def _share(design: Design) -> float:
    """Return how much of its noise a variance keeps that all pairs tell of together."""
    if design.beside_people:
        return 1.0
    return OWN**2 + (1 - OWN**2) / (design.bots - 1)


def _laplacian(weights: np.ndarray) -> np.ndarray:
    return np.diag(weights.sum(axis=1)) - weights


def t_power(shift: float, df: float, alpha: float, slope: float = 1.0) -> float:
    """Return the chance that a two-sided t-test rejects, whose statistic is non-central by `shift`, and has a standard
    deviation of `slope` times the usual one."""
    if df <= 0:
        return 0.0
    from scipy.stats import nct  # who doesn't plan doesn't wait for it

    limit = -stdtrit(df, alpha / 2)
    right, wrong = limit + (shift - limit) / slope, (shift + limit) / slope - limit  # by the side of the difference
    if right > limit + 8 and df > 4:  # where the distribution function underflows
        return 1.0
    return float(np.nan_to_num(nct.sf(limit, df, right), nan=1.0) + np.nan_to_num(nct.cdf(-limit, df, wrong)))


def pair_power(rate: float, conversations: float, design: Design) -> float:
    """Return the chance that the test of a pair finds its difference.

    Parameters
    ----------
    rate : float
        Share of its decided matches that the better one wins (the paper's pairwise win rate).
    conversations : float
        Of each pair.
    """
    if not 0 < rate < 1:
        raise ValueError(f"rate is {rate}, expected a share of decided matches between 0 and 1")
    gap = abs(float(logit(rate)))
    error, df = planned_error(gap, conversations, design)
    # The statistic moves less than the estimate: a larger gap is less sure, for both then win less often by chance.
    own_share = np.tanh(gap / 2) * 2 / design.bots
    others = np.tanh(gap / 4) * (design.bots - 2) / design.bots / 2
    return t_power(gap / error, df, design.alpha, max(LEAST, 1 - gap / 2 * (own_share + others)))


def conversations_needed(rate: float, design: Design) -> int | None:
    """Return the fewest conversations of each pair that reach the design's power; None beyond a million."""
    return fewest(lambda conversations: pair_power(rate, conversations, design) >= design.power)


def sides_of(design: Design) -> int:
    """Return how many means of ratings a difference is of: two, or one of differences in the same questions."""
    if design.beside_people:
        return 1
    return 2


def rating_variance(sd: float, conversations: float, design: Design) -> Interval:
    """Return the variance of a contestant's mean rating of that many conversations, and a difference's degrees of
    freedom.

    `sd` is the standard deviation of a rating; of people beside contestants that answer the same questions it is that
    of the difference in an answer, and the variance that of the mean difference. Annotators come to conversations by
    chance, so that their leniency doesn't cancel out.
    """
    each = design.annotations_per_conversation
    sides = sides_of(design)
    talks = conversations * design.compared
    shared = design.shared_annotations(talks, talks * each) - 1
    row = sd**2 / each
    talk = row * (1 + (each - 1) * design.conversation_correlation)
    person = row * (1 + design.worker_correlation * shared / design.compared)
    annotators = sides * conversations * each / (1 + shared * min(1.0, 2 / design.compared))
    # How annotators differ is learnt from all pairs together (`Spread.moderated`), so few of them go further.
    effective = np.array([[sides * conversations], [1 + (annotators - 1) / _share(design)]])
    _, df = variances_known(np.array([talk + person - row]), [talk, person], list(np.maximum(effective, 1.0)))
    return design.calibration**2 * (talk + person - row) / conversations, float(df[0])


def rating_power(difference: float, conversations: float, sd: float, design: Design) -> float:
    """Return the chance that the test of two contestants with that many conversations each finds a difference of mean
    ratings."""
    if conversations < 2:
        return 0.0
    variance, df = rating_variance(sd, conversations, design)
    return t_power(abs(difference) / math.sqrt(sides_of(design) * variance), df, design.alpha)


def ratings_needed(difference: float, sd: float, design: Design) -> int | None:
    """Return the fewest conversations of each contestant that reach the design's power; None beyond a million."""
    if not sd > 0:
        raise ValueError(f"sd is {sd}, expected a standard deviation above 0")
    return fewest(lambda conversations: rating_power(difference, conversations, sd, design) >= design.power)


def plan(design: Design, difference: float, *, sd: float | None = None, needed: int | None = None) -> dict:
    """Return the study that finds every pair that differs by `difference` or more with the wished power.

    Parameters
    ----------
    difference : float
        Between the shares of decided matches or choices that the two of a pair win (.1 is 55 : 45); with `sd`, in
        points of ratings, of which that is the standard deviation. Of people beside contestants: of Recall@1.
    needed : int, optional
        Plan this many conversations instead, whose power is another.

    Returns
    -------
    dict
        difference, needed (conversations of each pair; of each contestant, for ratings), power; the last two are None
        where the power is out of reach.
    """
    most = 1.0
    if sd is not None:
        most = 4.0
    if not 0 < difference <= most:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to {most:g}")
    rate = min(0.5 + difference / 2, CLEAREST)
    power = None
    if sd is None:
        needed = needed or conversations_needed(rate, design)
        if needed is not None:
            power = pair_power(rate, needed, design)
    else:
        needed = needed or ratings_needed(difference, sd, design)
        if needed is not None:
            power = rating_power(difference, needed, sd, design)
    return {"difference": difference, "needed": needed, "power": power}
