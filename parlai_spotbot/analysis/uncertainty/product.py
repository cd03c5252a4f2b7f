"""Product weights: how often each annotation counts in each bootstrap replicate.

Where conversations and workers are both drawn, an annotation's weight is the product of both (Owen 2007, "The
pigeonhole bootstrap", Ann. Appl. Stat. 1), whose intervals are up to 1.7 times too wide: `ClusterBootstrap` draws them
in turn instead. These weights serve where a statistic needs whole replicates, as ranks do.
"""

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.bootstrap import BLOCK, how_often
from parlai_spotbot.analysis.uncertainty.clusters import codes_of


def bootstrap_weights(
    conversations: ArrayLike,
    workers: ArrayLike | None,
    strata: ArrayLike,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
) -> np.ndarray:
    """Return how often each of n annotations counts (replicates, n) where clusters are drawn with replacement.

    Parameters
    ----------
    conversations, workers, strata : sequences (n,)
        The conversation, the worker (None: they aren't drawn) and the stratum (the pair of bots) of each annotation.
        Conversations are drawn within their stratum, whose size the plan fixes; workers over all strata.
    """
    strata = codes_of(strata)
    drawn = [(conversations, strata)] + ([] if workers is None else [(workers, np.zeros_like(strata))])
    weights = np.ones((replicates, len(strata)), dtype=np.uint16)
    for clusters, within in drawn:
        _multiply(weights, codes_of(clusters), within, np.random.default_rng(int(rng.integers(2**63))))
    return weights


def _multiply(weights: np.ndarray, codes: np.ndarray, strata: np.ndarray, rng: np.random.Generator) -> None:
    """Multiply the weights (replicates, n) by how often each row's cluster is drawn from those of its stratum."""
    count = int(codes.max()) + 1 if len(codes) else 0
    stratum = np.zeros(count, dtype=int)
    stratum[codes] = strata
    order = np.argsort(stratum, kind="stable")
    place = np.argsort(order)
    ordered = stratum[order]
    start = np.searchsorted(ordered, ordered)
    size = np.bincount(stratum)[ordered]
    step = max(1, BLOCK // max(1, count, len(codes)))
    for first in range(0, len(weights), step):
        block = weights[first : first + step]
        pick = (rng.random((len(block), count)) * size).astype(np.int64) + start
        block *= how_often(pick, count).astype(weights.dtype)[:, place[codes]]
