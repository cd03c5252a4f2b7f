"""The paper's rank ranges and clusters by bootstrap, after Dušek et al. (2018) and Sakaguchi et al. (2014).

In each replicate the bots are ranked by their score; a bot's range is what remains when the outer ranks are thrown out,
and bots whose ranges overlap share a cluster (section 3.2 of the paper).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.trueskill import Replicates, TrueSkill, trueskill_replicates
from parlai_spotbot.analysis.ranking.wins import WinMatrix
from parlai_spotbot.analysis.values import ArrayPair, ratio


@dataclass(frozen=True)
class RankClusters:
    """`ranges` and `clusters` map a bot to [first, last]: its ranks, and the places that its cluster takes.

    `scores` (replicates, K) are what the bots were ranked by.
    """

    ranges: dict[str, list[int]]
    clusters: dict[str, list[int]]
    scores: np.ndarray


def rank_clusters(
    matches: pd.DataFrame,
    names: Sequence[str],
    weights: Replicates,
    *,
    rng: np.random.Generator,
    model: TrueSkill | None = None,
) -> RankClusters:
    """Rank the bots `names` by TrueSkill in bootstrap replicates of `matches` (a, b, outcome).

    Parameters
    ----------
    weights : sequence of arrays (n,)
        How often each match counts in each replicate, see `bootstrap_weights`; their order is shuffled in each.
    model : TrueSkill, optional
        Its constants.
    """
    scores = trueskill_replicates(matches, names, weights, rng=rng, model=model)[0]
    ranges = rank_ranges(scores)
    range_by_name = dict(zip(names, ranges.tolist(), strict=True))
    place_by_name = dict(zip(names, cluster_places(ranges).tolist(), strict=True))
    return RankClusters(range_by_name, place_by_name, scores)


def ranks(scores: np.ndarray) -> ArrayPair:
    """Best and worst rank (replicates, K) of each bot; they differ where scores are equal. NaN ranks last."""
    from scipy.stats import rankdata  # slow to load, and votes have no ranks of replicates

    losses = -np.where(np.isfinite(scores), scores, -np.inf)
    best, worst = (rankdata(losses, method=method, axis=1).astype(int) for method in ("min", "max"))
    return best, worst


def rank_ranges(scores: np.ndarray, level: float = 0.95) -> np.ndarray:
    """First and last rank (K, 2) when (1 - level) / 2 of the replicates are thrown out at each end.

    With 1,000 replicates and the level .95 these are, as in Sakaguchi et al. (2014), the 26th best and worst rank.
    """
    best, worst = ranks(scores)
    out = trimmed(len(scores), level)
    return np.stack([np.sort(best, axis=0)[out], np.sort(worst, axis=0)[len(scores) - 1 - out]], axis=-1)


def trimmed(replicates: int, level: float) -> int:
    """Return how many replicates are thrown out at each end."""
    return int(np.floor((1 - level) / 2 * replicates + 1e-9))


def cluster_places(ranges: np.ndarray) -> np.ndarray:
    """Places (K, 2) of each bot's cluster: bots whose ranges overlap, directly or through others, are together."""
    order = np.lexsort((ranges[:, 1], ranges[:, 0]))
    reach = np.maximum.accumulate(ranges[order, 1])
    cluster = np.cumsum(np.append(False, ranges[order[1:], 0] > reach[:-1]))[: len(order)]
    places = np.empty((len(ranges), 2), dtype=int)
    places[order, 0] = np.searchsorted(cluster, cluster) + 1
    places[order, 1] = np.searchsorted(cluster, cluster, side="right")
    return places


def paper_ranges(matrix: WinMatrix, *, rng: np.random.Generator, draws: int = 5000) -> dict[str, list[int]]:
    """The ranges of the paper's tables: first = best rank ever seen, last = least with more than 99.5 % of replicates.

    Flaws that are kept: `draws` annotations are drawn in every replicate however many there are, which makes the ranges
    too narrow where there are fewer; annotations of one conversation or worker are drawn as if independent; the two
    ends follow different rules; and the score is wins / all matches, so a bot of many ties ranks low.
    """
    size = len(matrix.names)
    cells = matrix.counts.reshape(-1)
    drawn = rng.multinomial(draws, cells / cells.sum(), size=1000).reshape(1000, size, size, 3)
    sample = WinMatrix(matrix.names, drawn)
    won = sample.wins.sum(axis=-1)
    total = won + sample.wins.sum(axis=-2) + sample.ties.sum(axis=-1)
    best, worst = ranks(ratio(won, total, 0.0))
    last = np.sort(worst, axis=0)[995]
    return {name: [int(one), int(other)] for name, one, other in zip(matrix.names, best.min(axis=0), last, strict=True)}
