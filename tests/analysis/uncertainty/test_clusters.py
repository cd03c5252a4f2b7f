"""Crossed clusters against the sum over couples that defines them, the one-way formula, and simulations."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.clustered import clustered_mean
from parlai_spotbot.analysis.uncertainty.clusters import Clusters, frame_clusters, group_means


def couples(scores, sets, workers=None):
    """The definition: products of all couples of rows that share a conversation or an annotator."""
    total = np.zeros((scores.shape[1],) * 2)
    for i in range(len(scores)):
        for j in range(len(scores)):
            if sets[i] & sets[j] or (workers is not None and workers[i] == workers[j]):
                total += np.outer(scores[i], scores[j])
    return total


def test_sums_over_clusters_are_those_over_couples():
    rng = np.random.default_rng(0)
    n = 90
    pairs = [(f"c{rng.integers(12)}", f"c{rng.integers(12)}") for _ in range(n)]
    workers = rng.integers(0, 9, n)
    scores = rng.normal(size=(n, 3))
    clusters = Clusters.of(pairs, workers)
    sets = [set(pair) for pair in pairs]
    np.testing.assert_allclose(clusters._conversations(scores), couples(scores, sets), atol=1e-9)
    both = couples(scores, sets, workers)
    ours = clusters._conversations(scores) - clusters._within_workers(scores)
    for code in np.unique(workers):
        ours += np.outer(scores[workers == code].sum(axis=0), scores[workers == code].sum(axis=0))
    np.testing.assert_allclose(ours, both, atol=1e-9)


def test_rows_that_share_nothing_give_the_usual_standard_error():
    values = np.random.default_rng(1).normal(size=40)
    clusters = Clusters.of([(f"a{i}", f"b{i}") for i in range(40)], [f"w{i}" for i in range(40)])
    assert clusters.independent
    assert clusters.effective == pytest.approx(40)
    mean = group_means(values, np.zeros(40, dtype=int), 1, clusters)
    assert np.sqrt(mean.covariance[0, 0]) == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def test_one_and_two_way_as_clustered_mean():
    rng = np.random.default_rng(2)
    values, homes, workers = rng.normal(size=60), rng.integers(0, 15, 60), rng.integers(0, 8, 60)
    for who in (None, workers):
        clusters = Clusters.of([(f"c{h}",) for h in homes], who)
        ours = group_means(values, np.zeros(60, dtype=int), 1, clusters)
        theirs = clustered_mean(values, [homes] if who is None else [homes, workers])
        assert ours.values[0] == pytest.approx(theirs.estimate)
        # That one corrects each term for its own number of clusters, this one all for the least.
        assert np.sqrt(ours.covariance[0, 0]) == pytest.approx(theirs.se, rel=0.05)


def test_a_row_by_itself_a_single_annotator_and_too_few_clusters():
    pairs = [("a", "b")] * 4
    assert Clusters.of(pairs, None, "annotations").counts == (4,)
    assert Clusters.of(pairs, ["w"] * 4).workers is None
    assert np.isnan(Clusters.of([("a",)] * 4, None).covariance(np.ones(4))).all()
    with pytest.raises(ValueError, match="'worker', expected one of"):
        Clusters.of(pairs, None, "worker")
    with pytest.raises(ValueError, match="a row has 3 of them"):
        Clusters.of([("a", "b", "c")], None)


def test_a_conversation_beside_itself_counts_once():
    scores = np.array([[1.0], [2.0]])
    assert Clusters.of([("a", "a"), ("b", "b")], None)._conversations(scores)[0, 0] == 5.0


def test_differences_use_what_means_have_in_common():
    rng = np.random.default_rng(3)
    workers = np.tile(np.arange(20), 2)
    lenient = rng.normal(0, 2, 20)[workers]
    values = lenient + rng.normal(0, 0.1, 40)
    frame = pd.DataFrame({"conversation_ids": [(f"c{i}",) for i in range(40)], "worker_id": workers})
    means = group_means(values, np.repeat([0, 1], 20), 2, frame_clusters(frame))
    apart = means.contrast(np.array([1.0, -1.0]))
    assert apart["se"] < 0.1 < np.sqrt(means.covariance[0, 0])
    assert apart["ci"][0] < 0 < apart["ci"][1]
