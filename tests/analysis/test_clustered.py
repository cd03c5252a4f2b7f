"""Means of clustered values against statsmodels, and their coverage by simulation."""

import numpy as np
import pytest
import statsmodels.api as sm

from parlai_spotbot.analysis.clustered import clustered_mean


def crossed(seed: int, workers: int = 30, conversations: int = 60, each: int = 4):
    rng = np.random.default_rng(seed)
    conversation = np.repeat(np.arange(conversations), each)
    worker = rng.integers(0, workers, len(conversation))
    values = rng.normal(size=workers)[worker] + rng.normal(size=conversations)[conversation]
    return values + rng.normal(size=len(worker)), conversation, worker


def test_one_clustering_is_statsmodels():
    values, conversation, _ = crossed(0)
    found = clustered_mean(values + 0.3, [conversation])
    fit = sm.OLS(values + 0.3, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": conversation})
    assert found.estimate == pytest.approx(fit.params[0])
    assert found.se == pytest.approx(fit.bse[0])
    assert found.df == 59
    assert found.ci[1] - found.estimate == pytest.approx(2.0009954 * found.se)  # t with 59 degrees of freedom


def test_two_clusterings_cover_where_one_does_not():
    hits = []
    for seed in range(400):
        values, conversation, worker = crossed(seed)
        intervals = [clustered_mean(values, c).ci for c in ([conversation, worker], [np.arange(len(values))])]
        hits.append([low <= 0 <= high for low, high in intervals])
    two, none = np.mean(hits, axis=0)
    assert two > 0.92
    assert none < 0.75


def test_what_nothing_is_known_of():
    one = clustered_mean([1.0, 2.0], [["c", "c"]])
    assert one.estimate == 1.5
    assert np.isnan(one.se)
    assert np.isnan(one.p)
    assert np.isnan(clustered_mean([], [[]]).estimate)
    assert clustered_mean([1.0, 3.0], [[0, 1]], total=4).estimate == 1.0
    with pytest.raises(ValueError, match=r"clusterings\[0\] has 1 entries"):
        clustered_mean([1.0, 2.0], [["c"]])
    with pytest.raises(ValueError, match="clusterings has 3 entries"):
        clustered_mean([1.0], [["c"]] * 3)
