"""Studies made up by a rule that is no estimator's model: latent preferences with normal noise and a threshold for
ties, annotators with tastes of their own for each bot and very unequal activity, conversations that went well or badly.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import yaml
from scipy.special import ndtr

from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.uncertainty.product import bootstrap_weights
from parlai_spotbot.analysis.verdict.verdict import verdict_of_matches

CUT = 0.9
"""Differences of latent worth below it are a tie."""


def annotators(rng, count, unequal):
    """How likely each is to get the next item (count,): lognormal, so that some do most of the work."""
    weight = np.exp(unequal * rng.standard_normal(count))
    return weight / weight.sum()


def pair_weights(matches, rng, replicates=200):
    """Bootstrap weights (replicates, n) of matches, drawn within pairs of bots."""
    pair = matches[["a", "b"]].min(axis=1) + matches[["a", "b"]].max(axis=1)
    columns = matches["conversation_id"], matches["worker_id"], pair
    return bootstrap_weights(*columns, rng=rng, replicates=replicates)


def study(rng, theta, per_pair, each, people, *, talk=0.5, taste=0.4, unequal=0.7, order=0.1, spoilt=0.0):
    """Matches between all pairs: a, b (names b0, b1, …), outcome, conversation_id, worker_id.

    `per_pair`: conversations of each pair (a number, or one for each); `each`: annotators of a conversation, out of
    `people`; standard deviations of conversations (`talk`), of an annotator's liking of each bot (`taste`) and for who
    speaks first (`spoilt`), beside noise of one.
    """
    i, j = np.triu_indices(len(theta), 1)
    number = np.broadcast_to(per_pair, len(i))
    a, b = np.repeat(i, number), np.repeat(j, number)
    turned = rng.random(len(a)) < 0.5
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    each = min(each, people)
    key = np.log(annotators(rng, people, unequal)) + rng.gumbel(size=(len(a), people))
    who = np.argpartition(-key, each - 1, axis=1)[:, :each]
    liking = taste * rng.standard_normal((people, len(theta)))
    went = talk * rng.standard_normal(len(a))
    habit = spoilt * rng.standard_normal(people)
    worth = (theta[a] - theta[b] + went + order)[:, None] + liking[who, a[:, None]] - liking[who, b[:, None]]
    worth = worth + habit[who] + rng.standard_normal(who.shape)
    names = np.array([f"b{place}" for place in range(len(theta))], dtype=object)
    return pd.DataFrame(
        {
            "a": names[np.repeat(a, each)],
            "b": names[np.repeat(b, each)],
            "outcome": (worth > CUT).astype(int).ravel() - (worth < -CUT).ravel(),
            "conversation_id": np.repeat(np.arange(len(a)), each),
            "worker_id": who.ravel(),
        }
    )


def expected_counts(theta, *, talk=0.5, taste=0.4, order=0.1, spoilt=0.0, **_):
    """Chances (K, K, 3) of win, tie and loss of entity 0, over all conversations and annotators: the truth."""
    spread = np.sqrt(1 + talk**2 + 2 * taste**2 + spoilt**2)
    return chances(theta, spread, CUT, order)


def named(codes):
    """The bots' names b0, b1, … of their codes."""
    return np.array([f"b{place}" for place in range(codes.max(initial=0) + 1)], dtype=object)[codes]


