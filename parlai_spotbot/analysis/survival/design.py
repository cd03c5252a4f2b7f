"""Covariates: from a matrix, a frame or a formula to numbers, with what can't be estimated found and named."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

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
    formula: str | None = None,
    names: Sequence[str] | None = None,
    weights: np.ndarray | None = None,
    caller: str = "cox",
) -> DesignMatrix:
    """Check the covariates of `n` rows.

    Parameters
    ----------
    X : array or frame (n, p)
        Numbers, or, with a `formula` such as ``"fluent + C(opponent)"`` (Wilkinson's notation, by formulaic), a frame
        with the columns that it names. Columns of text without a formula are an error.
    names : sequence of str, optional
        What the columns are called; by default the frame's own names, or x1, x2, …
    weights : array (n,), optional
        Rows of weight 0 don't help to tell covariates apart.

    Raises
    ------
    ValueError
        Names the row and column that is no finite number, or the formula that can't be read.

    Warns
    -----
    CollinearityWarning
        Names the covariates that are constant or a combination of those before them.
    """
    values, found = _matrix(X, n, formula)
    names = tuple(str(name) for name in (found if names is None else names))
    if len(names) != values.shape[1]:
        raise ValueError(f"names: {len(names)} of them, expected {values.shape[1]}")
    if len(set(names)) < len(names):
        raise ValueError(f"names: {list(names)}, expected each once")
    wrong = ~np.isfinite(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"X: row {row}, column {names[column]!r} is {values[row, column]}, expected a finite number; "
            "leave the row out or fill it in"
        )
    use = _independent(values if weights is None else values[weights > 0])
    if not use.all():
        which = ", ".join(name for name, used in zip(names, use, strict=True) if not used)
        warnings.warn(
            f"{caller}: {which} is constant or a combination of the covariates before it: left out (coefficient NaN)",
            CollinearityWarning,
            stacklevel=3,
        )
    return DesignMatrix(values, names, use)


def _matrix(X: ArrayLike | pd.DataFrame, n: int, formula: str | None) -> tuple[np.ndarray, Sequence[str]]:
    if formula is not None:
        X = _by_formula(X, formula, n)
    names = [str(column) for column in X.columns] if isinstance(X, pd.DataFrame) else None
    try:
        values = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(_no_number(X)) from None
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or len(values) != n:
        raise ValueError(f"X: shape {values.shape}, expected one row for every observation ({n})")
    return values, names if names is not None else [f"x{i + 1}" for i in range(values.shape[1])]


def _no_number(X: ArrayLike | pd.DataFrame) -> str:
    frame = pd.DataFrame(X)
    for column in frame.columns:
        wrong = pd.to_numeric(frame[column], errors="coerce").isna() & frame[column].notna()
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            return (
                f"X: row {row}, column {str(column)!r} is {frame[column].iloc[row]!r}, expected a number; "
                f'give a formula such as "C({column})" to use it as a category'
            )
    return f"X: {type(X).__name__}, expected numbers"


def _by_formula(X: pd.DataFrame, formula: str, n: int) -> pd.DataFrame:
    import formulaic

    if not isinstance(X, pd.DataFrame):
        raise ValueError(f"formula: X is {type(X).__name__}, expected a frame with the columns that it names")
    if len(X) != n:
        raise ValueError(f"X: {len(X)} rows, expected one for every observation ({n})")
    try:
        result = formulaic.model_matrix(formula, X, na_action="raise")
    except Exception as err:  # formulaic raises many kinds
        raise ValueError(f"formula {formula!r}: {err}; the columns are {', '.join(map(str, X.columns))}") from err
    if not isinstance(result, pd.DataFrame):
        raise ValueError(f"formula {formula!r} has a left side, expected covariates only")
    return pd.DataFrame(result).drop(columns="Intercept", errors="ignore")


def _independent(values: np.ndarray) -> np.ndarray:
    """Which columns add to the span of a constant and the columns before them."""
    size = values.shape[1]
    if not len(values) or not size:
        return np.zeros(size, dtype=bool)
    centred = values - values.mean(axis=0)
    scale = np.abs(centred).max(axis=0)
    level = np.abs(values).max(axis=0)
    varies = scale > 1e-12 * np.maximum(level, 1e-300)
    centred = np.where(varies, centred / np.where(varies, scale, 1.0), 0.0)
    # The triangular factor of QR shows how much of each column is new; it is that of the p × p Gram matrix's columns.
    triangle = np.linalg.qr(centred, mode="r")
    triangle = np.vstack([triangle, np.zeros((max(0, size - len(triangle)), size))])
    use = varies.copy()
    for column in range(size):
        so_far = triangle[:, : column + 1][:, use[: column + 1]]
        use[column] = use[column] and np.linalg.matrix_rank(so_far) == so_far.shape[1]
    return use
