"""Clusters of survival data: rows by one or two sequences."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

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
