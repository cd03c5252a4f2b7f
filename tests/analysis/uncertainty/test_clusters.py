"""Crossed clusters against the sum over couples that defines them, the one-way formula, and simulations."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.sparse import csr_array
from scipy.stats import ttest_1samp

from parlai_spotbot.analysis.uncertainty.clusters import Clusters, Spread, frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import group_means, mean_of, places


def products(scores, members):
    """Products of the sums over clusters, which count for or against."""
    return sum(sign * (incidence @ scores).T @ (incidence @ scores) for sign, incidence in members)


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
    sets = [set(pair) for pair in pairs]
    talks, people, both = (
        products(scores, members) for _, members in Clusters.from_conversations(pairs, workers).members()
    )
    np.testing.assert_allclose(talks, couples(scores, sets), atol=1e-9)
    np.testing.assert_allclose(people, couples(scores, [{worker} for worker in workers]), atol=1e-9)
    np.testing.assert_allclose(talks + people - both, couples(scores, sets, workers), atol=1e-9)


def test_rows_that_share_nothing_give_the_usual_standard_error():
    values = np.random.default_rng(1).normal(size=40)
    clusters = Clusters.from_conversations([(f"a{i}", f"b{i}") for i in range(40)], [f"w{i}" for i in range(40)])
    assert clusters.effective == pytest.approx(40)
    found = mean_of(values, clusters)
    assert found["se"] == pytest.approx(values.std(ddof=1) / np.sqrt(40))
    assert found["df"] == pytest.approx(39)
    assert found["p"] == pytest.approx(ttest_1samp(values, 0).pvalue, abs=1e-3)


def test_two_way_variance_is_that_of_statsmodels_but_for_small_samples():
    rng = np.random.default_rng(2)
    n = 4000
    homes, workers = rng.integers(0, 800, n), rng.integers(0, 400, n)
    values = rng.normal(size=n) + rng.normal(size=800)[homes] + rng.normal(size=400)[workers]
    fit = sm.OLS(values, np.ones((n, 1))).fit(
        cov_type="cluster", cov_kwds={"groups": np.column_stack([homes, workers]), "use_correction": False}
    )
    clusters = Clusters.by(homes, workers)
    one, two, both = (products((values - values.mean())[:, None] / n, m) for _, m in clusters.members())
    assert (one + two - both)[0, 0] == pytest.approx(fit.bse[0] ** 2, rel=1e-10)
    assert mean_of(values, clusters)["se"] == pytest.approx(fit.bse[0], rel=0.005)


def test_a_row_by_itself_a_single_annotator_and_too_few_clusters():
    pairs = [("a", "b")] * 4
    assert Clusters.from_conversations(pairs, ["w"] * 4).workers is None
    with pytest.raises(ValueError, match="a row has 3 of them"):
        Clusters.from_conversations([("a", "b", "c")], None)


def test_variances_are_drawn_half_way_to_the_mean_design_effect():
    """Design effects 2 and 4 of 11 clusters: half way to their mean, 3, with the degrees of freedom worked by hand."""
    every = lambda number: lambda contrasts: np.full(len(contrasts), number)  # noqa: E731
    clusters = lambda contrasts: [np.full(len(contrasts), 11.0)]  # noqa: E731
    spread = Spread((np.diag([2.0, 4.0]),), None, clusters, (np.eye(2), every(101.0)))
    variance, df = spread.moderated(np.eye(2), 2)
    np.testing.assert_allclose(variance, [2.5, 3.5])
    # Own effects are known with 10 degrees of freedom, and their mean with twice as many, from 100 of rows.
    np.testing.assert_allclose(df, 1 / (0.25 / 10 + 0.75 * (1 / 20 + 1 / 100)))
    np.testing.assert_allclose(spread.moderated(np.eye(2), 1), ([2, 4], [10, 10]))  # one alone has no family


def test_a_missing_id_is_named():
    with pytest.raises(ValueError, match="workers: row 1 is missing"):
        Clusters.by(["a", "b"], ["w", None])
    with pytest.raises(ValueError, match="conversations: row 0 is missing"):
        Clusters.by([None, "b"])
    with pytest.raises(ValueError, match="values: row 1 is missing"):
        mean_of([1.0, np.nan], Clusters.by(["a", "b"]))


def test_what_doesn_t_vary_gets_a_bound_of_the_range():
    """Rule of Clopper and Pearson: with three conversations alike another one differs with a chance below .708."""
    clusters = Clusters.by(["a", "a", "b", "c"])
    found = mean_of([5, 5, 5, 5], clusters, bounds=(1, 5))
    effective = clusters.effective
    assert found["ci"] == pytest.approx((5 - 4 * (1 - 0.025 ** (1 / effective)), 5.0))
    assert np.isnan(mean_of([5, 5, 5, 5], clusters)["ci"][0])
    apart = group_means([4, 4, 5, 5], np.repeat([0, 1], 2), 2, Clusters.by(list("abcd")), (1, 5))
    contrast = apart.contrast(np.array([-1.0, 1.0]))
    assert contrast["p"] == pytest.approx(2 / 6)
    assert contrast["ci"][0] < 0 < 1 < contrast["ci"][1]


def test_places_follow_from_clear_pairs():
    # 0 is clearly ahead of 2 and 3, 1 of 3.
    found = places(np.array([0, 0, 1]), np.array([2, 3, 3]), np.full(4, 4))
    assert found.tolist() == [[1, 2], [1, 3], [2, 4], [3, 4]]


def test_every_two_means_are_contrasts_corrected_together():
    rng = np.random.default_rng(6)
    means = group_means(rng.normal(size=45), np.repeat([0, 1, 2], 15), 3, Clusters.by(np.arange(45)))
    found = means.pairs()
    assert found[["first", "second"]].to_numpy().tolist() == [[0, 1], [0, 2], [1, 2]]
    for row, weights in zip(found.itertuples(), ([1, -1, 0], [1, 0, -1], [0, 1, -1]), strict=True):
        own = means.contrast(np.array(weights))  # rows that share nothing: design effects are as good as 1
        assert (row.estimate, row.se, row.df) == pytest.approx(
            [own[name] for name in ("estimate", "se", "df")], rel=0.01
        )
        assert (row.low, row.high) == pytest.approx(own["ci"], rel=0.01)
    np.testing.assert_allclose(found["p_adjusted"], adjust(found["p"]))


def test_differences_use_what_means_have_in_common():
    rng = np.random.default_rng(3)
    workers = np.tile(np.arange(20), 2)
    lenient = rng.normal(0, 2, 20)[workers]
    values = lenient + rng.normal(0, 0.1, 40)
    frame = pd.DataFrame({"conversation_ids": [(f"c{i}",) for i in range(40)], "worker_id": workers})
    means = group_means(values, np.repeat([0, 1], 20), 2, frame_clusters(frame))
    apart = means.contrast(np.array([1.0, -1.0]))
    assert apart["se"] < 0.1 < np.sqrt(means.spread.covariance[0, 0])
    assert apart["ci"][0] < 0 < apart["ci"][1]
    assert frame_clusters(frame, crossed=False).effective == 40


def test_variances_of_many_estimates_are_those_of_each_by_itself():
    rng = np.random.default_rng(5)
    pairs = [(f"c{a}", f"c{b}") for a, b in rng.integers(0, 9, (60, 2))]
    scores, shares = rng.normal(size=(60, 3)), rng.random((60, 3))
    for clusters in (
        Clusters.from_conversations(pairs, rng.integers(0, 8, 60)),
        Clusters.from_conversations(pairs, None),
        Clusters(60, None, None),
    ):
        alone = [clusters.spread(scores[:, [i]], shares[:, [i]]).variance(np.eye(1)) for i in range(3)]
        for kind in (np.asarray, csr_array):
            found = clusters.diagonal(kind(scores), kind(shares))
            np.testing.assert_allclose([found.variance, found.df], np.concatenate(alone, axis=1))
    nothing = Clusters.by([]).diagonal(csr_array((0, 2)))
    assert np.isnan(Clusters.by([]).diagonal(np.zeros((0, 2))).variance).all()
    assert np.isnan(nothing.variance).all()
    assert (nothing.df.tolist(), nothing.effective.tolist()) == ([0, 0], [0, 0])
