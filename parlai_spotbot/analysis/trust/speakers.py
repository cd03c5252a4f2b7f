"""Whether a judge's answers depend on who speaks at all, and how often it is right where the truth is known.

A judge that always says the same can agree with people often, if they mostly say it too. Nothing is left of that where
answers are set against who spoke: contestants exchanged at random between conversations would do as well.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.trust.draws import Draws, ratio

LEVEL = 0.05


def depends(rows: pd.DataFrame, rng: np.random.Generator, permutations: int) -> dict:
    """A permutation test of "the score is the same whoever speaks", from `points` or ratings of one criterion.

    Those who speak together are exchanged between conversations, each staying in its place, so that neither a liking
    for the first place nor for a conversation counts. (Between items, where a conversation meets several others.)

    Returns
    -------
    dict
        `explained`: the share of the scores' variance that lies between contestants (NaN where all scores are one),
        `p`, `contestants`, `n`, `depends`: whether p is below .05.
    """
    unit = "conversation_id" if _one_cast(rows, "conversation_id") else "item_id"
    code, names = pd.factorize(rows["contestant"], sort=True)
    home, units = pd.factorize(rows[unit])
    place = rows["place"].to_numpy(dtype=int)
    cast = np.full((len(units), 2), -1)
    cast[home, place] = code
    score = rows["score"].to_numpy(dtype=float)
    size = len(names)
    total, count = np.zeros(cast.shape), np.zeros(cast.shape)
    np.add.at(total, (home, place), score - score.mean())
    np.add.at(count, (home, place), 1)
    around = float(((score - score.mean()) ** 2).sum())
    found = {"contestants": size, "n": len(rows)}
    if around == 0 or size < 2:
        return found | {"explained": np.nan, "p": 1.0, "depends": False}

    def between(cast: np.ndarray) -> float:
        known = (cast >= 0) & (count > 0)
        sums, sizes = (np.bincount(cast[known], x[known], size) for x in (total, count))
        return float(np.divide(sums**2, sizes, out=np.zeros(size), where=sizes > 0).sum())

    own = between(cast)
    patterns = (cast >= 0) @ np.array([1, 2])  # who speaks alone is exchanged with others who do
    groups = [np.flatnonzero(patterns == pattern) for pattern in np.unique(patterns)]
    reached = 0
    for _ in range(permutations):
        mixed = cast.copy()
        for group in groups:
            mixed[group] = cast[rng.permutation(group)]
        reached += between(mixed) >= own * (1 - 1e-12)
    p = (reached + 1) / (permutations + 1)
    return found | {"explained": own / around, "p": p, "depends": p < LEVEL}


def _one_cast(rows: pd.DataFrame, unit: str) -> bool:
    return rows.groupby([unit, "place"])["contestant"].nunique().max() == 1


def balanced_accuracy(answers: pd.DataFrame, truth: pd.Series, draws: Draws, people: bool) -> np.ndarray | None:
    """The mean over true answers of how often each is given (draws,), or None where fewer than two are known.

    An answer that is none of the true ones, such as "unsure", counts one half, as it would by guessing.
    """
    right = truth.reindex(pd.MultiIndex.from_frame(answers[["item_id", "question", "target"]])).to_numpy(dtype=object)
    known = ~pd.isna(right)
    answers, right = answers[known], right[known].astype(str)
    classes = sorted(set(right))
    if len(classes) < 2:
        return None
    answer = answers["answer"].to_numpy(dtype=object)
    hit = np.where(answer == right, 1.0, np.where(np.isin(answer, classes), 0.0, 0.5))
    cells = np.searchsorted(classes, right)
    whose = ["worker_id"] if people else []
    hits, all_ = (draws.sums(answers, cells, len(classes), mass, whose) for mass in (hit, None))
    return ratio(hits, all_).mean(axis=1)
