"""Bootstrap weights: what is drawn together, and how percentiles treat what is unknown."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.product import bootstrap_weights

CONVERSATIONS = ["c1", "c1", "c2", "c2", "c3", "c3", "c4", "c4"]
WORKERS = ["u", "v", "u", "w", "v", "w", "u", "v"]
PAIRS = ["p"] * 4 + ["q"] * 4


def draw(workers=None):
    return np.stack(
        list(bootstrap_weights(CONVERSATIONS, workers, PAIRS, rng=np.random.default_rng(1), replicates=4000))
    )


def test_conversations_are_drawn_whole_and_within_their_pair():
    weights = draw()
    np.testing.assert_array_equal(weights[:, ::2], weights[:, 1::2])
    assert (weights[:, :4].sum(axis=1) == 4).all()
    assert weights.mean() == pytest.approx(1.0)


def test_crossed_weights_are_products():
    weights = draw(WORKERS)
    assert weights.mean(axis=0) == pytest.approx(np.ones(8), abs=0.1)
    # Of two annotations that share neither conversation nor worker nor pair, none moves with the other …
    apart = np.corrcoef(draw()[:, 0], draw()[:, 4])[0, 1]
    assert abs(apart) < 0.05
    # … and the spread is that of both factors: Var(xy) = (1 + Var x)(1 + Var y) - 1 with means 1.
    assert weights[:, 0].var() == pytest.approx((1 + 1 / 2) * (1 + 2 / 3) - 1, rel=0.15)


def test_a_stratum_keeps_its_number_of_conversations_and_each_is_as_likely():
    weights = draw()[:, [0, 2, 4, 6]]
    assert (weights[:, :2].sum(axis=1) == 2).all()
    # Two draws from two: 0, 1 and 2 in the ratio 1 : 2 : 1.
    np.testing.assert_allclose(np.bincount(weights[:, 0]) / len(weights), [0.25, 0.5, 0.25], atol=0.03)


def test_percentiles_leave_out_what_is_unknown():
    samples = np.random.default_rng(0).normal(size=(999, 3))
    np.testing.assert_allclose(percentile_interval(samples), np.quantile(samples, [0.025, 0.975], axis=0).T)
    samples[:400, 1] = np.nan
    samples[:600, 2] = np.nan
    got = percentile_interval(samples)
    np.testing.assert_allclose(got[1], np.nanquantile(samples[:, 1], [0.025, 0.975]))
    assert np.isnan(got[2]).all()
    np.testing.assert_array_equal(percentile_interval(samples.reshape(999, 3, 1))[:, 0], got)


def test_corrections_for_many_comparisons():
    p = [0.01, 0.04, 0.03, 0.005]
    np.testing.assert_allclose(adjust(p), [0.03, 0.06, 0.06, 0.02])  # R: p.adjust(p, "holm")
    np.testing.assert_allclose(adjust(p, "bonferroni"), [0.04, 0.16, 0.12, 0.02])
    assert (adjust(p) >= false_discovery_control(p)).all()
    np.testing.assert_allclose(adjust(np.tile([0.001, 0.003], 50)), np.tile([0.1, 0.15], 50))  # many that are alike
    assert adjust([]).shape == (0,)
    with pytest.raises(ValueError, match="method is 'sidak'"):
        adjust(p, "sidak")
    with pytest.raises(ValueError, match="p: row 1 is nan"):
        adjust([0.1, np.nan])
