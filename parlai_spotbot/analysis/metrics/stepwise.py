"""Which metrics of a method add something to the others? Backward removal by beam search, and every subset beside.

ABC-Eval 2022, section 7.4, Figure 3: all metrics of a method but overall quality explain the outcome together; then one
after the other goes, each time the one without which the adjusted R² (or McFadden's adjusted pseudo-R²) is best. The
beam keeps the best sets of each size, each set once, however it was come by. Least squares cost nothing: what a set
loses by one metric is read off the inverse of its cross-products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from parlai_spotbot.analysis.metrics.regression import (
    CONSTANT,
    FEW,
    FLAT_OUTCOME,
    SUSPECT,
    constant,
    newton,
    null_loglik,
    separated,
)

BEAM = 100
EXACT = 15
"""Up to so many metrics all subsets are tried, too."""

CLOSE = 1e-9
TRIED = 3
"""Of logistic models so many times the beam are fitted: those that Wald's statistic says to lose least."""

RIDGE = 1e-10


@dataclass(frozen=True)
class Step:
    """A set of metrics: `names`, how well they do together (`r2`, `adjusted`), and which one goes next (`removed`)."""

    names: tuple[str, ...]
    r2: float
    adjusted: float
    removed: str | None


@dataclass(frozen=True)
class Removal:
    """`steps` from all metrics down to one; `best` {size: the best set found of that size}; `exact` the same by all
    subsets, where they are few enough; `constant` metrics that were left out since they don't vary."""

    n: int
    steps: tuple[Step, ...]
    best: dict[int, Step]
    exact: dict[int, Step]
    constant: tuple[str, ...] = ()
    why: str = ""


Scores = Callable[[np.ndarray], np.ndarray]
"""Sets of one size, (m, k) places of metrics -> their R² (m,); NaN where there is none."""


def removal(
    x: np.ndarray, y: np.ndarray, names: Sequence[str], model: str, beam: int = BEAM, exact: bool = False
) -> Removal:
    """Backward removal from all columns of x (n, p), rows complete, for the outcome y (n,).

    `model` is "linear" or "logistic". Too few rows, an outcome that doesn't vary or one metric alone are told in `why`.
    """
    if beam < 1:
        raise ValueError(f"beam is {beam}, expected a whole number from 1 up")
    if model not in ("linear", "logistic"):
        raise ValueError(f"model is {model!r}, expected linear or logistic")
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    flat = [i for i, column in enumerate(x.T) if constant(column)]
    kept = [i for i in range(x.shape[1]) if i not in flat]
    lost = tuple(names[i] for i in flat)
    names = tuple(names[i] for i in kept)
    x = x[:, kept]
    n, p = x.shape
    why = ""
    if not p:
        why = CONSTANT
    elif n < p + 3:
        why = FEW.format(n=n, k=p)
    elif constant(y):
        why = FLAT_OUTCOME
    if why:
        return Removal(n, (), {}, {}, lost, why)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    search = _Linear(x, y) if model == "linear" else _Logistic(x, y)
    steps, best = _beam(search, names, beam)
    found = _exact(search, names) if exact and p <= EXACT else {}
    return Removal(n, steps, best, found, lost)


class _Linear:
    """Least squares on centred columns by their cross-products."""

    def __init__(self, x: np.ndarray, y: np.ndarray):
        self.n, self.p = x.shape
        y = y - y.mean()
        self.gram, self.with_y, self.total = x.T @ x, x.T @ y, float(y @ y)

    def r2(self, sets: np.ndarray) -> np.ndarray:
        """R² (m,) of sets (m, k). Columns that repeat others add nothing, and do no harm."""
        if sets.shape[1] == 0:
            return np.zeros(len(sets))
        own = self.gram[sets[:, :, None], sets[:, None, :]]
        right = self.with_y[sets]
        inverse = np.linalg.pinv(own, rcond=RIDGE, hermitian=True)
        return np.clip(np.einsum("mi,mij,mj->m", right, inverse, right) / self.total, 0.0, 1.0)

    def without_one(self, sets: np.ndarray) -> np.ndarray:
        """R² (m, k) of each set less each of its columns: b²/V is what goes (the inverse's downdate)."""
        own = self.gram[sets[:, :, None], sets[:, None, :]]
        right = self.with_y[sets]
        clear = np.linalg.cond(own) < 1e8
        result = np.empty(sets.shape)
        if clear.any():
            inverse = np.linalg.inv(own[clear])
            beta = np.einsum("mij,mj->mi", inverse, right[clear])
            explained = np.einsum("mi,mi->m", beta, right[clear])
            result[clear] = (explained[:, None] - beta**2 / np.einsum("mii->mi", inverse)) / self.total
        for row in np.flatnonzero(~clear):
            result[row] = self.r2(np.array([np.delete(sets[row], j) for j in range(sets.shape[1])]))
        return np.clip(result, 0.0, 1.0)

    def adjusted(self, r2: np.ndarray, k: int) -> np.ndarray:
        return 1 - (1 - r2) * (self.n - 1) / (self.n - k - 1)