def arena(
    rng,
    theta,
    votes,
    people,
    *,
    prompts=0,
    topic=0.7,
    taste=0.35,
    cut=0.2,
    order=0.0,
    first=0.5,
    heavy=0.0,
    dropped=0.0,
):
    """Votes on pairs: `votes` of each pair (a number, one for each, or (least, most)), each by one of `people`.

    `prompts`: so many recur, and each bot is better or worse at each (sd `topic`); `order`: what standing first is
    worth; `first`: how often the bot of lower number does; `heavy`: the share of votes that one annotator gave;
    `dropped`: the share of votes against the first bot that are never handed in.
    """
    i, j = np.triu_indices(len(theta), 1)
    if np.size(votes) == 2:
        votes = rng.integers(votes[0], votes[1] + 1, len(i))
    number = np.broadcast_to(votes, len(i))
    a, b = np.repeat(i, number), np.repeat(j, number)
    turned = rng.random(len(a)) >= first
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    weight = annotators(rng, people, 0.7)
    if heavy:
        weight = np.append(heavy, (1 - heavy) * annotators(rng, people - 1, 0.7))
    who = rng.choice(people, len(a), p=weight)
    liking = taste * rng.standard_normal((people, len(theta)))
    worth = theta[a] - theta[b] + order + liking[who, a] - liking[who, b] + rng.standard_normal(len(a))
    shown = np.arange(len(a))
    if prompts:
        shown = rng.integers(prompts, size=len(a))
        good = topic * rng.standard_normal((prompts, len(theta)))
        worth = worth + good[shown, a] - good[shown, b]
    outcome = (worth > cut).astype(int) - (worth < -cut)
    rows = pd.DataFrame({"a": named(a), "b": named(b), "outcome": outcome, "conversation_id": shown, "worker_id": who})
    lost = np.where(a == 0, outcome < 0, (b == 0) & (outcome > 0))
    return rows[~lost | (rng.random(len(rows)) >= dropped)] if dropped else rows


