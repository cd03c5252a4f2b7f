"""Studies made up by a rule that is no estimator's model: latent preferences with normal noise and a threshold for
ties, annotators with tastes of their own for each bot and very unequal activity, conversations that went well or badly.
"""

import numpy as np
import pandas as pd
from scipy.special import ndtr

CUT = 0.9
"""Differences of latent worth below it are a tie."""


def annotators(rng, count, unequal):
    """How likely each is to get the next item (count,): lognormal, so that some do most of the work."""
    weight = np.exp(unequal * rng.standard_normal(count))
    return weight / weight.sum()


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
    gap = theta[:, None] - theta[None, :] + order
    win, loss = ndtr((gap - CUT) / spread), ndtr((-CUT - gap) / spread)
    chances = np.stack([win, 1 - win - loss, loss], axis=-1)
    chances[np.arange(len(theta)), np.arange(len(theta))] = 0.0
    return chances
