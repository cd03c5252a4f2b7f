"""Covariates as numbers, with those that can't be estimated found and named."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.intervals import numbers
from parlai_spotbot.analysis.survival.results import CollinearityWarning


@dataclass(frozen=True)
class DesignMatrix:
    """Covariates `values` (n, p) called `names`; `use` (p,) is false where constant or a combination of others."""

    values: np.ndarray
    names: tuple[str, ...]
    use: np.ndarray


def design(
    X: ArrayLike | pd.DataFrame,
    n: int,
    *,
    names: Sequence[str] | None = None,
    weights: np.ndarray | None = None,
    caller: str = "cox",
) -> DesignMatrix:
    """Check the covariates of `n` rows.

    Parameters
    ----------
    X : array or frame (n, p)
        Numbers; make columns of text into indicators (`pandas.get_dummies`).
    names : sequence of str, optional
        What the columns are called; by default the frame's own names, or x1, x2, …
    weights : array (n,), optional
        Rows of weight 0 don't help to tell covariates apart.

    Raises
    ------
    ValueError
        Names the row and column that is no finite number.

    Warns
    -----
    CollinearityWarning
        Names the covariates that are constant or a combination of those before them.
    """
    values, names = _matrix(X, n, names)
    use = _independent(values if weights is None else values[weights > 0])
    if not use.all():
        which = ", ".join(name for name, used in zip(names, use, strict=True) if not used)
        warnings.warn(
            f"{caller}: {which} is constant or a combination of the covariates before it: left out (coefficient NaN)",
            CollinearityWarning,
            stacklevel=3,
        )
    return DesignMatrix(values, names, use)


def _matrix(
    X: ArrayLike | pd.DataFrame, n: int, names: Sequence[str] | None = None
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return `n` rows of covariates as finite numbers (n, p), and their names; a `ValueError` names what is wrong."""
    columns = X.columns if isinstance(X, pd.DataFrame) else None
    if columns is None:
        X = np.asanyarray(X) if np.ndim(X) != 1 else np.asanyarray(X)[:, None]
    if np.ndim(X) != 2 or len(X) != n:
        raise ValueError(f"X: shape {np.shape(X)}, expected one row for every observation ({n})")
    columns = [f"x{i + 1}" for i in range(X.shape[1])] if columns is None else columns
    names = tuple(str(name) for name in (columns if names is None else names))
    if len(names) != X.shape[1]:
        raise ValueError(f"names: {len(names)} of them, expected {X.shape[1]}")
    if len(set(names)) < len(names):
        raise ValueError(f"names: {list(names)}, expected each once")
    values = numbers(X, "X")
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"X: row {row}, column {names[column]!r} is {values[row, column]}, expected a finite number; "
            "leave the row out or fill it in"
        )
    return values, names


def _independent(values: np.ndarray) -> np.ndarray:
    """Return which columns add to the span of a constant and the columns before them, up to rounding."""
    size = values.shape[1]
    use = np.zeros(size, dtype=bool)
    basis = np.empty((len(values), 0))
    precision = 0.0
    for column in range(size if len(values) else 0):
        level = np.abs(values[:, column]).max()
        centred = values[:, column] - values[:, column].mean()
        spread = np.abs(centred).max()
        if not spread > 16 * np.finfo(float).eps * level:
            continue
        # What rounding of the values, which a high level makes coarse, leaves of their differences.
        precision = max(precision, np.finfo(float).eps * level / spread)
        centred = centred / np.linalg.norm(centred / spread) / spread
        new = centred - basis @ (basis.T @ centred)
        new -= basis @ (basis.T @ new)
        length = np.linalg.norm(new)
        if length > 1e-12 + 32 * precision:
            use[column] = True
            basis = np.column_stack([basis, new / length])
    return use
