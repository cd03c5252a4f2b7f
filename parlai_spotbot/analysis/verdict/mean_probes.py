"""Probes of means of groups: whether one annotator decides a difference, and whether a contestant changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.values import Interval, ratio
from parlai_spotbot.analysis.verdict.probe import GREEN, Probe
from parlai_spotbot.analysis.verdict.probes import changed_probe, decider_probe, later_half


def mean_decider(rows: pd.DataFrame, pairs: pd.DataFrame, clusters: Clusters, scale: Interval) -> Probe:
    """Probe whether one annotator decides a difference: how much smaller it is without them.

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
    """
    if clusters.workers is None or pairs.empty:
        return Probe("decider", GREEN, {})
    names, code = np.unique(rows["name"].to_numpy(dtype=str), return_inverse=True)
    first, second = (np.searchsorted(names, pairs[side].to_numpy(dtype=str)) for side in ("a", "b"))
    by_worker = rows["value"].groupby([clusters.workers, code])
    given = np.stack([by_worker.sum().unstack(fill_value=0), by_worker.size().unstack(fill_value=0)])
    means = ratio(*given.sum(axis=1))
    without = ratio(*(given.sum(axis=1, keepdims=True) - given))
    left = ratio(without[:, first] - without[:, second], means[first] - means[second], 1.0)
    alone = group_means(rows["value"], code, len(names), replace(clusters, workers=None), scale)
    tests = alone.contrasts(np.eye(len(names))[first] - np.eye(len(names))[second])
    return decider_probe(pairs, np.where(np.isfinite(left), 1 - left, 1.0).T, tests["p"].to_numpy())


def mean_drift(
    rows: pd.DataFrame, clusters: Clusters, scale: Interval, times: ArrayLike | None, questions: int = 1
) -> Probe:
    """Probe whether a mean moved, between the earlier and the later half, differently from the overall mean.

    Parameters
    ----------
    rows, clusters, scale
        As of `mean_decider`.
    times : sequence of float (n,), optional
        When each row was answered.
    questions : int
        Number of questions that are probed together.
    """
    names, code = np.unique(rows["name"].to_numpy(dtype=str), return_inverse=True)
    later = later_half(times)
    if later is None or len(names) < 2:
        return Probe("drift", GREEN, {"case": "unknown"})
    means = group_means(rows["value"], 2 * code + later, 2 * len(names), clusters, scale)
    both = np.flatnonzero(np.isfinite(means.values).reshape(-1, 2).all(axis=1))
    moved = np.zeros((len(both), 2 * len(names)))
    moved[:, 2 * both + 1] = np.eye(len(both)) - 1 / max(len(both), 1)
    moved[:, 2 * both] = -moved[:, 2 * both + 1]
    p = adjust_known(means.contrasts(moved)["p"])
    return changed_probe(min(1.0, questions * float(np.nanmin(p, initial=1.0))))
