"""Which metrics to buy for a budget: tasks are bought whole, and what a set of them is worth is what it foretells.

Every set of tasks is tried. Its worth is how well all of its metrics foretell the quality of conversations that they
were not fitted to (cross-validated R², people who led conversations kept together), by ridge regression that counts as
if as many conversations as there are metrics had said that nothing matters: so a set of many metrics isn't punished for
its useless ones. Sums of cross-products per fold do for all sets and all bootstrap replicates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.metrics.frame import Metric
from parlai_spotbot.analysis.metrics.regression import constant
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.uncertainty.clusters import codes_of

MOST = 14
"""Tasks of which all sets are tried; of more, those that foretell least by themselves are left out first."""

MANY = 10
"""From so many tasks on folds are drawn once, not `REPEATS` times."""

FOLDS, REPEATS = 5, 5
BOOTSTRAPPED = 40
"""Of so many sets, the best for their price, it is known how uncertain they are."""

FEWEST = 20
"""With fewer conversations nothing is recommended."""

TOO_FEW = "only {n} conversations were judged in all tasks and rated by whoever led them; {least} are the least"
NOTHING = "no set that can be paid for foretells quality better than its mean does"


@dataclass(frozen=True)
class Folds:
    """Sums of cross-products (replicates, folds, p + 2, p + 2) of the intercept, p metrics and the outcome, last."""

    products: np.ndarray

    def r2(self, columns: Sequence[int]) -> np.ndarray:
        """Cross-validated R² (replicates,) of the metrics at `columns` (from 0)."""
        own = np.array([0, *(1 + c for c in columns)])
        y = self.products.shape[-1] - 1
        train = self.products.sum(axis=1, keepdims=True) - self.products
        left = train[..., own[:, None], own]
        left = left + np.diag([1e-9] + [float(max(len(columns), 1))] * len(columns))
        beta = np.linalg.solve(left, train[..., own, y][..., None])[..., 0]
        held = self.products
        right = held[..., own, y]
        quadratic = np.einsum("rfi,rfij,rfj->rf", beta, held[..., own[:, None], own], beta)
        error = held[..., y, y] - 2 * np.einsum("rfi,rfi->rf", beta, right) + quadratic
        mean = train[..., 0, y] / np.maximum(train[..., 0, 0], 1e-9)
        total = held[..., y, y] - 2 * mean * held[..., 0, y] + mean**2 * held[..., 0, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = 1 - error.sum(axis=1) / total.sum(axis=1)
        return np.where(total.sum(axis=1) > 1e-9, found, np.nan)


def folds_of(
    x: np.ndarray, y: np.ndarray, who: np.ndarray, weights: np.ndarray, rng: np.random.Generator, folds: int = FOLDS
) -> Folds:
    """The folds of x (n, p) and y (n,), rows counted by weights (replicates, n), people (n,) kept together."""
    codes = codes_of(who)
    if codes.max() + 1 < 2 * folds:
        codes = np.arange(len(y))
    fold = rng.permutation(np.arange(codes.max() + 1) % folds)[codes]
    every = np.column_stack([np.ones(len(y)), x, y])
    products = np.empty((len(weights), folds, every.shape[1], every.shape[1]))
    for place in range(folds):
        own = every[fold == place]
        products[:, place] = np.einsum("rn,ni,nj->rij", weights[:, fold == place], own, own, optimize=True)
    return Folds(products)


def recommend(
    table: pd.DataFrame,
    metrics: Sequence[Metric],
    price: Mapping[str, float],
    *,
    budget: float | None = None,
    presets: Mapping[str, Sequence[str]] | None = None,
    rng: np.random.Generator,
    replicates: int = 200,
) -> dict:
    """What to buy.

    Parameters
    ----------
    table : frame
        See `rating_table`, or `choice_table`; rows without one of the tasks' metrics are left out.
    metrics : sequence of Metric
        Those to choose from, grouped by their tasks; overall quality is left out.
    price : mapping
        task -> what it costs for the study that is planned; tasks without a price are left out.
    budget : float, optional
        What may be spent; without one only the frontier is told.
    presets : mapping, optional
        name -> metrics' keys, valued beside the sets.

    Returns
    -------
    dict
        n, interactors; `tasks` [{task, metrics, cost, r2, ci, per_cost}] each alone; `sets` [{tasks, cost, r2, ci}]
        that no cheaper set beats, cheapest first; `recommended` for the budget, with `chosen` (in how many replicates
        it is the best) and `shares` {task: in how many the best set has it}; `alike`: the cheapest set that can't be
        told apart from it; `presets`; `left_out` tasks; `why` where nothing can be said.
    """
    kept, left_out = _usable(table, metrics, price)
    own = table[["outcome", "worker_id", *(m.key for m in kept)]].dropna()
    found = {"n": len(own), "interactors": int(own["worker_id"].nunique()), "left_out": left_out, "budget": budget}
    if not kept:
        return found | {"why": "no task has both a price and metrics of rated conversations"}
    if len(own) < FEWEST or constant(own["outcome"].to_numpy(float)):
        return found | {"why": TOO_FEW.format(n=len(own), least=FEWEST)}
    keys = [m.key for m in kept if not constant(own[m.key].to_numpy(float))]
    kept = [m for m in kept if m.key in keys]
    if not kept:
        return found | {"why": "no metric of any task varies between these conversations"}
    x = own[keys].to_numpy(float)
    x, y = (x - x.mean(axis=0)) / x.std(axis=0), own["outcome"].to_numpy(float)
    y, who = y - y.mean(), own["worker_id"].to_numpy(object)
    members: dict[str, list[int]] = {}
    for metric in kept:
        members.setdefault(metric.task, []).append(keys.index(metric.key))
    whole = [folds_of(x, y, who, np.ones((1, len(y))), rng) for _ in range(REPEATS if len(members) <= MANY else 1)]

    def worth(columns: Sequence[int]) -> float:
        return float(np.mean([folds.r2(columns)[0] for folds in whole]))

    alone = {task: worth(columns) for task, columns in members.items()}
    if len(members) > MOST:
        weakest = sorted(members, key=lambda task: alone[task])[: len(members) - MOST]
        found["left_out"] = {**left_out, **dict.fromkeys(weakest, "too many tasks to try all sets; foretells little")}
        members = {task: columns for task, columns in members.items() if task not in weakest}
    sets = _all_sets(members, price, worth)
    people = ClusterBootstrap(who, rng=rng, replicates=replicates)
    drawn = folds_of(x, y, who, people.samples(lambda weights: weights), rng)
    columns = _preset_columns(presets or {}, keys)
    return found | _chosen(sets, members, price, budget, drawn, people, alone, columns, worth)


def _usable(
    table: pd.DataFrame, metrics: Sequence[Metric], price: Mapping[str, float]
) -> tuple[list[Metric], dict[str, str]]:
    """Metrics of tasks that can be bought, and why the others can't."""
    kept, left_out = [], {}
    for metric in metrics:
        if metric.quality or metric.key not in table or not table[metric.key].notna().any():
            continue
        if np.isfinite(price.get(metric.task, np.nan)):
            kept.append(metric)
        else:
            left_out[metric.task] = "its time isn't known"
    return kept, left_out


