"""Signal detection: telling bots from people apart (sensitivity) from saying "bot" easily (bias).

Most entities are bots, so always answering "bot" is mostly "correct", and the paper's 50 % is not chance (Table 9);
it has a balanced accuracy of .5 and a sensitivity near 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import norm

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.records import HUMAN

CALLED = {"bot": 1.0, "unsure": 0.5, "human": 0.0}
"""How much of a "bot" each label is: unsure counts one half, so that guessing has a balanced accuracy of .5."""

NOTHING = (np.nan, np.nan)


@dataclass(frozen=True)
class Detection:
    """`hit` and `false_alarm`: shares of bots and of people called bots. Sensitivity d', bias c (> 0: slow to say
    "bot"), each with its interval (low, high). NaN where there were no bots, or no people.
    """

    bots: int
    people: int
    hit: float = np.nan
    false_alarm: float = np.nan
    balanced_accuracy: float = np.nan
    sensitivity: float = np.nan
    sensitivity_ci: tuple[float, float] = NOTHING
    bias: float = np.nan
    bias_ci: tuple[float, float] = NOTHING

    def to_dict(self) -> dict:
        return asdict(self)


def detection(called: Sequence[float], is_bot: Sequence[bool], level: float = 0.95) -> Detection:
    """Return what labels (n,) say of their giver: 1 for "bot", 0 for "human", ½ for "unsure", of known bots and people.

    d' = z(hit) − z(false alarm) and c = −(z(hit) + z(false alarm)) / 2 with ½ added to each count (the log-linear rule,
    Hautus 1995, Behav. Res. Methods 27), which keeps both finite; intervals by the variance of Gourevitch & Galanter
    1967 (Psychometrika 32), which takes labels as independent.
    """
    called, is_bot = np.asarray(called, dtype=float), np.asarray(is_bot, dtype=bool)
    if len(called) != len(is_bot):
        raise ValueError(f"is_bot has {len(is_bot)} entries, expected one for each of {len(called)} labels")
    wrong = ~((called >= 0) & (called <= 1))
    if wrong.any():
        raise ValueError(f"called: row {np.flatnonzero(wrong)[0]} is {called[wrong][0]}, expected a number from 0 to 1")
    bots, people = called[is_bot], called[~is_bot]
    if not len(bots) or not len(people):
        return Detection(len(bots), len(people))
    sizes = np.array([len(bots) + 1.0, len(people) + 1.0])
    rates = (np.array([bots.sum(), people.sum()]) + 0.5) / sizes
    z = norm.ppf(rates)
    se = np.sqrt((rates * (1 - rates) / (sizes * norm.pdf(z) ** 2)).sum())
    half = norm.ppf((1 + level) / 2) * se
    d, c = float(z[0] - z[1]), float(-z.sum() / 2)
    return Detection(
        bots=len(bots),
        people=len(people),
        hit=float(bots.mean()),
        false_alarm=float(people.mean()),
        balanced_accuracy=float((bots.mean() + 1 - people.mean()) / 2),
        sensitivity=d,
        sensitivity_ci=(d - half, d + half),
        bias=c,
        bias_ci=(c - half / 2, c + half / 2),
    )


def pooled_detection(entities: pd.DataFrame, clusters: Clusters | None = None) -> dict:
    """All labels together: the fields of `Detection`, and `always_bot`.

    `always_bot` is what the paper's correctness gives to who always says "bot". With `clusters`, which rows of
    `entities` are correlated, the intervals are by these, and `hit`, `false_alarm` and `balanced_accuracy` have theirs,
    too (`hit_ci`, …).
    """
    called = entities["nature"].map(CALLED).to_numpy(dtype=float)
    is_bot = (entities["name"] != HUMAN).to_numpy()
    result = detection(called, is_bot).to_dict()
    result["always_bot"] = float(is_bot.mean()) if len(is_bot) else np.nan
    if clusters is not None and result["bots"] and result["people"]:
        result |= _clustered(called, is_bot, result, clusters)
    return result


def _clustered(called: np.ndarray, is_bot: np.ndarray, alone: dict, clusters: Clusters) -> dict:
    """Intervals of the pooled estimates; d' and c by the delta method, never narrower than of independent labels."""
    means = group_means(called, is_bot.astype(int), 2, clusters, (0.0, 1.0))
    hits, people = np.array([called[~is_bot].sum(), called[is_bot].sum()]), np.array([(~is_bot).sum(), is_bot.sum()])
    slope = 1 / norm.pdf(norm.ppf((hits + 0.5) / (people + 1)))
    weights = np.array([[-0.5, 0.5], [-slope[0], slope[1]], [-slope[0] / 2, -slope[1] / 2]])
    contrasts = means.contrasts(weights)
    half = stdtrit(contrasts["df"], 0.975) * contrasts["se"]
    middle = (alone["balanced_accuracy"], alone["sensitivity"], alone["bias"])
    result = {
        "hit_ci": share_interval(called[is_bot], clusters.take(is_bot)),
        "false_alarm_ci": share_interval(called[~is_bot], clusters.take(~is_bot)),
        "balanced_accuracy_ci": (float(contrasts["low"][0] + 0.5), float(contrasts["high"][0] + 0.5)),
    }
    for place, key in ((1, "sensitivity"), (2, "bias")):
        low, high = alone[f"{key}_ci"]
        reach = float(np.maximum(half[place], (high - low) / 2))
        result[f"{key}_ci"] = (middle[place] - reach, middle[place] + reach)
    return result
