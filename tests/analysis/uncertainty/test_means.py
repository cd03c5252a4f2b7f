"""The mean of values that share conversations and annotators: closed forms, coverage by simulation, and its limits."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import ttest_1samp

from parlai_spotbot.analysis.uncertainty import estimates
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means, mean_of
from parlai_spotbot.analysis.uncertainty.sign_flips import ClusterScores


def crossed(seed: int, workers: int = 30, conversations: int = 60, each: int = 4):
    """Annotators of very unequal activity; heavy tails, so that no normal law is behind it."""
    rng = np.random.default_rng(seed)
    conversation = np.repeat(np.arange(conversations), each)
    worker = rng.choice(workers, len(conversation), p=rng.dirichlet(np.full(workers, 1.5)))
    values = rng.laplace(size=workers)[worker] + rng.standard_t(5, conversations)[conversation]
    return values + rng.exponential(size=len(worker)) - 1, conversation, worker


def test_conversations_of_one_size_are_students_test_of_their_means():
    values, conversation, _ = crossed(0)
    found = mean_of(values + 0.3, Clusters.by(conversation))
    known = ttest_1samp((values + 0.3).reshape(60, 4).mean(axis=1), 0)
    assert found["estimate"] == pytest.approx((values + 0.3).mean())
    assert found["df"] == pytest.approx(59)
    assert found["p"] == pytest.approx(known.pvalue, rel=1e-9)
    assert found["ci"] == pytest.approx(tuple(known.confidence_interval()), rel=1e-9)


def test_two_dimensions_cover_where_one_does_not():
    hits = []
    for seed in range(400):
        values, conversation, worker = crossed(seed)
        clusters = (Clusters.by(conversation, worker), Clusters.by(conversation))
        hits.append([low <= 0 <= high for low, high in (mean_of(values, own)["ci"] for own in clusters)])
    two, one = np.mean(hits, axis=0)
    assert two > 0.92
    assert one < 0.8


def test_what_never_varied_is_not_certain():
    found = mean_of(np.ones(8), Clusters.by(range(8)), bounds=(0.0, 1.0))
    assert found["estimate"] == found["ci"][1] == 1
    assert found["ci"][0] == pytest.approx(0.025 ** (1 / 8))  # Clopper and Pearson's of 8 of 8
    assert found["p"] == pytest.approx(2 / 2**8)  # an exchange of signs


def test_pairs_are_the_same_however_many_are_worked_out_at_once(monkeypatch):
    values, conversation, worker = crossed(3)
    groups = conversation % 7
    found = group_means(values, groups, 7, Clusters.by(conversation, worker)).pairs()
    monkeypatch.setattr(estimates, "CELLS", 100)
    again = group_means(values, groups, 7, Clusters.by(conversation, worker)).pairs()
    np.testing.assert_array_equal(again, found)


@pytest.mark.parametrize("rows", [0, 1, 2, 40])
def test_sums_have_the_same_p_with_and_without_the_zeros_among_them(rows):
    sums = np.random.default_rng(rows).integers(-2, 3, (rows, 3)) * np.array([1.0, 0.5, 0.0])
    weight = np.arange(rows) % 3 + 1.0
    entries = ClusterScores.from_entries(csr_array(sums), weight)
    np.testing.assert_allclose(entries.pvalues(), ClusterScores.from_fit(sums, weight=weight).pvalues())


def test_clusters_that_are_all_tied_say_something():
    """A pair whose clusters all say that it is equal has as many that say so."""
    silent, told = np.zeros((6, 1)), np.full((6, 1), 0.5)
    for score in (silent, silent + 1e-17):
        flipped = ClusterScores.from_fit(score, told, ties=True)
        assert flipped.effective.tolist() == [6]
        assert flipped.pvalues().tolist() == [1]
        assert np.ravel(flipped.ends()).tolist() == [0, 0]
        few = ClusterScores.from_fit(score[:5], told[:5], ties=True)
        assert np.ravel(few.ends()).tolist() == [-np.inf, np.inf]
    assert ClusterScores.from_fit(silent, told).effective.tolist() == [0]


@pytest.mark.parametrize("value", [0.0, 40.0, 100.0])
@pytest.mark.parametrize("same", [True, False])
def test_two_groups_in_which_nothing_varies_are_as_near_as_their_numbers_say(value, same):
    widths = []
    for size in (2, 20, 200):
        of_group = np.repeat([0, 1], size)
        clusters = Clusters.by(np.arange(2 * size) % (size if same else 2 * size))
        means = group_means(np.full(2 * size, value), of_group, 2, clusters, bounds=(0.0, 100.0))
        row = means.contrast([-1.0, 1.0])
        assert row["estimate"] == 0
        assert row["p"] == 1
        low, high = row["ci"]
        assert low == pytest.approx(-high, abs=1e-9)
        widths.append(high)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(100 * (1 - 0.0125 ** (1 / 200)), rel=0.01)


@pytest.mark.parametrize("values", [[1], [1, -1], [1, 0, -1], [1, 1, -1], [0.5, -1, 0.5]])
def test_where_an_interval_leaves_everything_open_nothing_is_known(values):
    clusters = Clusters.by(np.arange(len(values)))
    mean = mean_of(values, clusters, bounds=(-1.0, 1.0))
    assert mean["estimate"] == pytest.approx(np.mean(values))
    assert np.isnan([mean["p"], *mean["ci"]]).all()
    assert np.isfinite(mean_of(values * 20, Clusters.by(np.arange(20 * len(values))), bounds=(-1.0, 1.0))["ci"]).all()


def test_rare_events_are_in_the_interval_of_a_difference():
    """Clusters of one to four values; an event is of all of a cluster, and rare."""
    rng = np.random.default_rng(8)
    inside = []
    for _ in range(300):
        chances = rng.choice([0.002, 0.01, 0.05], 2)
        sizes = rng.integers(1, 5, (2, 40))
        events = rng.random((2, 40)) < chances[:, None]
        groups = np.repeat([0, 1], sizes.sum(axis=1))
        values = 100.0 * np.concatenate([np.repeat(*row) for row in zip(events, sizes, strict=True)])
        clusters = Clusters.by(np.repeat(np.arange(80), sizes.ravel()))
        low, high = group_means(values, groups, 2, clusters, bounds=(0.0, 100.0)).contrast([-1.0, 1.0])["ci"]
        inside.append(low <= 100 * (chances[1] - chances[0]) <= high)
    assert np.mean(inside) > 0.93