def beside(rng, theta, reuse, each, people, *, per=10, taste=0.35, talk=0.7, cut=0.3):
    """Choices between conversations: each bot has `per`, each shown about `reuse` times, and judged by `each`."""
    i, j = np.triu_indices(len(theta), 1)
    shown = max(1, per * reuse // (len(theta) - 1))
    a, b = np.repeat(i, shown * each), np.repeat(j, shown * each)
    talks = [np.repeat(rng.integers(per, size=len(i) * shown), each) for _ in range(2)]
    who = rng.choice(people, len(a), p=annotators(rng, people, 0.7))
    liking, went = taste * rng.standard_normal((people, len(theta))), talk * rng.standard_normal((len(theta), per))
    worth = theta[a] - theta[b] + went[a, talks[0]] - went[b, talks[1]] + liking[who, a] - liking[who, b]
    worth = worth + rng.standard_normal(len(a))
    both = [(f"{x}-{u}", f"{y}-{v}") for x, y, u, v in zip(a, b, *talks, strict=True)]
    outcome = (worth > cut).astype(int) - (worth < -cut)
    return pd.DataFrame({"a": named(a), "b": named(b), "outcome": outcome, "conversation_ids": both, "worker_id": who})


def chances(theta, spread, cut, order=0.0):
    """Chances (K, K, 3) where the difference of two has normal noise of sd `spread`."""
    gap = theta[:, None] - theta[None, :] + order
    win, loss = ndtr((gap - cut) / spread), ndtr((-cut - gap) / spread)
    found = np.stack([win, 1 - win - loss, loss], axis=-1)
    found[np.arange(len(theta)), np.arange(len(theta))] = 0.0
    return found


def places_of(fit):
    """First and last place (K, 2) of each contestant by the tests of every two; 0 for who isn't ranked."""
    places = verdict_of_matches(fit, [], fit.pairs, []).places
    return np.array([places.get(name, (0, 0)) for name in fit.names])


@dataclass(frozen=True)
class MadeUp:
    """A design: `make(rng, theta)` makes a study, `truth(theta)` is its chances (K, K, 3); and what is promised."""

    make: Callable
    truth: Callable
    bots: int = 6
    studies: int = 1000
    crossed: bool = True
    order: bool = True
    most_width: float = 1.1
    least_power: float = 0.0
    least_cover: float = 0.93
    most_cover: float = 0.97
    most_false: float = 0.05

    def strengths(self, theta):
        """Davidson's strengths of endless data."""
        model = PairedCounts.from_counts(self.truth(theta) * 1e9, self.order)  # so many that the penalty is nothing
        return model.maximise(np.zeros(model.parameters))[: self.bots]


@dataclass(frozen=True)
class Simulated:
    """Coverage of the pairs' intervals and their width over 3.92 times the true standard deviation, of bots evenly
    spread and of equal ones; the share of pairs declared, and of null studies with any."""

    cover: float
    width: float
    power: float
    cover_null: float
    width_null: float
    false: float
    error: float = field(default=0.0)

    def __str__(self):
        return (
            f"coverage {self.cover:.3f} and {self.cover_null:.3f}, width {self.width:.2f} and {self.width_null:.2f}, "
            f"power {self.power:.3f}, false {self.false:.3f} (error {self.error:.3f})"
        )


def simulated(design, studies=None, seed=1):
    """Simulate `studies` (coverage and width are of intervals with both ends) of bots evenly spread (by half a standard
    deviation), and as many null studies."""
    studies, found = studies or design.studies, []
    names, (i, j) = [f"b{place}" for place in range(design.bots)], np.triu_indices(design.bots, 1)
    for spread in (0.5, 0.0):
        theta, rng = spread * np.linspace(-1, 1, design.bots), np.random.default_rng(seed)
        strength = design.strengths(theta)
        gaps = strength[i] - strength[j]
        rows = [
            contrasts(design.make(rng, theta), names, crossed=design.crossed, order=design.order).pairs
            for _ in range(studies)
        ]
        columns = ("low", "high", "difference", "p_adjusted")
        low, high, at, p = (np.array([own[c] for own in rows], dtype=float) for c in columns)
        known, declared = np.isfinite(low) & np.isfinite(high), np.nan_to_num(p, nan=1.0) < 0.05
        width = (high - low)[known].mean() / (3.92 * np.nanstd(at, axis=0)).mean()
        cover = ((low <= gaps) & (gaps <= high))[known].mean()
        found.append((cover, width, declared.mean(), declared.any(axis=1).mean()))
    (cover, width, power, _), (cover_null, width_null, _, false) = found
    error = np.sqrt(max(false * (1 - false), 1e-9) / studies)
    return Simulated(*map(float, (cover, width, power, cover_null, width_null, false, error)))


def of_study(per_pair, each, people, bots=6, **how):
    promised = {name: how.pop(name) for name in list(how) if name in MadeUp.__dataclass_fields__}
    return MadeUp(
        lambda rng, theta: study(rng, theta, per_pair, each, people, **how),
        lambda theta: expected_counts(theta, **how),
        bots,
        **promised,
    )


def of_arena(votes, people, bots=6, **how):
    promised = {name: how.pop(name) for name in list(how) if name in MadeUp.__dataclass_fields__ and name != "order"}
    spread = np.sqrt(
        1 + 2 * how.get("taste", 0.35) ** 2 + (2 * how.get("topic", 0.7) ** 2 if how.get("prompts") else 0)
    )
    return MadeUp(
        lambda rng, theta: arena(rng, theta, votes, people, **how),
        lambda theta: chances(theta, spread, how.get("cut", 0.2), how.get("order", 0.0)),
        bots,
        **promised,
    )


def of_beside(reuse, each, people, bots=6, per=10, **promised):
    return MadeUp(
        lambda rng, theta: beside(rng, theta, reuse, each, people, per=per),
        lambda theta: chances(theta, np.sqrt(1 + 2 * 0.35**2 + 2 * 0.7**2), 0.3),
        bots,
        order=False,
        **promised,
    )


DESIGNS = """
# study: conversations of a pair, annotators of each, annotators, bots
6 bots, 20 x 2, 30 annotators: [study, 20, 2, 30, {least_power: 0.33}]
6 bots, 45 x 6, 40 annotators: [study, 45, 6, 40, {studies: 300, least_power: 0.6}]
20 bots, 1 x 3, 40 annotators: [study, 1, 3, 40, 20, {studies: 300}]
# With four or five annotators nothing narrower is honest.
6 bots, 10 x 3, 4 annotators, tastes 0.35: [study, 10, 3, 4, &few {taste: 0.35, most_width: 1.2, most_cover: 0.985}]
6 bots, 10 x 3, 4 annotators, tastes 0.7: [study, 10, 3, 4, &more {<<: *few, taste: 0.7}]
6 bots, 10 x 3, 5 annotators, tastes 0.35: [study, 10, 3, 5, *few]
6 bots, 10 x 3, 5 annotators, tastes 0.7: [study, 10, 3, 5, *more]
6 bots, 10 x 3, 8 annotators, tastes 0.35: [study, 10, 3, 8, {taste: 0.35, most_width: 1.15}]
6 bots, 10 x 3, 8 annotators, tastes 0.7: [study, 10, 3, 8, {taste: 0.7, most_width: 1.15}]
6 bots, 10 x 3, 12 annotators, tastes 0.35: [study, 10, 3, 12, {taste: 0.35, most_width: 5.0}]
6 bots, 10 x 3, 12 annotators, tastes 0.7: [study, 10, 3, 12, {taste: 0.7, most_width: 1.7}]
6 bots, 10 x 3, 30 annotators, tastes 0.35: [study, 10, 3, 30, {taste: 0.35}]
6 bots, 10 x 3, 30 annotators, tastes 0.7: [study, 10, 3, 30, {taste: 0.7}]
6 bots, 20 x 1, one annotator: [study, 20, 1, 1, {taste: 0.0}]
6 bots, 4 x 3, a judge: [study, 4, 3, 3, {taste: 0.0, crossed: false}]
2 bots, 100 x 3, 20 annotators: [study, 100, 3, 20, 2, {most_width: 1.25, most_cover: 0.985}]
2 bots, 40 x 2, very unequal annotators: [study, 40, 2, 30, 2, {unequal: 1.2, most_width: 1.33, most_cover: 0.985}]
2 bots, 20 x 3, 4 annotators: [study, 20, 3, 4, 2, &tiny {most_width: 4.0, most_cover: 1.0}]
3 bots, 1 x 6, 12 annotators: [study, 1, 6, 12, 3, *tiny]
3 bots, 2 x 2, 10 annotators: [study, 2, 2, 10, 3, *tiny]
# arena: votes of a pair (from, to; or of each of the 15), annotators, bots
9 bots, 1 to 5 votes, 60 annotators: [arena, [1, 5], 60, 9, {most_width: 1.2, most_cover: 0.985}]
9 bots, 1 to 5 votes, 20 annotators: [arena, [1, 5], 20, 9, {taste: 0.7, most_width: 1.3, most_cover: 0.985}]
60 bots, 1 to 2 votes, 200 annotators: [arena, [1, 2], 200, 60, {studies: 12}]
pairs of 200 votes and of 5: [arena, [200, 5, 200, 5, 200, 5, 200, 5, 200, 5, 200, 5, 200, 5, 200], 80, {}]
13 recurring prompts, 10 bots: [arena, 20, 200, 10, {prompts: 13, taste: 0.0}]
fixed order: [arena, 20, 60, {first: 1.0}]
order 70 to 30: [arena, 30, 60, {first: 0.7, order: 0.4}]
80 % ties: [arena, 30, 60, {cut: 2.0}]
one annotator with 40 %: [arena, 30, 40, {heavy: 0.4, most_width: 1.7, most_cover: 0.985}]
# What is missing because of what it would say can't be corrected; the figures are printed, not bounded.
drop-out by bot: [arena, 30, 60, {dropped: 0.3, least_cover: 0.0, most_false: 1.0}]
# beside: how often a conversation is shown, annotators of each couple, annotators, bots, conversations of each
side by side, shown three times: [beside, 3, 1, 60, {most_width: 1.2, most_cover: 0.985}]
side by side, shown three times to three: [beside, 3, 3, 20, {most_width: 1.2, most_cover: 0.985}]
side by side, 5 conversations of 3 bots: [beside, 6, 1, 60, 3, 5, {most_width: 1.7, most_cover: 1.0}]
"""
MAKERS = {"study": of_study, "arena": of_arena, "beside": of_beside}
DESIGNS = {name: MAKERS[kind](*sizes, **how) for name, (kind, *sizes, how) in yaml.safe_load(DESIGNS).items()}
