"""Backward removal: which metrics of a method add something to the others?

ABC-Eval 2022, section 7.4, Figure 3: all metrics of a method but overall quality explain the outcome together; then one
after the other is removed, each time the one without which R² (or McFadden's pseudo-R²) is best. A beam keeps the best
sets of each size. What a set loses by one metric is read off its fit: exactly for least squares; Wald's statistic
chooses the logistic models to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from parlai_spotbot.analysis.metrics.regression import CONSTANT, MODELS, constant, fitted, obstacle, regress

BEAM = 100
RIDGE = 1e-12
"""Relative size of the ridge that lets metrics which repeat each other be compared."""

Places = tuple[int, ...]
TRIED = 3
"""Of logistic models so many times the beam are fitted."""

Expected = Callable[[Sequence[Places]], np.ndarray]
"""Sets of one size (m of k metrics) -> R² (m, k) of each set without each of its metrics."""


@dataclass(frozen=True)
class Step:
    """A set of metrics: `names`, how much they explain together (`r2`, `adjusted`), and the one to go (`removed`)."""

    names: tuple[str, ...]
    r2: float
    adjusted: float
    removed: str | None


@dataclass(frozen=True)
class Removal:
    """`steps` from all metrics down to one over `n` rows; metrics that do not vary (`constant`) are left out."""

    n: int
    steps: tuple[Step, ...]
    constant: tuple[str, ...] = ()
    why: str = ""


def removal(x: np.ndarray, y: np.ndarray, names: Sequence[str], model: str, beam: int = BEAM) -> Removal:
    """Remove the columns of x (n, p), rows complete, one by one from the regression of y (n,) by `model`.

    `why` states too few rows, an outcome that does not vary, or that no metric varies.
    """
    if beam < 1:
        raise ValueError(f"beam is {beam}, expected a whole number from 1 up")
    if model not in MODELS:
        raise ValueError(f"model is {model!r}, expected linear or logistic")
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    varies = [place for place, column in enumerate(x.T) if not constant(column)]
    flat = tuple(name for place, name in enumerate(names) if place not in varies)
    if not varies or (why := obstacle(x[:, varies], y)):
        return Removal(len(y), (), flat, CONSTANT if not varies else why)
    x, names = x[:, varies], [names[place] for place in varies]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    path = _search(_least_squares(x, y), x.shape[1], beam) if model == "linear" else _logistic_search(x, y, beam)
    gone = [next(place for place in column_set if place not in after) for column_set, after in pairwise(path)]
    steps = []
    for columns, out in zip(path, [*gone, None], strict=True):
        fit = regress(x[:, columns], y, model)
        removed = None if out is None else names[out]
        steps.append(Step(tuple(names[place] for place in columns), fit.r2, fit.adjusted, removed))
    return Removal(len(y), tuple(steps), flat)


def _search(
    expected: Expected, count: int, beam: int, measured: Callable[[Places], float] | None = None
) -> list[Places]:
    """Return the sets from all metrics to the best single one, each without one metric of the set before.

    `measured` is the R² by which the sets that are expected to be best are compared, infinite for outcomes that a set
    separates: such sets stay in the beam, to lose further metrics. By default it is what is expected.
    """
    frontier: list[Places] = [tuple(range(count))]
    parent: dict[Places, Places] = {}
    worth: dict[Places, float] = {frontier[0]: np.inf}
    for _ in range(count - 1):
        children: dict[Places, tuple[float, Places]] = {}
        # Of several ways to one set the path keeps that by the best set whose R² is known.
        frontier.sort(key=lambda column_set: (np.isinf(worth[column_set]), -round(worth[column_set], 12), column_set))
        for columns, line in zip(frontier, expected(frontier), strict=True):
            for place, value in enumerate(line):
                children.setdefault(columns[:place] + columns[place + 1 :], (float(value), columns))
        chosen = sorted(children, key=lambda child: (-round(children[child][0], 12), child))
        if measured is not None:
            chosen = chosen[: TRIED * beam]
        worth = {child: measured(child) if measured else children[child][0] for child in chosen}
        frontier = sorted(chosen, key=lambda child: (-round(worth[child], 12), child))[:beam]
        parent |= {child: children[child][1] for child in frontier}
    path = [frontier[0]]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    return path[::-1]


def _least_squares(x: np.ndarray, y: np.ndarray) -> Expected:
    """Return the exact R² without each metric, from the inverse of the cross-products: b²/V is what it explains."""
    y = y - y.mean()
    gram, with_y, total = x.T @ x, x.T @ y, float(y @ y)

    def expected(sets: Sequence[Places]) -> np.ndarray:
        array = np.array(sets)
        ridge = RIDGE * len(y) * np.eye(array.shape[1])
        inverse = np.linalg.inv(gram[array[:, :, None], array[:, None, :]] + ridge)
        beta = np.einsum("mij,mj->mi", inverse, with_y[array])
        explained = np.einsum("mi,mi->m", beta, with_y[array])[:, None]
        return (explained - beta**2 / np.einsum("mii->mi", inverse)) / total

    return expected


def _logistic_search(x: np.ndarray, y: np.ndarray, beam: int) -> list[Places]:
    """Search by pseudo-R²; Wald's statistic says what to fit, least squares where the outcomes are separated."""
    least_squares = _least_squares(x, y)
    fit = cache(lambda columns: fitted(x[:, columns], y, "logistic"))

    def expected(sets: Sequence[Places]) -> np.ndarray:
        lines = []
        for columns in sets:
            result = fit(columns)
            fits = result is not None
            loglik = result.llf - result.tvalues[1:] ** 2 / 2 if fits else None
            lines.append(1 - loglik / result.llnull if fits else least_squares([columns])[0])
        return np.array(lines)

    def measured(columns: Places) -> float:
        result = fit(columns)
        return np.inf if result is None else 1 - result.llf / result.llnull

    return _search(expected, x.shape[1], beam, measured)
