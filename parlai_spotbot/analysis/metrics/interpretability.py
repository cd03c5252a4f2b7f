"""Do two people who know a metric's definition give the same answer? Krippendorff's alpha of each metric.

ABC-Eval 2022, section 7.1, Figure 12. The published values are those of the ordinal alpha for everything: for a label
that is there or not it is the nominal one, and for choices it is known from what was published that "neither" was taken
to lie between the two (their nominal figures differ). Both are given for choices. Intervals draw conversations, since
the turns of one conversation, judged by the same two people, hang together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.ordinal import alpha_of, ordinal_alpha

FEW = 30
"""Fewer conversations judged twice say little of an agreement."""


def interpretability(
    metrics: Sequence[Metric], rng_of: Callable[[str], np.random.Generator], replicates: int = 1000
) -> list[dict]:
    """One entry a metric: method, name, kind, alpha, ci, n (units judged twice), conversations, alike (the share of
    couples of answers that are the same), alpha_nominal (of choices), and why there is no alpha, if so."""
    return [_of(metric, rng_of(f"alpha {metric.key}"), replicates) for metric in metrics]


def _of(metric: Metric, rng: np.random.Generator, replicates: int) -> dict:
    rows = metric.rows
    values = rows["value"].astype(float)
    if metric.kind == CHOICE:  # the same two conversations may stand in either order
        turned = (rows["conversation_a"] > rows["conversation_b"]).to_numpy()
        values = values.where(~turned, -values)
        units = [" ".join(sorted(home.split("\t"))) for home in metric.homes]
        homes = units
    else:
        units, homes = rows["unit"].tolist(), metric.homes
    found = ordinal_alpha(units, values, homes, rng=rng, replicates=replicates, metric=metric.scale)
    several = _several(units)
    twice = {home for unit, home in zip(units, homes, strict=True) if unit in several}
    entry = {
        "method": metric.method, "name": metric.name, "kind": metric.kind, "scale": metric.scale,
        "alpha": found["alpha"], "ci": found["ci"], "n": found["units"], "conversations": len(twice),
        "alike": found["alike"],
    }  # fmt: skip
    if metric.kind == CHOICE and np.isfinite(found["alpha"]):
        entry["alpha_nominal"] = _nominal(units, values.to_numpy())
    return entry | ({"why": found["why"]} if "why" in found else {})


def _several(units: Sequence[str]) -> set[str]:
    seen: set[str] = set()
    return {unit for unit in units if unit in seen or seen.add(unit)}


def _nominal(units: Sequence[str], values: np.ndarray) -> float:
    kinds = {unit: i for i, unit in enumerate(dict.fromkeys(units))}
    levels, code = np.unique(values, return_inverse=True)
    table = np.zeros((len(kinds), len(levels)))
    np.add.at(table, ([kinds[unit] for unit in units], code), 1)
    return alpha_of(table, levels, "nominal")
