"""How often each row, or each cell of equal rows, counts in bootstrap replicates of rows or of clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

BLOCK = 2_000_000


def clusterings(clusters: Sequence | None, n: int, known: np.ndarray) -> list[np.ndarray]:
    """One or more sequences (n,) of clusters as codes of the rows that are `known`; none for None."""
    if clusters is None:
        return []
    several = isinstance(clusters, pd.DataFrame) or (
        isinstance(clusters, (list, tuple)) and len(clusters) and not np.isscalar(clusters[0])
    )
    if isinstance(clusters, pd.DataFrame):
        columns = [clusters[name] for name in clusters.columns]
    else:
        columns = list(clusters) if several else [clusters]
    found = []
    for column in columns:
        if len(column) != n:
            raise ValueError(f"clusters: {len(column)} values, expected one for every observation ({n})")
        codes = pd.factorize(np.asarray(column, dtype=object))[0]
        if (codes < 0).any():
            raise ValueError(f"clusters: row {int(np.flatnonzero(codes < 0)[0])} is missing, expected a cluster")
        found.append(pd.factorize(codes[known])[0])
    for codes in found:
        if codes.max(initial=0) < 1:
            raise ValueError("clusters: only one, expected at least two")
    return found


def cell_counts(
    cells: np.ndarray,
    size: int,
    weights: np.ndarray,
    clusters: list[np.ndarray],
    replicates: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Total weight (replicates, size) of every cell when rows, clusters or crossed clusters are drawn again.

    `cells` and `weights` (n,) are the cell and weight of every row.
    """
    if not clusters:
        return _rows(cells, size, weights, replicates, rng)
    if len(clusters) == 1:
        count = int(clusters[0].max()) + 1
        table = np.bincount(clusters[0] * size + cells, weights, count * size).reshape(count, size)
        return _draw(count, replicates, rng).astype(float) @ table
    member = csr_array((weights, (cells, np.arange(len(cells)))), shape=(size, len(cells)))
    blocks = [np.asarray((member @ block.T.astype(float)).T) for block in _crossed(clusters, replicates, rng)]
    return np.concatenate(blocks)


def row_weights(
    n: int, weights: np.ndarray, clusters: list[np.ndarray], replicates: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """The weights (n,) of all rows, replicate by replicate."""
    if not clusters:
        for _ in range(replicates):
            yield np.bincount(rng.integers(0, n, n), minlength=n) * weights
        return
    for block in _crossed(clusters, replicates, rng):
        yield from block * weights


def _rows(cells: np.ndarray, size: int, weights: np.ndarray, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of equal weight are drawn as counts of cells; rows of other weights one by one."""
    n = len(cells)
    if (weights == weights[0]).all():
        share = np.bincount(cells, minlength=size) / n
        return rng.multinomial(n, share / share.sum(), size=replicates) * weights[0]
    rows = row_weights(n, weights, [], replicates, rng)
    return np.stack([np.bincount(cells, drawn, size) for drawn in rows])


def _draw(count: int, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """How often (replicates, count) each of `count` clusters is drawn in `count` draws with replacement."""
    drawn = rng.integers(0, count, (replicates, count)) + (np.arange(replicates) * count)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * count).reshape(replicates, count)


def _crossed(clusters: list[np.ndarray], replicates: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Blocks of products (replicates of the block, n) of how often each row's clusters are drawn."""
    step = max(1, BLOCK // len(clusters[0]))
    for first in range(0, replicates, step):
        size = min(step, replicates - first)
        block = np.ones((size, len(clusters[0])), dtype=np.int64)
        for codes in clusters:
            block *= _draw(int(codes.max()) + 1, size, rng)[:, codes]
        yield block
