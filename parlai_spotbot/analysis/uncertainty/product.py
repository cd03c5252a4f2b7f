"""Product weights: how often each annotation counts in each bootstrap replicate.

Where conversations and workers are both drawn, an annotation's weight is the product of both (Owen 2007, "The
pigeonhole bootstrap", Ann. Appl. Stat. 1), whose intervals are up to 1.7 times too wide: `ClusterBootstrap` draws them
in turn instead. These weights serve where a statistic needs whole replicates, as ranks do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.bootstrap import BLOCK, how_often
from parlai_spotbot.analysis.uncertainty.clusters import codes_of


@dataclass(frozen=True)
class ProductWeights:
    """How often each of n annotations counts in each of some replicates: a sequence of rows (n,), each made when asked
    for, since all of them may be more than the memory holds.

    `codes` (n,) are the clusters of annotations, and `times` (replicates, clusters) how often each cluster is drawn.
    """

    codes: tuple[np.ndarray, ...]
    times: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.times[0])

    def __getitem__(self, replicate: int) -> np.ndarray:
        weights = np.ones(len(self.codes[0]), dtype=np.int32)
        for codes, times in zip(self.codes, self.times, strict=True):
            weights *= times[replicate][codes]
        return weights

    def take(self, rows: np.ndarray) -> ProductWeights:
        """Return the same replicates of some of the annotations, by their places."""
        return ProductWeights(tuple(codes[rows] for codes in self.codes), self.times)


def bootstrap_weights(
    conversations: ArrayLike,
    workers: ArrayLike | None,
    strata: ArrayLike,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
) -> ProductWeights:
    """Return how often each of n annotations counts where clusters are drawn with replacement.

    Parameters
    ----------
    conversations, workers, strata : sequences (n,)
        The conversation, the worker (None: they aren't drawn) and the stratum (the pair of bots) of each annotation.
        Conversations are drawn within their stratum, whose size the plan fixes; workers over all strata.
    """
    strata = codes_of(strata)
    drawn = [(codes_of(conversations), strata)]
    if workers is not None:
        drawn.append((codes_of(workers), np.zeros_like(strata)))
    times = [_times(*each, replicates, np.random.default_rng(int(rng.integers(2**63)))) for each in drawn]
    return ProductWeights(tuple(codes for codes, _ in drawn), tuple(times))


def _times(codes: np.ndarray, strata: np.ndarray, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Return how often each cluster is drawn (replicates, clusters) from those of its stratum."""
    count = int(codes.max()) + 1 if len(codes) else 0
    stratum = np.zeros(count, dtype=int)
    stratum[codes] = strata
    order = np.argsort(stratum, kind="stable")
    place = np.argsort(order)
    ordered = stratum[order]
    start = np.searchsorted(ordered, ordered)
    size = np.bincount(stratum)[ordered]
    step = max(1, BLOCK // max(1, count))
    times = np.empty((replicates, count), dtype=np.uint16)
    for first in range(0, replicates, step):
        block = times[first : first + step]
        pick = (rng.random((len(block), count)) * size).astype(np.int64) + start
        block[:] = how_often(pick, count)[:, place]
    return times
