"""Incremental validity: backward removal of a method's metrics.

ABC-Eval 2022, section 7.4, Figure 3: all metrics of a method but overall quality explain the outcome together; then one
after the other is removed, each time the one without which R² (or McFadden's pseudo-R²) is largest. A beam keeps the
best sets of each size. What a set loses without one metric follows from its own fit: exactly for least squares; for
logistic models Wald's statistic chooses which to fit.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from parlai_spotbot.analysis.metrics.regression import CONSTANT, constant, fitted, obstacle, regress

BEAM = 100
RIDGE = 1e-12
"""Relative size of the ridge that allows metrics which repeat each other."""

TRIED = 3
"""Logistic models fitted at each size, as a multiple of the beam."""

Places = tuple[int, ...]
Expected = Callable[[Sequence[Places]], np.ndarray]
"""Sets of one size (m of k metrics) -> R² (m, k) of each set without each of its metrics."""


def removal(x: np.ndarray, y: np.ndarray, names: Sequence[str], model: str, beam: int = BEAM) -> dict:
    """Remove the columns of x (n, p), rows complete, one by one from the regression of y (n,) by `model`.

    Returns
    -------
    dict
        `n`; `steps` from all metrics down to one [{metrics, r2, adjusted, removed}]; `constant`, metrics that do not
        vary and are left out; `why` if nothing could be fitted.
    """
    flat = [constant(column) for column in x.T]
    result = {"n": len(y), "steps": [], "constant": [name for name, same in zip(names, flat, strict=True) if same]}
    x = x[:, ~np.array(flat)]
    names = [name for name, same in zip(names, flat, strict=True) if not same]
    why = obstacle(x, y) if names else CONSTANT
    if why:
        return result | {"why": why}
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    path = _search(_least_squares(x, y), x.shape[1], beam) if model == "linear" else _logistic_search(x, y, beam)
    for columns, after in pairwise([*path, ()]):
        fit = regress(x[:, columns], y, model)
        gone = next((names[place] for place in columns if after and place not in after), None)
        step = {"metrics": [names[place] for place in columns], "r2": fit.r2, "adjusted": fit.adjusted, "removed": gone}
        result["steps"].append(step)
    return result


def _search(
    expected: Expected, count: int, beam: int, measured: Callable[[Places], float] | None = None
) -> list[Places]:
    """Return the sets from all metrics to the best single one, each without one metric of the set before.

    `measured` is the R² by which the sets that are expected to be best are compared, infinite for outcomes that a set
    separates: such sets stay in the beam, to lose further metrics. By default it is what is expected.
    """
    start = tuple(range(count))
    paths: dict[Places, list[Places]] = {start: [start]}
    worth: dict[Places, float] = {start: np.inf}
    for _ in range(count - 1):
        # If several sets lead to the same one, the path keeps the best whose R² is known.
        frontier = sorted(paths, key=lambda columns: (np.isinf(worth[columns]), -round(worth[columns], 12), columns))
        children: dict[Places, tuple[float, list[Places]]] = {}
        for columns, line in zip(frontier, expected(frontier), strict=True):
            for place, value in enumerate(line):
                children.setdefault(columns[:place] + columns[place + 1 :], (float(value), paths[columns]))
        chosen = sorted(children, key=lambda child: (-round(children[child][0], 12), child))
        if measured is None:
            worth = {child: children[child][0] for child in chosen}
        else:
            worth = {child: measured(child) for child in chosen[: TRIED * beam]}
        kept = sorted(worth, key=lambda child: (-round(worth[child], 12), child))[:beam]
        paths = {child: [*children[child][1], child] for child in kept}
    return next(iter(paths.values()))


def _least_squares(x: np.ndarray, y: np.ndarray) -> Expected:
    """Return the exact R² without each metric, from the inverse of the cross-products: b²/V is what it explains."""
    y = y - y.mean()
    gram = x.T @ x
    with_y = x.T @ y
    total = float(y @ y)

    def expected(sets: Sequence[Places]) -> np.ndarray:
        array = np.array(sets)
        ridge = RIDGE * len(y) * np.eye(array.shape[1])
        inverse = np.linalg.inv(gram[array[:, :, None], array[:, None, :]] + ridge)
        beta = np.einsum("mij,mj->mi", inverse, with_y[array])
        explained = np.einsum("mi,mi->m", beta, with_y[array])[:, None]
        return (explained - beta**2 / np.einsum("mii->mi", inverse)) / total

    return expected


def _logistic_search(x: np.ndarray, y: np.ndarray, beam: int) -> list[Places]:
    """Search by pseudo-R²; Wald's statistic chooses what to fit, or least squares if the outcomes are separated."""
    least_squares = _least_squares(x, y)
    fit = cache(lambda columns: fitted(x[:, columns], y, "logistic"))

    def without_each(columns: Places) -> np.ndarray:
        result = fit(columns)
        if result is None:
            return least_squares([columns])[0]
        return 1 - (result.llf - result.tvalues[1:] ** 2 / 2) / result.llnull

    def measured(columns: Places) -> float:
        result = fit(columns)
        return np.inf if result is None else 1 - result.llf / result.llnull

    return _search(lambda sets: np.array(list(map(without_each, sets))), x.shape[1], beam, measured)
