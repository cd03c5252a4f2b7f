"""Signal detection: distinguishing bots from people (sensitivity) and a tendency to answer "bot" (bias).

Most entities are bots, so always answering "bot" is mostly correct and the paper's 50 % is not chance (Table 9); it has
a balanced accuracy of .5 and a sensitivity near 0.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.records import HUMAN

CALLED = {"bot": 1.0, "unsure": 0.5, "human": 0.0}
"""How much of a "bot" each label is: unsure is one half, so that guessing has a balanced accuracy of .5."""

RATES = ("hit", "false_alarm", "balanced_accuracy", "sensitivity", "bias")
ENDS = ("sensitivity_low", "sensitivity_high", "bias_low", "bias_high")
Z95 = float(ndtri(0.975))


def _density(z: np.ndarray) -> np.ndarray:
    """Return the density of the standard normal distribution."""
    return np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


def detection(called: ArrayLike, is_bot: ArrayLike) -> dict:
    """Return signal detection from labels (n,) of known bots and people: 1 for "bot", 0 for "human", ½ for "unsure".

    d' = z(hit) − z(false alarm) and c = −(z(hit) + z(false alarm)) / 2 with ½ added to each count (the log-linear rule,
    Hautus 1995, Behav. Res. Methods 27), which keeps both finite; intervals by the variance of Gourevitch & Galanter
    1967 (Psychometrika 32), which takes labels as independent.

    Returns
    -------
    dict
        `bots`, `people` (numbers of labels); `hit` and `false_alarm`, shares of bots and of people called bots;
        `balanced_accuracy`; `sensitivity` d' and `bias` c (> 0: slow to say "bot") with the ends of their intervals,
        `_low` and `_high`. NaN without bots or without people.
    """
    labels = np.asarray(called, dtype=float)
    of_bots = np.asarray(is_bot, dtype=bool)
    bots = labels[of_bots]
    people = labels[~of_bots]
    result: dict = {"bots": len(bots), "people": len(people)}
    if not len(bots) or not len(people):
        return result | dict.fromkeys((*RATES, *ENDS), np.nan)
    sizes = np.array([len(bots) + 1.0, len(people) + 1.0])
    rates = _log_linear(labels, of_bots)
    z = ndtri(rates)
    half = Z95 * np.sqrt((rates * (1 - rates) / (sizes * _density(z) ** 2)).sum())
    d = float(z[0] - z[1])
    c = float(-z.sum() / 2)
    return result | {
        "hit": float(bots.mean()),
        "false_alarm": float(people.mean()),
        "balanced_accuracy": float((bots.mean() + 1 - people.mean()) / 2),
        "sensitivity": d,
        "sensitivity_low": d - half,
        "sensitivity_high": d + half,
        "bias": c,
        "bias_low": c - half / 2,
        "bias_high": c + half / 2,
    }


def _log_linear(called: np.ndarray, is_bot: np.ndarray) -> np.ndarray:
    """Return the shares (2,) of bots and of people that are called bots, with ½ added to each count."""
    return np.array([(called[group].sum() + 0.5) / (group.sum() + 1) for group in (is_bot, ~is_bot)])


def pooled_detection(entities: pd.DataFrame, clusters: Clusters) -> dict:
    """Return `detection` of all labels together, and `always_bot`, the correctness of always answering "bot".

    `clusters` are those of the rows of `entities`; by them are the intervals, also of `hit`, `false_alarm` and
    `balanced_accuracy`. Those of d' and c, by the delta method, are never narrower than of independent labels, and nan
    where clusters are too few.
    """
    called = entities["nature"].map(CALLED).to_numpy(dtype=float)
    is_bot = (entities["name"] != HUMAN).to_numpy()
    result: dict = detection(called, is_bot)
    result["always_bot"] = float(is_bot.mean()) if len(is_bot) else np.nan
    if not result["bots"] or not result["people"]:
        return result
    means = group_means(called, is_bot.astype(int), 2, clusters, (0.0, 1.0))
    bots, people = 1 / _density(ndtri(_log_linear(called, is_bot)))
    weights = np.array([[-0.5, 0.5], [-people, bots], [-people / 2, -bots / 2]])
    contrasts = means.contrasts(weights)
    half = stdtrit(contrasts["df"], 0.975) * contrasts["se"]
    if np.isnan(contrasts["low"][0]):
        half[:] = np.nan
    for key, group in (("hit", is_bot), ("false_alarm", ~is_bot)):
        result[f"{key}_low"], result[f"{key}_high"] = share_interval(called[group], clusters.take(group))
    result["balanced_accuracy_low"] = contrasts["low"][0] + 0.5
    result["balanced_accuracy_high"] = contrasts["high"][0] + 0.5
    return result | _widened(result, "sensitivity", half[1]) | _widened(result, "bias", half[2])


def _widened(rates: dict, key: str, half: float) -> dict[str, float]:
    """Return the ends of an interval that reaches `half`, or as far as that of independent labels if that is wider."""
    reach = np.maximum(half, (rates[f"{key}_high"] - rates[f"{key}_low"]) / 2)
    return {f"{key}_low": rates[key] - reach, f"{key}_high": rates[key] + reach}
