"""Agreement between annotators (section 5.1, Table 3 of the paper), and Krippendorff's alpha beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.resampling import bootstrap_weights, percentile_interval

LABELS = ("bot", "human", "unsure")


def both_given_one(entities: pd.DataFrame) -> dict[str, dict[str, dict]]:
    """Per name and label: the share of annotations with the label whose partner gave it too (Table 3).

    Taken are segments with exactly two annotations; a pair that agrees counts twice. Returns ``{name: {label: {"share",
    "n"}}}``, the share None where nobody gave the label.
    """
    key = ["conversation_id", "k", "entity"]
    twice = entities[entities.groupby(key)["annotation_id"].transform("size") == 2].sort_values(key, kind="stable")
    nature = twice["nature"].to_numpy(dtype=object)
    partner = nature.reshape(-1, 2)[:, ::-1].reshape(-1)
    name = twice["name"].to_numpy(dtype=object)
    result: dict[str, dict[str, dict]] = {}
    for bot in sorted(set(entities["name"])):
        result[bot] = {}
        for label in LABELS:
            given = (name == bot) & (nature == label)
            share = float((partner[given] == label).mean()) if given.any() else None
            result[bot][label] = {"share": share, "n": int(given.sum())}
    return result


def krippendorff_alpha(
    units: Sequence, answers: Sequence, conversations: Sequence, *, rng: np.random.Generator, replicates: int = 1000
) -> tuple[float, np.ndarray]:
    """Nominal alpha of answers (n,) about units (n,), and its 95 % interval (2,) by drawing conversations (n,).

    NaN where no unit has two answers or all of their answers are the same: there alpha says nothing.
    """
    unit, kinds = pd.factorize(np.asarray(units, dtype=object))
    answer, labels = pd.factorize(np.asarray(answers, dtype=object))
    counts = np.zeros((len(kinds), len(labels)))
    np.add.at(counts, (unit, answer), 1)
    paired = counts.sum(axis=1) > 1
    if (counts[paired].sum(axis=0) > 0).sum() < 2:
        return np.nan, np.full(2, np.nan)
    alpha = float(_alphas(counts[paired], np.ones((1, paired.sum())))[0])
    home = np.empty(len(kinds), dtype=object)
    home[unit] = np.asarray(conversations, dtype=object)
    weights = bootstrap_weights(
        home, home, np.zeros(len(home)), rng=rng, replicates=replicates, resample="conversations"
    )
    return alpha, percentile_interval(_alphas(counts[paired], weights[:, paired]))


def _alphas(counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Alpha (replicates,) of answer counts (units, labels), each unit counted by its weight (replicates, units)."""
    size = counts.sum(axis=1)
    agreeing = weights @ ((counts * (counts - 1)).sum(axis=1) / (size - 1))
    given = weights @ counts
    n = given.sum(axis=1)
    chance = n * (n - 1) - (given * (given - 1)).sum(axis=1)
    observed = np.where(n > 0, 1 - agreeing / np.maximum(n, 1), np.nan)
    expected = np.divide(chance, n * (n - 1), out=np.zeros(len(n)), where=n > 1)
    return 1 - np.divide(observed, expected, out=np.full(len(n), np.nan), where=expected > 0)
