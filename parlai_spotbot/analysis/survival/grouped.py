"""The rows of a log-rank test: checked once, and as codes from then on; and the test's options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.intervals import check
from parlai_spotbot.analysis.survival.scores import collapse

COVARIANCES = ("permutation", "robust")
METHODS = ("asymptotic", "exact", "montecarlo", "auto")


@dataclass(frozen=True)
class LogrankOptions:
    """How to test: see `logrank`."""

    covariance: str = "permutation"
    method: str = "asymptotic"
    replicates: int = 10_000
    imputations: None = None

    def __post_init__(self) -> None:
        if self.covariance == "imputation" or self.imputations is not None:
            raise ValueError(
                "covariance: 'imputation' and its option imputations were removed, use 'permutation' for independent "
                "rows and 'robust' with clusters"
            )
        for name, known in (("covariance", COVARIANCES), ("method", METHODS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected one of {', '.join(known)}")
        if self.replicates < 1:
            raise ValueError(f"replicates is {self.replicates}, expected a whole number from 1 up")


@dataclass(frozen=True)
class GroupedRows:
    """Checked rows, as codes: the cell, group, stratum and clusters of each, and its weight."""

    left: np.ndarray
    right: np.ndarray
    cell: np.ndarray
    weights: np.ndarray
    group: np.ndarray
    names: tuple
    stratum: np.ndarray
    clusters: tuple[np.ndarray, ...]

    def subset(self, groups: Sequence[int]) -> GroupedRows:
        """The rows of some groups, which become groups 0, 1, … in the order given; cells without rows are left out."""
        place = np.full(len(self.names), -1)
        place[list(groups)] = np.arange(len(groups))
        use = np.flatnonzero(place[self.group] >= 0)
        cells, cell = np.unique(self.cell[use], return_inverse=True)
        return GroupedRows(
            self.left[cells],
            self.right[cells],
            cell,
            self.weights[use],
            place[self.group[use]],
            tuple(self.names[g] for g in groups),
            pd.factorize(self.stratum[use])[0],
            tuple(pd.factorize(codes[use])[0] for codes in self.clusters),
        )


def checked_rows(
    left: ArrayLike,
    right: ArrayLike,
    group: ArrayLike,
    weights: ArrayLike | None,
    clusters: ArrayLike | None,
    strata: ArrayLike | None,
    options: LogrankOptions,
) -> GroupedRows:
    """Everything about the rows as codes; a `ValueError` names what is wrong."""
    left, right, weights = check(left, right, weights)
    n = len(left)
    codes, names = codes_of(group, "group", n, "a group")
    several = [] if clusters is None else _clusterings(clusters)
    by = tuple(codes_of(values, "clusters", n, "a cluster")[0] for values in several)
    stratum = np.zeros(n, dtype=np.int64) if strata is None else codes_of(strata, "strata", n, "a stratum")[0]
    if len(names) < 2:
        raise ValueError(f"group: only {list(names)}, expected at least two groups")
    size = np.bincount(codes, weights, len(names))
    if (size == 0).any():
        raise ValueError(f"weights: all of group {names[int(np.argmin(size))]!r} are 0, expected one above 0")
    if len(by) > 1 and (options.covariance != "robust" or options.method != "asymptotic"):
        raise ValueError(
            f"clusters: two clusterings with covariance {options.covariance!r} and method {options.method!r}, "
            "expected covariance 'robust' and method 'asymptotic', or one clustering"
        )
    if (weights == 0).any():
        use = weights > 0
        left, right, weights, codes, stratum = (x[use] for x in (left, right, weights, codes, stratum))
        by, stratum = tuple(pd.factorize(c[use])[0] for c in by), pd.factorize(stratum)[0]
    if options.method != "asymptotic" and not by and (weights != np.rint(weights)).any():
        row = int(np.flatnonzero(weights != np.rint(weights))[0])
        raise ValueError(f"weights: row {row} is {weights[row]}, expected whole numbers where rows are relabelled")
    cells = collapse(left, right)
    return GroupedRows(cells.left, cells.right, cells.of, weights, codes, names, stratum, by)


def codes_of(values: ArrayLike, name: str, n: int, expected: str) -> tuple[np.ndarray, tuple]:
    """Labels (n,) as numbers, and the distinct ones in the order in which they occur."""
    if not isinstance(values, np.ndarray | pd.Series | pd.Index):
        values = pd.Series(list(values), dtype=object)
    values = values if isinstance(values, np.ndarray) else values.array
    if np.ndim(values) != 1 or len(values) != n:
        raise ValueError(f"{name}: shape {np.shape(values)}, expected one value for every observation ({n})")
    codes, found = pd.factorize(values.astype(object) if getattr(values, "dtype", None).kind in "US" else values)
    if (codes < 0).any():
        raise ValueError(f"{name}: row {int(np.flatnonzero(codes < 0)[0])} is missing, expected {expected}")
    return codes, tuple(found.tolist())


def _clusterings(clusters: ArrayLike) -> list:
    """One or two clusterings: a pair of sequences, the columns of a frame or matrix, or one sequence."""
    if isinstance(clusters, pd.DataFrame):
        several = [clusters[column] for column in clusters.columns]
    elif isinstance(clusters, np.ndarray) and clusters.ndim == 2:
        several = list(clusters.T)
    elif isinstance(clusters, list | tuple) and clusters and all(np.ndim(c) == 1 for c in clusters):
        several = list(clusters)
    else:
        several = [clusters]
    if not 1 <= len(several) <= 2:
        raise ValueError(f"clusters: {len(several)} clusterings, expected one or two")
    return several
