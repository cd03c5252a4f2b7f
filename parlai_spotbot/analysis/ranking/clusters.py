"""Rank ranges and clusters by bootstrap, after Dušek et al. (2018) and Sakaguchi et al. (2014).

In each replicate the bots are ranked by their score; a bot's range is what remains when the outer ranks are thrown out,
and bots whose ranges overlap share a cluster (section 3.2 of the paper).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.trueskill import TrueSkill, trueskill_replicates
from parlai_spotbot.analysis.ranking.wins import WinMatrix, win_matrix, win_rates
from parlai_spotbot.analysis.resampling import bootstrap_weights


@dataclass(frozen=True)
class RankClusters:
    """`ranges` and `clusters` map a bot to [first, last]: its ranks, and the places that its cluster takes.

    `scores` (replicates, K) are what the bots were ranked by, `weights` (replicates, n) how often each match counted.
    """

    names: tuple[str, ...]
    ranges: dict[str, list[int]]
    clusters: dict[str, list[int]]
    scores: np.ndarray
    weights: np.ndarray


def rank_clusters(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    resample: str = "conversations_workers",
    score: str = "trueskill",
    level: float = 0.95,
    weights: np.ndarray | None = None,
    model: TrueSkill | None = None,
) -> RankClusters:
    """Rank the bots `names` in bootstrap replicates of `matches` (a, b, outcome, conversation_id, worker_id).

    Parameters
    ----------
    resample : str
        What is drawn: see `bootstrap_weights`. Ignored where `weights` (replicates, n) are given.
    score : str
        "trueskill" (order of the matches shuffled in every replicate) or "win_rate".
    level : float
        Share of a bot's ranks that its range covers; half of the rest is thrown out at each end.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1")
    if weights is None:
        pair = [" ".join(sorted(p)) for p in zip(matches["a"], matches["b"], strict=True)]
        weights = bootstrap_weights(
            matches["conversation_id"], matches["worker_id"], pair, rng=rng, replicates=replicates, resample=resample
        )
    if score == "trueskill":
        scores = trueskill_replicates(matches, names, weights, rng=rng, model=model)[0]
    elif score == "win_rate":
        scores = win_rates(win_matrix(matches, names, weights))
    else:
        raise ValueError(f"score is {score!r}, expected trueskill or win_rate")
    ranges = rank_ranges(scores, level)
    return RankClusters(
        tuple(names),
        {name: [int(low), int(high)] for name, (low, high) in zip(names, ranges, strict=True)},
        {name: [int(low), int(high)] for name, (low, high) in zip(names, cluster_places(ranges), strict=True)},
        scores,
        weights,
    )


def ranks(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst rank (replicates, K) of each bot; they differ where scores are equal. NaN ranks last."""
    scores = np.where(np.isfinite(scores), scores, -np.inf)
    above = scores[:, None, :] > scores[:, :, None]
    level = scores[:, None, :] >= scores[:, :, None]
    return 1 + above.sum(axis=-1), level.sum(axis=-1)


def rank_ranges(scores: np.ndarray, level: float = 0.95) -> np.ndarray:
    """First and last rank (K, 2) when (1 - level) / 2 of the replicates are thrown out at each end."""
    best, worst = ranks(scores)
    out = int(np.floor((1 - level) / 2 * len(scores) + 1e-9))
    return np.stack([np.sort(best, axis=0)[out], np.sort(worst, axis=0)[len(scores) - 1 - out]], axis=-1)


def cluster_places(ranges: np.ndarray) -> np.ndarray:
    """Places (K, 2) of each bot's cluster: bots whose ranges overlap, directly or through others, are together."""
    order = sorted(range(len(ranges)), key=lambda i: (ranges[i][0], ranges[i][1]))
    places = np.empty((len(ranges), 2), dtype=int)
    start, reach = 0, -1
    for place, bot in enumerate(order):
        if ranges[bot][0] > reach:
            start = place
        reach = max(reach, ranges[bot][1])
        for member in order[start : place + 1]:
            places[member] = (start + 1, place + 1)
    return places


def paper_ranges(
    matrix: WinMatrix, *, rng: np.random.Generator, replicates: int = 1000, draws: int = 5000
) -> dict[str, list[int]]:
    """The ranges of the paper's tables: first = best rank ever seen, last = least with more than 99.5 % of replicates.

    `draws` annotations are drawn in every replicate however many there are, which makes the ranges too narrow where
    there are fewer; the score is wins / all matches with ties.
    """
    size = len(matrix.names)
    cells = matrix.counts.reshape(-1)
    drawn = rng.multinomial(draws, cells / cells.sum(), size=replicates).reshape(replicates, size, size, 3)
    sample = WinMatrix(matrix.names, drawn)
    won = sample.wins.sum(axis=-1)
    total = won + sample.wins.sum(axis=-2) + sample.ties.sum(axis=-1)
    best, worst = ranks(np.divide(won, total, out=np.zeros(won.shape), where=total > 0))
    enough = int(np.floor(0.995 * replicates)) + 1
    last = np.sort(worst, axis=0)[min(enough, replicates) - 1]
    return {name: [int(best[:, i].min()), int(last[i])] for i, name in enumerate(matrix.names)}
