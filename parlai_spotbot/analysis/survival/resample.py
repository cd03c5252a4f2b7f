"""Bootstrap draws for survival analysis: rows, or clusters by one or two sequences, and their cells' counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.clusters import codes_of


def clusterings(clusters: ArrayLike | None, n: int, selected: np.ndarray) -> list[np.ndarray]:
    """Return one or two sequences (n,) of clusters as codes of the rows that are `selected`; none for None."""
    if clusters is None:
        return []
    if isinstance(clusters, pd.DataFrame):
        clusters = [clusters[name] for name in clusters.columns]
    several = isinstance(clusters, (list, tuple)) and len(clusters) and not np.isscalar(clusters[0])
    columns = list(clusters) if several else [clusters]
    if len(columns) > 2:
        raise ValueError(f"clusters: {len(columns)} clusterings, expected one or two")
    code_lists = []
    for column in columns:
        if len(column) != n:
            raise ValueError(f"clusters: {len(column)} values, expected one for every observation ({n})")
        codes = pd.factorize(codes_of(column)[selected])[0]
        if codes.max(initial=0) < 1:
            raise ValueError("clusters: only one, expected at least two")
        code_lists.append(codes)
    return code_lists


def bootstrap(clusters: list[np.ndarray], n: int, replicates: int, seed: int | np.random.Generator) -> ClusterBootstrap:
    """Return a bootstrap of the clusters that `clusterings` finds, or of rows."""
    rng = np.random.default_rng(seed)
    if not clusters:
        return ClusterBootstrap(np.arange(n), rng=rng, replicates=replicates, resample="annotations")
    return ClusterBootstrap(*clusters, rng=rng, replicates=replicates)


def cell_counts(
    drawn: ClusterBootstrap, cells: np.ndarray, size: int, weights: np.ndarray, seed: int | np.random.Generator
) -> np.ndarray:
    """Total weight (bootstraps · replicates, size) of every cell; `cells` and `weights` (n,) are those of every row.

    Independent rows of equal weight are drawn as counts of cells, by `seed`, instead of one by one.
    """
    n = len(cells)
    if drawn.names != ("annotations",) or n < 2 or (weights != weights[0]).any():
        return drawn.cell_sums(cells, size, weights)
    share = np.bincount(cells, minlength=size) / n
    counts = np.random.default_rng(seed).multinomial(n - 1, share / share.sum(), size=drawn.replicates)
    return counts * (weights[0] * n / (n - 1))


def covariance_of(drawn: ClusterBootstrap, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The covariance (p, p) of p coefficients from their replicates (bootstraps · replicates, p), and the degrees of
    freedom (p,) of each; NaN where there are too few clusters, or replicates with finite coefficients."""
    spread, width = drawn.spread(samples), samples.shape[1]
    covariances = [*spread.single, *([] if spread.both is None else [spread.both])]
    if not width or drawn.why or not all(np.isfinite(covariance).all() for covariance in covariances):
        return np.full((width, width), np.nan), np.full(width, np.nan)
    return spread.covariance, spread.variance(np.eye(width))[1]
