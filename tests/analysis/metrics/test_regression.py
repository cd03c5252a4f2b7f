"""Regressions: clustered errors beside statsmodels' own, and what can't be fitted."""

import numpy as np
import pytest
import statsmodels.api as sm

from parlai_spotbot.analysis.metrics import regression
from parlai_spotbot.analysis.metrics.regression import regress, separated

CLUSTERED = {"cov_type": "cluster", "use_t": True}


def data(seed, n=90, k=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) * [1, 20, 0.01][:k] + [0, 5, 3][:k]
    who = rng.integers(15, size=n)
    y = (x - x.mean(axis=0)) / x.std(axis=0) @ [0.6, -0.3, 0.0][:k] + rng.normal(size=n)
    return x, y + 0.4 * rng.normal(size=15)[who], who


@pytest.mark.parametrize("seed", range(2))
def test_figures_are_those_of_statsmodels(seed):
    x, y, who = data(seed)
    for model, outcome in (("linear", y), ("logistic", (y > 0).astype(float))):
        found = regress(x, outcome, model, who)
        make = sm.OLS if model == "linear" else sm.Logit
        known = make(outcome, sm.add_constant(x)).fit(**({} if model == "linear" else {"disp": 0}))
        np.testing.assert_allclose(found.coef, known.params[1:], rtol=1e-6)
        np.testing.assert_allclose(found.se, known.bse[1:], rtol=1e-6)
        r2, adjusted, p = (
            (known.rsquared, known.rsquared_adj, known.f_pvalue)
            if model == "linear"
            else (known.prsquared, 1 - (known.llf - 3) / known.llnull, known.llr_pvalue)
        )
        assert (found.r2, found.adjusted, found.p_model) == pytest.approx((r2, adjusted, p), rel=1e-8)
        robust = make(outcome, sm.add_constant(x)).fit(
            cov_kwds={"groups": who}, **CLUSTERED, **({} if model == "linear" else {"disp": 0})
        )
        # Statsmodels has one factor for all clusters, here each has its own by its part of the information.
        np.testing.assert_allclose(found.se_clustered, robust.bse[1:], rtol=0.06)


@pytest.mark.parametrize("model", ["linear", "logistic"])
@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        (np.full(20, 0.25), np.tile([0, 1], 10), regression.CONSTANT),
        (np.arange(20), np.ones(20), regression.FLAT_OUTCOME),
        (np.arange(3), np.array([0, 1, 0]), "too few rows: 3 for 1 predictors"),
    ],
)
def test_what_cannot_be_fitted_is_stated(model, x, y, why):
    found = regress(x[:, None], y, model)
    assert found.why == why
    assert np.isnan([*found.coef, found.r2]).all()


def test_separated_outcomes_are_stated_completely_and_nearly():
    x = np.linspace(-1, 1, 30)
    assert regress(x[:, None], (x > 0.3).astype(float), "logistic").why == regression.SEPARATED
    halved = np.repeat([0.0, 1.0], 15)  # a 0 only where y is 0: separated in part
    y = np.concatenate([np.zeros(15), np.tile([0.0, 1.0, 1.0], 5)])
    assert regress(halved[:, None], y, "logistic").why == regression.SEPARATED
    assert not separated(np.column_stack([np.ones(30), x]), np.tile([0.0, 1.0], 15))


def test_one_far_row_is_no_separation():
    x, y = np.append(np.linspace(-1, 1, 40), 60.0), np.append(np.tile([0.0, 1.0], 20), 1.0)
    y[20:40] = np.where(np.arange(20) % 4 > 0, 1.0, 0.0)
    found, known = regress(x[:, None], y, "logistic"), sm.Logit(y, sm.add_constant(x)).fit(disp=0, maxiter=200)
    assert not found.why
    assert found.r2 == pytest.approx(known.prsquared, abs=1e-6)
