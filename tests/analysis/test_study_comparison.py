"""Rank correlations of two orders: against closed forms, and by simulation of orders that did not change."""

import numpy as np
import pytest

from parlai_spotbot.analysis.study_comparison import (
    Scores,
    Z,
    adjusted,
    among,
    common,
    correlation,
    rank_correlation,
    standard_error,
)


def scores(values, se=0.05, zero_sum=False):
    values = np.asarray(values, dtype=float)
    names = tuple(f"bot{i}" for i in range(len(values)))
    return Scores(names, values, np.broadcast_to(np.asarray(se, dtype=float), values.shape).copy(), zero_sum)


def test_an_interval_without_width_is_no_interval():
    assert np.isnan(standard_error([1.0, 1.0]))
    assert np.isnan(standard_error(None))
    assert np.isnan(standard_error([None, 1]))
    assert standard_error([0.5 - Z * 0.1, 0.5 + Z * 0.1]) == pytest.approx(0.1)
    assert (
        rank_correlation(scores([1.0, 0.5], [np.nan, 0.1]), scores([0.5, 0.9]), rng=np.random.default_rng(0)).p is None
    )


def test_holm_over_the_known_ones():
    assert adjusted([0.01, np.nan, 0.04]).tolist()[0::2] == pytest.approx([0.02, 0.04])


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_the_correlation_of_pairs_is_found_from_the_error_of_their_mean(rho):
    errors = np.array([0.05, 0.08, 0.1])
    covariance = np.outer(errors, errors) * (rho + (1 - rho) * np.eye(3))
    whole = np.sqrt(covariance.sum()) / 3
    assert correlation(errors, whole) == pytest.approx(rho, abs=1e-9)


def test_among_some_contestants_the_others_do_not_count():
    pairs = {("a", "b"): (0.6, 0.04), ("a", "c"): (0.9, 0.03), ("c", "b"): (0.2, 0.05)}
    whole = {"a": 0.025, "b": 0.035, "c": 0.03}
    found = among(["a", "b"], pairs, whole)
    assert found.score.tolist() == pytest.approx([0.6, 0.4])
    assert found.se.tolist() == pytest.approx([0.04, 0.04])
    full = among(["a", "b", "c"], pairs, whole)
    assert full.score.tolist() == pytest.approx([0.75, 0.6, 0.15])
    assert full.se[0] == pytest.approx(0.025)
    assert full.se[2] == pytest.approx(0.03)


def test_among_without_the_whole_is_on_the_safe_side_and_an_unmet_pair_is_unknown():
    pairs = {("a", "b"): (0.6, 0.04), ("a", "c"): (0.9, 0.02)}
    found = among(["a", "b", "c"], pairs, {})
    assert found.se[0] == pytest.approx(0.03)
    assert np.isnan(found.score[1])
    assert np.isnan(found.score[2])


def test_far_apart_and_turned_round_is_beyond_chance_and_the_same_is_not():
    rng = np.random.default_rng(1)
    up, down = scores([0.1, 0.3, 0.5, 0.7, 0.9], 0.02), scores([0.9, 0.7, 0.5, 0.3, 0.1], 0.02)
    turned, same = rank_correlation(up, down, rng=rng), rank_correlation(up, up, rng=rng)
    assert turned.tau == turned.rho == -1
    assert turned.p < 0.01
    assert same.tau == same.rho == 1
    assert same.p == 1
    assert same.expected == (1, 1)
    near = scores([0.5, 0.51, 0.52, 0.53, 0.54], 0.1)
    chance = rank_correlation(near, near.of(near.names[::-1]).of(near.names), rng=rng)
    assert chance.expected[0] < 0.2


def test_contestants_that_do_not_differ_have_one_common_score():
    x = np.array([0.49, 0.5, 0.51])
    assert np.ptp(common(x, np.full(3, 0.1), x, np.full(3, 0.1))) == 0


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.3])
def test_studies_that_did_not_change_are_rarely_called_changed(spread):
    """Of 300 pairs of studies of the same contestants, at most about 5 in 100 may be called different."""
    rng = np.random.default_rng(5)
    called = 0
    for _ in range(300):
        truth = rng.normal(0.5, spread, 6)
        one, two = (scores(truth + rng.normal(0, 0.05, 6), 0.05) for _ in range(2))
        called += rank_correlation(one, two, rng=rng, replicates=200).p <= 0.05
    assert called <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_the_same_seed_gives_the_same_figures():
    one, two = scores([0.4, 0.5, 0.6]), scores([0.5, 0.45, 0.6])
    first, second = (rank_correlation(one, two, rng=np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert first.tau_ci[0] <= first.tau <= first.tau_ci[1]


def test_other_names_are_an_error_that_names_them():
    with pytest.raises(ValueError, match="after: names"):
        rank_correlation(scores([0.1, 0.2]), Scores(("x", "y"), np.zeros(2), np.ones(2)), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="se: shape"):
        Scores(("x",), np.zeros(1), np.zeros(2))
