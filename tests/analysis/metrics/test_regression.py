"""Regressions against statsmodels, and what can't be fitted."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.metrics import regression
from parlai_spotbot.analysis.metrics.regression import linear, logistic, separated, signed_r2

CLUSTERED = {"cov_type": "cluster", "use_t": True}


def data(seed, n=90, k=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k)) * [1, 20, 0.01][:k] + [0, 5, 3][:k]
    who = rng.integers(15, size=n)
    y = (
        (x - x.mean(axis=0)) / x.std(axis=0) @ [0.6, -0.3, 0.0][:k]
        + rng.normal(size=n)
        + 0.4 * rng.normal(size=15)[who]
    )
    return x, y, who


@pytest.mark.parametrize("seed", range(3))
def test_least_squares_as_statsmodels_has_them(seed):
    x, y, who = data(seed)
    found, known = linear(x, y, who), sm.OLS(y, sm.add_constant(x)).fit()
    np.testing.assert_allclose(found.coef, known.params[1:], rtol=1e-9)
    np.testing.assert_allclose(found.p, known.pvalues[1:], rtol=1e-9)
    assert (found.r2, found.adjusted) == pytest.approx((known.rsquared, known.rsquared_adj))
    assert (found.p_model, found.loglik) == pytest.approx((known.f_pvalue, known.llf))
    robust = sm.OLS(y, sm.add_constant(x)).fit(cov_kwds={"groups": who}, **CLUSTERED)
    # Statsmodels has one factor for all clusters, here each has its own by its part of the information.
    np.testing.assert_allclose(found.se_clustered, robust.bse[1:], rtol=0.06)


@pytest.mark.parametrize("seed", range(3))
def test_logistic_regression_as_statsmodels_has_it(seed):
    x, y, who = data(seed)
    y = (y > 0).astype(float)
    found, known = logistic(x, y, who), sm.Logit(y, sm.add_constant(x)).fit(disp=0)
    np.testing.assert_allclose(found.coef, known.params[1:], rtol=1e-6)
    np.testing.assert_allclose(found.p, known.pvalues[1:], rtol=1e-6)
    assert (found.r2, found.p_model) == pytest.approx((known.prsquared, known.llr_pvalue), rel=1e-8)
    assert found.adjusted == pytest.approx(1 - (known.llf - 3) / known.llnull)
    assert found.intercept == pytest.approx(known.params[0], rel=1e-6)
    robust = sm.Logit(y, sm.add_constant(x)).fit(disp=0, cov_kwds={"groups": who}, **CLUSTERED)
    np.testing.assert_allclose(found.se_clustered, robust.bse[1:], rtol=0.06)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["linear", "logistic"]))
def test_a_bootstrap_replicate_is_the_fit_of_the_rows_it_drew(seed, model):
    x, y, _ = data(seed, n=60, k=1)
    rng = np.random.default_rng(seed)
    y = (y > 0).astype(float) if model == "logistic" else y
    drawn = rng.integers(60, size=60)
    weights = np.bincount(drawn, minlength=60)[None].astype(float)
    fit = (logistic if model == "logistic" else linear)(x[drawn], y[drawn])
    found = signed_r2(x[:, 0], y, weights, model)[0]
    assert found == pytest.approx(np.sign(fit.coef[0]) * fit.r2, abs=1e-6)


@pytest.mark.parametrize("fit", [linear, logistic])
@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        (np.full(20, 0.25), np.tile([0, 1], 10), regression.CONSTANT),
        (np.arange(20), np.ones(20), regression.FLAT_OUTCOME),
        (np.arange(3), np.array([0, 1, 0]), "too few rows: 3 for 1 predictors"),
        (np.column_stack([np.arange(20), 2 * np.arange(20)]), np.tile([0, 1], 10), regression.COLLINEAR),
    ],
)
def test_what_cannot_be_fitted_is_said(fit, x, y, why):
    found = fit(x, y)
    assert found.why == why
    assert np.isnan(found.coef).all()
    assert np.isnan(found.r2)


def test_separated_outcomes_are_said_completely_and_nearly():
    x = np.linspace(-1, 1, 30)
    assert logistic(x, (x > 0.3).astype(float)).why == regression.SEPARATED
    halved = np.repeat([0.0, 1.0], 15)  # a 0 only where y is 0: separated in part
    y = np.concatenate([np.zeros(15), np.tile([0.0, 1.0, 1.0], 5)])
    assert logistic(halved, y).why == regression.SEPARATED
    assert not separated(np.column_stack([np.ones(30), x]), np.tile([0.0, 1.0], 15))


def test_one_far_row_is_no_separation():
    x, y = np.append(np.linspace(-1, 1, 40), 60.0), np.append(np.tile([0.0, 1.0], 20), 1.0)
    y[20:40] = np.where(np.arange(20) % 4 > 0, 1.0, 0.0)
    found, known = logistic(x, y), sm.Logit(y, sm.add_constant(x)).fit(disp=0, maxiter=200)
    assert not found.why
    assert found.r2 == pytest.approx(known.prsquared, abs=1e-6)


def test_rows_with_gaps_are_refused():
    with pytest.raises(ValueError, match="aren't finite"):
        linear(np.array([1.0, np.nan, 2.0]), np.arange(3))
    with pytest.raises(ValueError, match="clusters has 2 entries, expected one for each of 5 rows"):
        linear(np.arange(5), np.arange(5), ["a", "b"])
