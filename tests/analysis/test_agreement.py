"""Agreement against Table 3 as recomputed, the package, and hand-made cases."""

import krippendorff
import numpy as np
import pytest

from parlai_spotbot.analysis.agreement import both_given_one, krippendorff_alpha
from parlai_spotbot.analysis.frames import entities_frame


def test_label_agreement_of_the_released_data(released, reference):
    known = reference("paper_tables/dailydialog.json")["table3_this_domain"]
    ours = both_given_one(entities_frame(released("dailydialog")))
    for name, shares in known.items():
        for label, share in zip(("bot", "human", "unsure"), shares, strict=True):
            assert ours[name][label]["share"] == pytest.approx(share, abs=5.1e-4), (name, label)


def answers(units: int, raters: int, agree: float, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, units)
    given = np.where(rng.random((raters, units)) < agree, truth, rng.integers(0, 3, (raters, units)))
    return np.repeat(np.arange(units), raters), given.T.reshape(-1), given


def test_alpha_is_that_of_the_package_and_its_interval_covers_it():
    unit, answer, table = answers(200, 2, 0.7)
    alpha, ci = krippendorff_alpha(unit, answer, unit, rng=np.random.default_rng(0), replicates=500)
    assert alpha == pytest.approx(krippendorff.alpha(reliability_data=table, level_of_measurement="nominal"))
    assert ci[0] < alpha < ci[1]
    assert 0.05 < ci[1] - ci[0] < 0.4
    wide = krippendorff_alpha(unit, answer, unit // 20, rng=np.random.default_rng(0), replicates=500)[1]
    assert not np.allclose(wide, ci)


def test_the_interval_of_sure_agreement_is_a_point():
    unit, answer, _ = answers(50, 3, 1.0)
    alpha, ci = krippendorff_alpha(unit, answer, unit, rng=np.random.default_rng(0), replicates=50)
    assert alpha == 1.0
    np.testing.assert_allclose(ci, [1.0, 1.0])


def test_bootstrap_alphas_average_to_the_estimate():
    unit, answer, _ = answers(400, 2, 0.5, seed=3)
    alpha, ci = krippendorff_alpha(unit, answer, unit, rng=np.random.default_rng(1), replicates=1000)
    assert ci.mean() == pytest.approx(alpha, abs=0.02)


@pytest.mark.parametrize(("unit", "answer"), [([1, 2, 3], ["a", "b", "a"]), ([1, 1, 2, 2], ["a", "a", "a", "a"])])
def test_alpha_is_unknown_where_it_says_nothing(unit, answer):
    alpha, ci = krippendorff_alpha(unit, answer, unit, rng=np.random.default_rng(0), replicates=10)
    assert np.isnan(alpha)
    assert np.isnan(ci).all()