def _all_sets(members: Mapping[str, Sequence[int]], price: Mapping[str, float], worth) -> list[dict]:
    """Every set of tasks with its price and worth, cheapest first."""
    tasks = list(members)
    found = []
    for size in range(1, len(tasks) + 1):
        for chosen in combinations(tasks, size):
            columns = [c for task in chosen for c in members[task]]
            found.append({"tasks": list(chosen), "cost": float(sum(price[t] for t in chosen)), "r2": worth(columns)})
    return sorted(found, key=lambda own: (own["cost"], -own["r2"]))


def _frontier(sets: Sequence[dict]) -> list[dict]:
    best, kept = -np.inf, []
    for own in sets:
        if own["r2"] > best + 1e-9 and own["r2"] > 0:
            best = own["r2"]
            kept.append(own)
    return kept


def _preset_columns(presets: Mapping[str, Sequence[str]], keys: Sequence[str]) -> dict[str, list[int]]:
    return {name: [keys.index(k) for k in own] for name, own in presets.items() if own and set(own) <= set(keys)}


def _chosen(
    sets: Sequence[dict],
    members: Mapping[str, Sequence[int]],
    price: Mapping[str, float],
    budget: float | None,
    drawn: Folds,
    people: ClusterBootstrap,
    alone: Mapping[str, float],
    presets: Mapping[str, Sequence[int]],
    worth,
) -> dict:
    samples: dict[tuple[str, ...], np.ndarray] = {}

    def known(tasks: Sequence[str]) -> np.ndarray:
        key = tuple(tasks)
        if key not in samples:
            samples[key] = drawn.r2([c for task in tasks for c in members[task]])
        return samples[key]

    def with_ci(own: dict) -> dict:
        # The bootstrap says how far the worth varies, not where it is: a sample drawn with replacement is foretold
        # otherwise than one drawn anew.
        return {**own, "ci": people.interval(own["r2"], known(own["tasks"])).tolist()}

    frontier = _frontier(sets)
    result = {
        "tasks": [
            {
                "task": task,
                "metrics": len(members[task]),
                "cost": float(price[task]),
                "r2": alone[task],
                "ci": with_ci({"tasks": [task], "r2": alone[task]})["ci"],
                "per_cost": max(alone[task], 0.0) / price[task] if price[task] > 0 else np.nan,
            }
            for task in members
        ],
        "sets": [with_ci(own) for own in frontier[-BOOTSTRAPPED:]],
        "tried": len(sets),
        "presets": {name: {"r2": worth(columns), "metrics": len(columns)} for name, columns in presets.items()},
    }
    if budget is None:
        return result
    affordable = [own for own in sets if own["cost"] <= budget]
    if not affordable:
        cheapest = min(sets, key=lambda own: own["cost"])
        return result | {"recommended": None, "cheapest": cheapest["cost"]}
    best = max(affordable, key=lambda own: (own["r2"], -own["cost"]))
    if best["r2"] <= 0:
        return result | {"recommended": None, "nothing": NOTHING}
    rivals = sorted(affordable, key=lambda own: -own["r2"])[:BOOTSTRAPPED]
    rivals += [own for own in _frontier(affordable) if own not in rivals]
    scores = np.array([known(own["tasks"]) for own in rivals])
    usable = np.isfinite(scores).all(axis=0)
    winners = scores[:, usable].argmax(axis=0)
    place = rivals.index(best)
    gap = scores[place, usable] - scores[:, usable]
    apart = gap.std(axis=1, ddof=1) if usable.sum() > 1 else np.zeros(len(rivals))
    near = [own for own, sd in zip(rivals, apart, strict=True) if best["r2"] - own["r2"] <= sd]
    cheap = min(near, key=lambda own: own["cost"])
    shares = {
        task: float(np.mean([task in rivals[w]["tasks"] for w in winners])) if len(winners) else np.nan
        for task in members
    }
    return result | {
        "recommended": {
            **with_ci(best),
            "chosen": float((winners == place).mean()) if len(winners) else np.nan,
            "shares": shares,
        },
        "alike": with_ci(cheap) if cheap["tasks"] != best["tasks"] else None,
    }
