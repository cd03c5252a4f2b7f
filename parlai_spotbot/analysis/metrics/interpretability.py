"""Do two people who know a metric's definition give the same answer? Krippendorff's alpha of each metric.

ABC-Eval 2022, section 7.1, Figure 12. The published values are those of the ordinal alpha for everything: for a label
that is there or not it is the nominal one, and for choices it is known from what was published that "neither" was taken
to lie between the two (their nominal figures differ). Both are given for choices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters

FEW = 30
"""Fewer conversations judged twice say little of an agreement."""


def interpretability(metrics: Sequence[Metric], crossed: bool = True) -> list[dict]:
    """One entry a metric: method, name, kind, alpha, ci, n (units judged twice), conversations, alike (the share of
    couples of answers that are the same), alpha_nominal (of choices), and why there is no alpha, if so. `crossed`:
    annotators are a sample, too."""
    return [_of(metric, crossed) for metric in metrics]


def _of(metric: Metric, crossed: bool) -> dict:
    rows = metric.rows
    values = rows["value"].astype(float)
    if metric.kind == CHOICE:  # the same two conversations may be in either order
        turned = (rows["conversation_a"] > rows["conversation_b"]).to_numpy()
        values = values.where(~turned, -values)
        units = [" ".join(sorted(home.split("\t"))) for home in metric.homes]
        homes = units
    else:
        units, homes = rows["unit"].tolist(), metric.homes
    clusters = Clusters.of(
        [home.split("\t")[: 1 + (metric.kind == CHOICE)] for home in metric.homes],
        rows["worker_id"] if crossed else None,
    )
    alpha = krippendorff_alpha(units, values, clusters, metric.scale)
    several = _several(units)
    twice = {home for unit, home in zip(units, homes, strict=True) if unit in several}
    entry = {
        "method": metric.method,
        "name": metric.name,
        "kind": metric.kind,
        "scale": metric.scale,
        "alpha": alpha["alpha"],
        "ci": alpha["ci"],
        "n": alpha["units"],
        "conversations": len(twice),
        "alike": alpha["alike"],
    }
    if metric.kind == CHOICE and np.isfinite(alpha["alpha"]):
        entry["alpha_nominal"] = krippendorff_alpha(units, values, clusters)["alpha"]
    return entry | ({"why": alpha["why"]} if "why" in alpha else {})


def _several(units: Sequence[str]) -> set[str]:
    seen: set[str] = set()
    return {unit for unit in units if unit in seen or seen.add(unit)}
