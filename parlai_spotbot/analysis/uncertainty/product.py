"""Product weights: how often each annotation counts in each replicate, and sums of that by cell.

Where conversations and workers are both drawn, an annotation's weight is the product of both (Owen 2007, "The
pigeonhole bootstrap", Ann. Appl. Stat. 1), whose intervals are up to 1.7 times too wide: `ClusterBootstrap` draws them
in turn instead. These weights serve where a statistic needs whole replicates, as ranks do, and the paper's own unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from parlai_spotbot.analysis.uncertainty.bootstrap import BLOCK, check_draws
from parlai_spotbot.analysis.uncertainty.clusters import codes_of


@dataclass(frozen=True)
class _Factor:
    """What is drawn together: `codes` (n,) names each row's cluster; a draw for slot s picks a cluster of its stratum,
    one of the ``size[s]`` from ``start[s]`` on.
    """

    codes: np.ndarray
    start: np.ndarray
    size: np.ndarray
    seed: int

    @classmethod
    def of(cls, clusters: ArrayLike, strata: np.ndarray, rng: np.random.Generator) -> _Factor:
        codes = codes_of(clusters)
        count = int(codes.max()) + 1 if len(codes) else 0
        stratum = np.zeros(count, dtype=int)
        stratum[codes] = strata
        order = np.argsort(stratum, kind="stable")
        place = np.empty(count, dtype=np.int32)
        place[order] = np.arange(count)
        start, size = np.unique(stratum[order], return_index=True, return_counts=True)[1:]
        return cls(place[codes], np.repeat(start, size), np.repeat(size, size), int(rng.integers(2**63)))

    def draws(self, replicates: int, block: int) -> Iterator[np.ndarray]:
        """Yield how often each cluster is drawn (clusters, block) by block of replicates, whatever the block's size."""
        rng, count = np.random.default_rng(self.seed), len(self.start)
        for done in range(0, replicates, block):
            share = rng.random((min(block, replicates - done), count))
            pick = (share * self.size).astype(np.int64) + self.start
            pick += (np.arange(len(share)) * count)[:, None]
            counts = np.bincount(pick.ravel(), minlength=count * len(share)).reshape(len(share), count)
            # No cluster is drawn 256 times: its number of draws is binomial with mean 1.
            yield np.ascontiguousarray(counts.T, dtype=np.uint8)


class Bootstrap:
    """Replicates of n annotations in which clusters are drawn with replacement; the same ones at every call.

    Parameters
    ----------
    conversations, workers, strata : sequences (n,)
        The conversation, the worker and the stratum (the pair of bots) of each annotation. Conversations and
        annotations are drawn within their stratum, whose size the plan fixes; workers over all strata.
    resample : str
        "conversations_workers" (the product of both draws), "conversations", "workers", or "annotations" (the paper's
        unit, which takes annotations as independent).
    """

    def __init__(
        self,
        conversations: ArrayLike,
        workers: ArrayLike,
        strata: ArrayLike,
        *,
        rng: np.random.Generator,
        resample: str,
        replicates: int = 1000,
    ):
        check_draws(replicates, resample)
        strata = codes_of(strata)
        self.replicates = replicates
        self._rows = len(strata)
        self._factors = []
        if resample == "annotations":
            self._factors.append(_Factor.of(np.arange(len(strata)), strata, rng))
        if "conversations" in resample:
            self._factors.append(_Factor.of(conversations, strata, rng))
        if "workers" in resample:
            self._factors.append(_Factor.of(workers, np.zeros_like(strata), rng))

    def weights(self) -> np.ndarray:
        """How often each annotation counts: (replicates, n)."""
        weights = np.ones((self.replicates, self._rows), dtype=np.int32)
        done = 0
        for block in self._blocks(self._rows):
            for factor, counts in zip(self._factors, block, strict=True):
                weights[done : done + counts.shape[1]] *= np.ascontiguousarray(counts.T)[:, factor.codes]
            done += block[0].shape[1]
        return weights

    def cell_sums(self, cells: np.ndarray, count: int) -> np.ndarray:
        """The weights summed by cell (n,), (replicates, count), without a matrix of all weights."""
        cells = np.asarray(cells)
        order = np.argsort(cells, kind="stable").astype(np.int32)
        cells = cells[order].astype(np.int32)
        codes = [factor.codes[order] for factor in self._factors]
        return np.concatenate([_product_sums(cells, codes, block, count) for block in self._blocks(count)])

    def _blocks(self, width: int) -> Iterator[list[np.ndarray]]:
        """The factors' draws, as many replicates at once as memory allows."""
        widest = max(width, 1, *(len(factor.start) for factor in self._factors))
        block = max(1, min(self.replicates, BLOCK // widest))
        draws = [factor.draws(self.replicates, block) for factor in self._factors]
        for counts in zip(*draws, strict=True):
            yield list(counts)


def _product_sums(cells: np.ndarray, codes: list[np.ndarray], counts: list[np.ndarray], count: int) -> np.ndarray:
    """One sparse product a few replicates at a time: (replicates, count)."""
    replicates = counts[0].shape[1]
    member = _member(cells, count)
    step = max(1, BLOCK // max(1, len(cells)))
    parts = []
    for start in range(0, replicates, step):
        weights = np.ones((len(cells), min(step, replicates - start)))
        for code, drawn in zip(codes, counts, strict=True):
            weights *= drawn[code, start : start + step]
        parts.append((member @ weights).T)
    return np.concatenate(parts).astype(np.int32)


def bootstrap_weights(
    conversations: ArrayLike,
    workers: ArrayLike,
    strata: ArrayLike,
    *,
    rng: np.random.Generator,
    resample: str,
    replicates: int = 1000,
) -> np.ndarray:
    """Weights (replicates, n) of n annotations: those of a `Bootstrap`."""
    return Bootstrap(conversations, workers, strata, rng=rng, replicates=replicates, resample=resample).weights()


def cell_sums(weights: np.ndarray, cells: np.ndarray, count: int) -> np.ndarray:
    """Sum the weights (replicates, n) by cell: (replicates, count); `cells` (n,) holds each column's cell."""
    return np.asarray((_member(cells, count) @ weights.T.astype(float)).T)


def _member(cells: np.ndarray, count: int) -> csr_array:
    """(count, n): which cell each row is in."""
    return csr_array((np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(count, len(cells)))