class _Logistic:
    """Logistic regression on standardized columns; NaN where outcomes are separated."""

    def __init__(self, x: np.ndarray, y: np.ndarray):
        self.n, self.p = x.shape
        self.design, self.y = np.column_stack([np.ones(self.n), x]), y
        self.null = null_loglik(y)
        self.known: dict[tuple[int, ...], tuple[np.ndarray, float]] = {}
        self.guide = _Linear(x, y)

    def _fit(self, own: tuple[int, ...], start: np.ndarray | None = None) -> tuple[np.ndarray, float]:
        if own not in self.known:
            design = self.design[:, [0, *(i + 1 for i in own)]]
            beta, loglik = newton(design, self.y, start)
            if np.abs(design @ beta).max() >= SUSPECT and separated(design, self.y):
                loglik = np.nan
            self.known[own] = (beta, loglik)
        return self.known[own]

    def r2(self, sets: np.ndarray) -> np.ndarray:
        return np.array([1 - self._fit(tuple(own))[1] / self.null for own in sets.tolist()])

    def without_one(self, sets: np.ndarray) -> np.ndarray:
        """What Wald's statistic expects of R² without each column: only to choose which to fit."""
        result = np.empty(sets.shape)
        for row, own in enumerate(sets.tolist()):
            beta, loglik = self._fit(tuple(own))
            if not np.isfinite(loglik):  # there least squares are the guide
                result[row] = self.guide.without_one(sets[row : row + 1])[0]
                continue
            design = self.design[:, [0, *(i + 1 for i in own)]]
            chance = 1 / (1 + np.exp(-np.clip(design @ beta, -SUSPECT * 3, SUSPECT * 3)))
            hessian = (design * (chance * (1 - chance))[:, None]).T @ design
            variance = np.diag(np.linalg.pinv(hessian, hermitian=True))[1:]
            result[row] = 1 - (loglik - beta[1:] ** 2 / np.maximum(variance, 1e-12) / 2) / self.null
        return result

    def adjusted(self, r2: np.ndarray, k: int) -> np.ndarray:
        return np.asarray(r2) + k / self.null


def _beam(search: _Linear | _Logistic, names: tuple[str, ...], beam: int) -> tuple[tuple[Step, ...], dict[int, Step]]:
    """The steps of the path that ends in the best single metric, and the best set of each size."""
    p = search.p
    full = tuple(range(p))
    r2 = {full: float(search.r2(np.array([full]))[0])}
    parent: dict[tuple[int, ...], tuple[int, ...]] = {}
    frontier, best = [full], {p: full}
    for size in range(p - 1, 0, -1):
        expected = search.without_one(np.array(frontier))
        children: dict[tuple[int, ...], tuple[float, float, tuple[int, ...]]] = {}
        for own, line in zip(frontier, expected, strict=True):
            for place, value in enumerate(line):
                child = own[:place] + own[place + 1 :]
                # Of several ways to one set the path keeps the one that had the better set before.
                before = r2[own] if np.isfinite(r2[own]) else -np.inf
                if child not in children or before > children[child][0] + CLOSE:
                    children[child] = (before, float(value), own)
        chosen = sorted(children, key=lambda child: (-round(children[child][1], 12), child))
        if isinstance(search, _Logistic):
            some = any(np.isfinite(r2[own]) for own in frontier)
            chosen = chosen[: TRIED * beam if some else max(1, beam // TRIED)]
        values = search.r2(np.array(chosen)) if isinstance(search, _Logistic) else [children[c][1] for c in chosen]
        r2.update(zip(chosen, map(float, values), strict=True))
        # Sets without a value (separated) come first to be thinned out: they explain "everything".
        known = [c for c in chosen if np.isfinite(r2[c])]
        ranked = [c for c in chosen if not np.isfinite(r2[c])] + sorted(known, key=lambda c: (-round(r2[c], 12), c))
        frontier = ranked[:beam]
        parent.update((child, children[child][2]) for child in frontier)
        best[size] = frontier[0]
    path = [frontier[0]]
    while path[-1] in parent:
        path.append(parent[path[-1]])
    path = path[::-1]
    gone = [next(i for i in own if i not in after) for own, after in pairwise(path)]
    steps = [_step(search, names, own, r2[own], out) for own, out in zip(path, [*gone, None], strict=True)]
    return tuple(steps), {size: _step(search, names, own, r2[own], None) for size, own in best.items()}


def _step(
    search: _Linear | _Logistic, names: tuple[str, ...], own: tuple[int, ...], r2: float, removed: int | None
) -> Step:
    adjusted = float(search.adjusted(np.array([r2]), len(own))[0])
    return Step(tuple(names[i] for i in own), r2, adjusted, None if removed is None else names[removed])


def _exact(search: _Linear | _Logistic, names: tuple[str, ...]) -> dict[int, Step]:
    """The best set of each size among all subsets."""
    found = {}
    for size in range(1, search.p + 1):
        sets = np.array(list(combinations(range(search.p), size)))
        values = search.r2(sets)
        if np.isfinite(values).any():
            place = int(np.nanargmax(values))
            found[size] = _step(search, names, tuple(sets[place].tolist()), float(values[place]), None)
    return found
