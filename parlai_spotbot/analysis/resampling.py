"""Bootstrap weights: how often each annotation counts in each replicate, and what the replicates say.

Two annotations of one conversation, or by one annotator, are not independent, so the default draws conversations and
workers, and an annotation's weight is the product of both (Owen 2007, "The pigeonhole bootstrap", Ann. Appl. Stat. 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

RESAMPLE = ("conversations_workers", "conversations", "workers", "annotations")


def bootstrap_weights(
    conversations: Sequence,
    workers: Sequence,
    strata: Sequence,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    resample: str = "conversations_workers",
) -> np.ndarray:
    """Weights (replicates, n) of n annotations.

    Parameters
    ----------
    conversations, workers, strata : sequences (n,)
        The conversation, the worker and the stratum (the pair of bots) of each annotation. Conversations and
        annotations are drawn within their stratum, whose size the plan fixes; workers over all strata.
    resample : str
        "conversations_workers" (the default), "conversations", "workers", or "annotations" (the paper's, which takes
        annotations as independent).
    """
    if resample not in RESAMPLE:
        raise ValueError(f"resample is {resample!r}, expected one of {', '.join(RESAMPLE)}")
    if replicates < 1:
        raise ValueError(f"replicates is {replicates}, expected a whole number from 1 up")
    strata = pd.factorize(np.asarray(strata, dtype=object))[0]
    if resample == "annotations":
        return _draw(np.arange(len(strata)), strata, replicates, rng)
    weights = np.ones((replicates, len(strata)), dtype=np.int32)
    if "conversations" in resample:
        weights *= _draw(pd.factorize(np.asarray(conversations, dtype=object))[0], strata, replicates, rng)
    if "workers" in resample:
        weights *= _draw(pd.factorize(np.asarray(workers, dtype=object))[0], np.zeros_like(strata), replicates, rng)
    return weights


def _draw(clusters: np.ndarray, strata: np.ndarray, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Draw as many clusters as there are, with replacement, within each stratum; the weight of every row."""
    count = int(clusters.max()) + 1 if len(clusters) else 0
    stratum_of = np.zeros(count, dtype=int)
    stratum_of[clusters] = strata
    drawn = np.zeros((replicates, count), dtype=np.int32)
    for stratum in np.unique(stratum_of):
        members = np.flatnonzero(stratum_of == stratum)
        drawn[:, members] = rng.multinomial(len(members), np.full(len(members), 1 / len(members)), size=replicates)
    return drawn[:, clusters]


def cell_sums(weights: np.ndarray, cells: np.ndarray, count: int) -> np.ndarray:
    """Sum the weights (replicates, n) by cell: (replicates, count); `cells` (n,) holds each column's cell."""
    from scipy.sparse import csr_array

    member = csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(count, len(cells)))
    return np.asarray((member @ weights.T.astype(float)).T)


def percentile_interval(samples: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Percentile interval (..., 2) over the first axis; NaN where fewer than half of the replicates have a value."""
    samples = np.asarray(samples, dtype=float)
    known = np.isfinite(samples)
    filled = np.where(known, samples, np.inf)
    filled.sort(axis=0)
    count = known.sum(axis=0)
    ends = []
    for q in ((1 - level) / 2, (1 + level) / 2):
        place = q * np.maximum(count - 1, 0)
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(count - 1, 0))
        low = np.take_along_axis(filled, below[None], axis=0)[0]
        high = np.take_along_axis(filled, above[None], axis=0)[0]
        low, high = np.where(count > 0, low, 0.0), np.where(count > 0, high, 0.0)
        ends.append(low + (place - below) * (high - low))
    return np.where((count * 2 >= len(samples))[..., None] & (count > 0)[..., None], np.stack(ends, -1), np.nan)
