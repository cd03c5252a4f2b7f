"""Labels of survival data, one for every observation, as codes; clusters are one or two sequences of labels."""

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like


def label_codes(values: Any, name: str, n: int) -> tuple[np.ndarray, tuple]:
    """Return labels (n,) as numbers, and the distinct ones in the order in which they occur.

    Raises
    ------
    ValueError
        Names the argument that is no sequence of n labels, or the row where the label is missing.
    """
    if not is_list_like(values) or isinstance(values, pd.DataFrame):
        shown = "a DataFrame" if isinstance(values, pd.DataFrame) else repr(values)
        raise ValueError(f"{name} is {shown}, expected one value for every observation ({n})")
    kept = isinstance(values, np.ndarray | pd.Series | pd.Index)
    column = pd.Series(values) if kept and np.ndim(values) == 1 else pd.Series(list(values), dtype=object)
    if len(column) != n:
        raise ValueError(f"{name}: {len(column)} values, expected one for every observation ({n})")
    try:
        codes, categories = pd.factorize(column)
    except TypeError:
        raise ValueError(f"{name}: a row has several values, expected one text or number in each row") from None
    if (codes < 0).any():
        raise ValueError(f"{name}: row {int(np.argmin(codes))} is missing, expected a value in each row")
    return codes, tuple(categories.tolist())


def clusterings(clusters: Any, n: int, selected: np.ndarray) -> list[np.ndarray]:
    """Return one or two sequences (n,) of clusters as codes of the rows that are `selected`; none for None."""
    if clusters is None:
        return []
    if isinstance(clusters, pd.DataFrame):
        clusters = [clusters[name] for name in clusters.columns]
    several = isinstance(clusters, (list, tuple)) and any(map(is_list_like, clusters))
    columns = list(clusters) if several else [clusters]
    if len(columns) > 2:
        raise ValueError(f"clusters: {len(columns)} clusterings, expected one or two")
    code_lists = []
    for column in columns:
        code_lists.append(pd.factorize(label_codes(column, "clusters", n)[0][selected])[0])
    return code_lists
