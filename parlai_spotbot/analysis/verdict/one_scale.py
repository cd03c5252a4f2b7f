"""Tests of what the contrasts assume: each contestant has one strength, which stays the same.

All are tests of scores under the fitted model, by flipping the signs of whole clusters (`uncertainty.sign_flips`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from parlai_spotbot.analysis.ranking.contrasts import Contrasts
from parlai_spotbot.analysis.ranking.group_fit import PROFILED, GroupFit
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.sign_flips import ClusterScores, cluster_sums, grouped_rows

KNOWN = 1e-3
"""A pair whose own matches keep less of their information beside the strengths can't disagree with them."""

SUMS = 1 << 22
"""Sums of scores by cluster held in memory at a time (32 MiB)."""

EXPECTED = 3.0
HARDLY = 0.1
"""People who would judge both of two contestants by chance, and the share of them that is hardly anybody."""


def misfit_pvalue(fit: Contrasts) -> float:
    """Return the least p of the groups' own matches telling other differences than their strengths do."""
    return min(_group_misfit(group) for group in fit.fits)


def _group_misfit(fit: GroupFit) -> float:
    """Return the p, corrected for all pairs, of a pair's own matches telling another difference than its strengths do.

    1 where nothing can disagree: of two contestants, or of a group too large for it.
    """
    if fit.solution is None or fit.size > PROFILED:
        return 1.0
    model = fit.solution.model
    chances = np.exp(model.log_chances(fit.solution.theta))
    pair = np.minimum(model.first, model.second) * fit.size + np.maximum(model.first, model.second)
    number = np.unique(pair, return_inverse=True)[1]
    cells = len(number)
    rows = model.row_scores(chances)
    sign = np.repeat(np.where(model.first < model.second, 1.0, -1.0), 3)
    points = sign * model.residuals(chances)[..., 0].ravel()
    indicator = csr_array((points, (np.arange(3 * cells), np.repeat(number, 3))), shape=(3 * cells, number.max() + 1))
    weight = (model.n[:, None] * chances).ravel()
    shared = rows.T @ (weight[:, None] * indicator)
    score = indicator - rows @ np.linalg.solve(model.invertible(chances), shared.toarray())
    tested = weight @ score**2 > KNOWN * (weight @ indicator**2)
    if not tested.any():
        return 1.0
    kinds = model.kinds(*fit.codes)
    score = score[:, tested]
    return _least([_flipped(*grouped_rows(way, kinds, 3 * cells), score) for way in fit.ways])


def _flipped(counts: csr_array, clusters: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return the p (q,) of hypotheses with scores (kinds, q) by flipping clusters' signs, some hypotheses at a time."""
    step = max(1, SUMS // max(1, len(clusters)))
    pvalues = []
    for start in range(0, score.shape[1], step):
        sums = counts @ score[:, start : start + step]
        pvalues.append(ClusterScores.from_fit(sums, weight=clusters).pvalues())
    return np.concatenate(pvalues)


def drift_pvalue(fit: GroupFit, later: np.ndarray) -> float:
    """Return the p, corrected for all contestants, of one's points in later matches (n,) being other than in earlier
    ones, beyond what the opponents explain."""
    if fit.solution is None or not later.any() or later.all():
        return 1.0
    model = fit.solution.model
    points = model.residuals(np.exp(model.log_chances(fit.solution.theta)))[..., 0].ravel()
    kind = np.arange(2 * len(points))  # of each cell and outcome the earlier matches and the later ones
    kinds = 2 * model.kinds(*fit.codes) + later
    number = np.tile(np.bincount(kinds, minlength=len(kind)), 2)
    ends = np.concatenate([model.first[kind // 6], model.second[kind // 6]])
    half = np.tile(kind % 2, 2)
    share = np.bincount(ends, number * half, fit.size) / np.bincount(ends, number, fit.size)
    points = points[kind // 2]
    scores = cluster_sums(np.concatenate([points, -points]) * (half - share[ends]), np.tile(kind, 2), ends, fit.size)
    flipped = []
    for way in fit.ways:
        counts, weight = grouped_rows(way, kinds, len(kind))
        flipped.append(ClusterScores.from_entries(counts @ scores, weight).pvalues())
    return _least(flipped)


def _least(ways: Sequence[np.ndarray]) -> float:
    """Return the least of the hypotheses' adjusted p, each the greatest of those (q,) of all ways of clustering."""
    return float(adjust(np.max(ways, axis=0)).min())


def separate_people(
    first: np.ndarray, second: np.ndarray, people: np.ndarray, pairs: Sequence[np.ndarray]
) -> np.ndarray:
    """Return which pairs of contestants that never met (2, q) were judged by different people.

    That is where hardly anybody judged matches of both, though by chance `EXPECTED` or more would have. Who judges but
    once can't judge both, and shows nothing.

    Parameters
    ----------
    first, second, people : arrays of int (n,)
        Of each match the contestants and the annotator.
    """
    size = int(max(first.max(), second.max())) + 1
    ends = np.concatenate([first, second])
    judged = cluster_sums(np.ones(len(ends)), np.tile(people, 2), ends, size)
    judged.data = np.ones_like(judged.data)
    both = (judged.T @ judged).toarray()
    share = np.bincount(ends, minlength=size) / len(first)
    matches, annotators = np.unique(np.bincount(people), return_counts=True)
    i, j = pairs
    expected = np.zeros(len(i))
    for number, times in zip(matches, annotators, strict=True):
        neither = np.maximum(1 - share[i] - share[j], 0.0) ** number
        expected += times * (1 - (1 - share[i]) ** number - (1 - share[j]) ** number + neither)
    expected = np.round(expected, 9)
    return (expected >= EXPECTED) & (both[i, j] <= HARDLY * expected)
