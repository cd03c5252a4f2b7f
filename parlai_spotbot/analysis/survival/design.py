"""Covariates as numbers, with those that can't be estimated found and named."""

import warnings
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

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Values (..., used) of the covariates in use as (..., p), NaN for the others."""
        full = np.full((*values.shape[:-1], len(self.use)), np.nan)
        full[..., self.use] = values
        return full


def design(X: ArrayLike | pd.DataFrame, n: int, weights: np.ndarray) -> DesignMatrix:
    """Check the covariates of `n` rows: numbers, named as the frame's columns are, or x1, x2, …

    Rows of weight 0 don't help to tell covariates apart. Raises `ValueError` that names the row and column that is no
    finite number; `CollinearityWarning` names covariates that are constant or a combination of those before them.
    """
    values = numbers(X, "X")
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != n:
        raise ValueError(f"X: shape {np.shape(X)}, expected one row for every observation ({n})")
    columns = X.columns if isinstance(X, pd.DataFrame) else [f"x{i + 1}" for i in range(values.shape[1])]
    names = tuple(map(str, columns))
    if len(set(names)) < len(names):
        raise ValueError(f"X: columns {list(names)}, expected each once")
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"X: row {row}, column {names[column]!r} is {values[row, column]}, expected a finite number; "
            "leave the row out or fill it in"
        )
    use = _independent(values[weights > 0])
    if not use.all():
        which = ", ".join(np.array(names)[~use])
        warnings.warn(
            f"{which} is constant or a combination of the covariates before it: left out (coefficient NaN)",
            CollinearityWarning,
            stacklevel=3,
        )
    return DesignMatrix(values, names, use)


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
