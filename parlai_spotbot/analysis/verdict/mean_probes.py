"""Probes of means of groups: whether one annotator decides a difference, and whether a contestant changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.values import Interval, ratio
from parlai_spotbot.analysis.verdict.probe import GREEN, Probe
from parlai_spotbot.analysis.verdict.probes import changed_probe, decider_probe, later_half


def mean_probes(
    rows: pd.DataFrame,
    pairs: pd.DataFrame,
    clusters: Clusters,
    scale: Interval,
    times: Sequence[float] | None,
    questions: int = 1,
) -> list[Probe]:
    """Return the probes of differences of means.

    Parameters
    ----------
    rows : frame
        One row a value: name (who it is about), value.
    pairs : frame
        One row a difference: a, b, p_errors (see `Estimates.contrasts`).
    clusters : Clusters
        Of the rows.
    scale : (float, float)
        The least and greatest value.
    times : sequence of float (n,), optional
        When each row was answered.
    questions : int
        So many questions are probed for a change together.
    """
    names = sorted(set(pairs["a"]) | set(pairs["b"]))
    place = {name: number for number, name in enumerate(names)}
    known = rows["name"].isin(names).to_numpy()
    code = rows["name"][known].map(place).to_numpy(dtype=int)
    values = rows["value"][known].to_numpy(dtype=float)
    kept = clusters.take(np.flatnonzero(known))
    when = None if times is None else np.asarray(times, dtype=float)[known]
    first, second = pairs["a"].map(place).to_numpy(dtype=int), pairs["b"].map(place).to_numpy(dtype=int)
    return [
        _decider(values, code, kept, scale, pairs, (first, second)),
        _drift(values, code, kept, scale, when, questions),
    ]


def _decider(
    values: np.ndarray,
    code: np.ndarray,
    clusters: Clusters,
    scale: Interval,
    pairs: pd.DataFrame,
    ends: tuple[np.ndarray, np.ndarray],
) -> Probe:
    """Probe whether one annotator decides a difference: how much smaller it is without them."""
    if clusters.workers is None or pairs.empty:
        return Probe("decider", GREEN, {})
    people, worker = np.unique(clusters.workers, return_inverse=True)
    size = int(code.max()) + 1
    cell = worker * size + code
    number = np.bincount(cell, minlength=len(people) * size).reshape(len(people), size)
    total = np.bincount(cell, values, len(people) * size).reshape(len(people), size)
    means = ratio(total.sum(axis=0), number.sum(axis=0))
    without = ratio(total.sum(axis=0) - total, number.sum(axis=0) - number)
    first, second = ends
    whole = means[first] - means[second]
    left = without[:, first] - without[:, second]
    share = np.where(np.isfinite(left), 1 - ratio(left, whole, 1.0), 1.0).T
    alone = group_means(values, code, size, replace(clusters, workers=None), scale)
    weights = np.eye(size)[first] - np.eye(size)[second]
    return decider_probe(pairs, share, alone.contrasts(weights)["p"].to_numpy())


def _drift(
    values: np.ndarray, code: np.ndarray, clusters: Clusters, scale: Interval, times: np.ndarray | None, questions: int
) -> Probe:
    """Probe whether a mean moved, between the earlier and the later half, otherwise than the means of all together."""
    later = later_half(times)
    if later is None:
        return Probe("drift", GREEN, {"case": "unknown"})
    size = int(code.max()) + 1
    means = group_means(values, 2 * code + later, 2 * size, clusters, scale)
    both = np.flatnonzero(np.isfinite(means.values).reshape(size, 2).all(axis=1))
    if len(both) < 2:
        return Probe("drift", GREEN, {"case": "unknown"})
    moved = np.zeros((len(both), 2 * size))
    moved[:, 2 * both + 1] = np.eye(len(both)) - 1 / len(both)
    moved[:, 2 * both] = -moved[:, 2 * both + 1]
    p = adjust_known(means.contrasts(moved)["p"].to_numpy())
    return changed_probe(min(1.0, questions * float(np.nanmin(p, initial=1.0))))
