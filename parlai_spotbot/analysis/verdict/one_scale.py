"""Whether matches agree with one strength of each contestant that stands still: tests of what the contrasts assume.

All are tests of scores under the fitted model, by flipping the signs of whole clusters (`uncertainty.sign_flips`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from parlai_spotbot.analysis.ranking.group_fit import PROFILED, GroupFit
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.sign_flips import ClusterScores, grouped_rows
from parlai_spotbot.analysis.values import ratio

KNOWN = 1e-3
"""A pair whose own matches keep less of their information beside the strengths can't disagree with them."""

EXPECTED, HARDLY = 3.0, 0.1
"""People who would judge both of two contestants by chance, and the share of them that is hardly anybody."""


def misfit_pvalue(fit: GroupFit) -> float:
    """Return the p, corrected for all pairs, of a pair's own matches telling another difference than its strengths do.

    1 where nothing can disagree: of two contestants, or of a group too large for it.
    """
    if fit.model is None or fit.size > PROFILED:
        return 1.0
    model, theta = fit.model, fit.estimates.values
    chances = np.exp(model.log_chances(theta))
    features = model.features(chances)
    pair = np.minimum(model.first, model.second) * fit.size + np.maximum(model.first, model.second)
    number = np.unique(pair, return_inverse=True)[1]
    sign = np.where(model.first < model.second, 1.0, -1.0)
    cells = len(model.n)
    own = np.zeros((number.max() + 1, cells))
    own[number, np.arange(cells)] = sign
    columns = [np.zeros((cells, 3)) for _ in range(model.parameters)]
    for place in range(fit.size):
        side = (model.first == place) * 1.0 - (model.second == place)
        columns[place] = features[0] * side[:, None]
    for place, feature in enumerate(features[1:], fit.size):
        columns[place] = feature
    score_of = np.stack(columns)
    weight = model.n[:, None] * chances
    shared = np.einsum("qm,mo,pmo->qp", own, weight * features[0], score_of)
    along = np.linalg.solve(model.information(chances), shared.T).T
    score = own[:, :, None] * features[0] - np.einsum("qp,pmo->qmo", along, score_of)
    information = (weight * score**2).sum(axis=(1, 2))
    alone = np.einsum("qm,mo->q", own**2, weight * features[0] ** 2)
    tested = information > KNOWN * alone
    if not tested.any():
        return 1.0
    cell, outcome = model.codes(*fit.codes)
    kind = 3 * cell + outcome
    p = np.zeros(int(tested.sum()))
    for way in fit.ways:
        counts, clusters = grouped_rows(way, kind, 3 * cells)
        sums = counts @ score[tested].reshape(len(p), -1).T
        p = np.maximum(p, ClusterScores.of(sums, np.zeros_like(sums), clusters).pvalues())
    return float(adjust(p).min())


def drift_pvalue(fit: GroupFit, later: np.ndarray) -> float:
    """Return the p, corrected for all contestants, of one's points in later matches (n,) being other than in earlier
    ones, beyond what the opponents explain."""
    if fit.model is None or not later.any() or later.all():
        return 1.0
    model = fit.model
    cell, outcome = model.codes(*fit.codes)
    feature = model.features(np.exp(model.log_chances(fit.estimates.values)))[0]
    residual = feature[cell, outcome]
    rows = np.arange(len(cell))
    sides = csr_array(
        (
            np.repeat([1.0, -1.0], len(rows)),
            (np.tile(rows, 2), np.concatenate([model.first[cell], model.second[cell]])),
        ),
        shape=(len(rows), fit.size),
    )
    half = np.where(later, 1.0, 0.0)
    met = np.abs(sides)
    mean = ratio(met.T @ half, met.T @ np.ones(len(rows)), 0.0)
    moved = sides.multiply(half[:, None]) - sides.multiply(mean[None, :])
    scores = csr_array(moved.multiply(residual[:, None]))
    p = np.zeros(fit.size)
    for way in fit.ways:
        groups = csr_array((np.ones(len(way)), (way, rows)), shape=(int(way.max()) + 1, len(rows)))
        sums = (groups @ scores).toarray()
        p = np.maximum(p, ClusterScores.of(sums, np.zeros_like(sums)).pvalues())
    return float(adjust(p).min())


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
    count = int(people.max()) + 1
    ends = np.concatenate([first, second])
    judged = csr_array((np.ones(len(ends)), (np.tile(people, 2), ends)), shape=(count, size))
    judged.sum_duplicates()
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
