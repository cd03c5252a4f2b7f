"""The bootstrap by conversations, annotators and their cells: closed forms, exact bounds, reasons."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap, effective_number
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.medians import median_interval


def drawn(conversations, workers=None, replicates=4000, seed=0, **options):
    return ClusterBootstrap(conversations, workers, rng=np.random.default_rng(seed), replicates=replicates, **options)


def mean_of(values):
    def mean(weights):
        with np.errstate(invalid="ignore"):  # of some rows perhaps none is drawn
            return weights @ values / weights.sum(axis=1)

    return mean


@pytest.mark.parametrize("count", [2, 10])
def test_the_variance_of_a_mean_is_s_squared_by_n_however_few_there_are(count):
    values = np.random.default_rng(count).normal(size=count)
    bootstrap = drawn(np.arange(count), replicates=20_000)
    spread = bootstrap.spread(bootstrap.samples(mean_of(values))[:, None])
    variance, df = spread.variance(np.eye(1))
    assert variance[0] == pytest.approx(values.var(ddof=1) / count, rel=0.05)
    assert df[0] == count - 1


def test_two_ways_are_their_sum_less_the_cells():
    rng = np.random.default_rng(3)
    conversation, worker = np.repeat(np.arange(30), 12), np.tile(np.arange(12), 30)
    values = rng.normal(size=30)[conversation] + rng.normal(size=12)[worker] + rng.normal(size=360)
    bootstrap = drawn(conversation, worker)
    means = [values.reshape(30, 12).mean(axis=1), values.reshape(30, 12).mean(axis=0), values]
    first, second, both = (own.var(ddof=1) / len(own) for own in means)
    samples = bootstrap.samples(mean_of(values))
    variance, df = bootstrap.spread(samples[:, None]).variance(np.eye(1))
    assert variance[0] == pytest.approx(first + second - both, rel=0.06)
    own = samples.reshape(3, -1).var(axis=1, ddof=1)
    shared = variance[0] ** 2 / (own[0] ** 2 / 29 + own[1] ** 2 / 11)
    assert df[0] == pytest.approx(max(shared, 11))
    low, high = bootstrap.interval(values.mean(), samples, span=(-1000, 1000))  # where the logit is a straight line
    reach = student.ppf(0.975, df[0]) * np.sqrt(variance[0])
    assert (low, high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=1e-5)


def test_sums_by_cell_are_those_of_the_weights_also_of_some_rows(monkeypatch):
    rng = np.random.default_rng(2)
    conversation, worker, cells = rng.integers(0, 40, 300), rng.integers(0, 9, 300), rng.integers(0, 17, 300)
    values = rng.normal(size=300)
    for rows in (slice(None), rng.integers(0, 300, 500)):
        bootstrap = drawn(conversation, worker, replicates=30).take(rows)
        weights = bootstrap.samples(lambda weights: weights)
        assert weights.shape == (90, len(conversation[rows]))
        wanted = np.stack([np.bincount(cells[rows], own * values[rows], 60) for own in weights])
        np.testing.assert_allclose(bootstrap.cell_sums(cells[rows], 60, values[rows]), wanted, atol=1e-9)
        monkeypatch.setattr("parlai_spotbot.analysis.uncertainty.bootstrap.BLOCK", 700)
        np.testing.assert_allclose(bootstrap.cell_sums(cells[rows], 60, values[rows]), wanted, atol=1e-9)
        np.testing.assert_array_equal(bootstrap.samples(lambda weights: weights), weights)
    assert weights.mean() == pytest.approx(1.0, abs=0.05)


def test_what_is_drawn():
    conversation, worker = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 2, 3, 2, 3])
    bootstrap = drawn(conversation, worker, 50)
    weights = bootstrap.samples(lambda weights: weights).reshape(-1, 50, 8)
    assert len(weights) == 3
    np.testing.assert_array_equal(weights[0][:, ::2], weights[0][:, 1::2])
    np.testing.assert_array_equal(weights[1][:, [0, 1, 4, 5]], weights[1][:, [2, 3, 6, 7]])
    assert not bootstrap.why
    np.testing.assert_allclose(weights.sum(axis=2), 8)


def test_a_judge_and_a_single_annotator_have_conversations_alone():
    conversation = np.arange(12) // 2
    judge, alone = drawn(conversation, replicates=20), drawn(conversation, ["w"] * 12, 20)
    np.testing.assert_array_equal(judge.samples(lambda w: w), alone.samples(lambda w: w))
    assert judge.effective == alone.effective == {"conversations": 6.0}
    # Of some rows only, all by one annotator:
    whole = drawn(conversation, np.arange(12) % 4, 20)
    assert whole.effective == {"conversations": 6.0, "annotators": 4.0}
    part = whole.take(np.arange(12) % 4 == 0)
    assert part.effective == {"conversations": 3.0}
    assert np.isfinite(part.interval(0.5, part.samples(mean_of(np.array([0.0, 1.0, 0.0]))), span=(0, 1))).all()


def test_shares_have_ends_and_exact_bounds_where_all_agree():
    conversation = np.arange(40) // 2
    bootstrap = drawn(conversation)
    hits = (conversation % 4 == 0).astype(float)
    samples = bootstrap.samples(mean_of(hits))
    se = samples.std(ddof=1)
    reach = student.ppf(0.975, 19) * se / (0.25 * 0.75)
    ends = bootstrap.interval(0.25, samples, span=(0, 1))
    np.testing.assert_allclose(ends, expit(logit(0.25) + np.array([-reach, reach])))
    always = bootstrap.interval(1.0, bootstrap.samples(mean_of(np.ones(40))), span=(0, 1))
    assert always == pytest.approx(proportion_confint(20, 20, method="beta"))
    # A difference that never varies, of two shares that do neither: as wide as the range of differences allows.
    low, high = bootstrap.interval(0.0, np.zeros(4000), span=(-1, 1))
    assert -0.5 < low < 0 < high < 0.5


def test_too_few_clusters_have_a_reason():
    one = drawn(["c"] * 9, ["w"] * 9, 20)
    assert one.why == "1 conversation: too few for an interval"
    assert (one.samples(lambda weights: weights) == 1).all()
    assert np.isnan(one.interval(0.5, one.samples(mean_of(np.arange(9.0))), span=(0, 1))).all()
    lopsided = drawn(np.arange(20), ["u"] + ["v"] * 19, 20)
    assert lopsided.why == "2 annotators, worth 1.1,: too few for an interval"
    assert drawn([], [], 20).why
    assert effective_number([5, 5, 5]) == 3
    assert effective_number([]) == 0
    with pytest.raises(ValueError, match="workers: row 1 is missing"):
        drawn([1, 2], ["w", None])


def test_the_interval_of_a_median_covers():
    """Of values alike within conversations and annotators: 1,000 studies, error .007."""
    rng, hits = np.random.default_rng(6), []
    conversation, worker = np.repeat(np.arange(40), 4), np.tile(np.arange(20), 8)
    for _ in range(1000):
        values = rng.normal(size=40)[conversation] + 0.5 * rng.normal(size=20)[worker] + rng.normal(size=160)
        low, high = median_interval(np.exp(values), Clusters.by(conversation, worker))
        hits.append(low <= 1 <= high)
    assert 0.93 <= np.mean(hits) <= 0.985
    assert np.isnan(median_interval([1.0, 2.0], Clusters.by([1, 1]))).all()
    assert np.isnan(median_interval([], Clusters.by([]))).all()
    assert np.isnan(median_interval(np.full(8, 3.0), Clusters.by(np.arange(8)))).all()
