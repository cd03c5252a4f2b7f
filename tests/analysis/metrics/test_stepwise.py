"""Backward removal: against every subset, against statsmodels, and with metrics that repeat each other."""

from itertools import combinations, pairwise

import numpy as np
import pytest
import statsmodels.api as sm

from parlai_spotbot.analysis.metrics.regression import regress
from parlai_spotbot.analysis.metrics.stepwise import removal


def data(seed, n=150, p=8):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    x[:, 1] += 0.7 * x[:, 0]
    x[:, 3] += 0.5 * x[:, 2] - 0.5 * x[:, 1]
    y = x @ rng.normal(size=p) * 0.3 + rng.normal(size=n)
    return x, y, [f"m{i}" for i in range(p)]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_the_beam_finds_what_all_subsets_find(seed, model):
    x, y, names = data(seed, p=6)
    y = (y > 0).astype(float) if model == "logistic" else y
    last = removal(x, y, names, model)["steps"][-1]
    assert last["r2"] == pytest.approx(max(regress(column[:, None], y, model).r2 for column in x.T), abs=1e-9)
    pair = removal(x, y, names, model)["steps"][-2]
    best = max(
        regress(x[:, own], y, model).r2 for own in combinations(range(6), 2) if names.index(last["metrics"][0]) in own
    )
    assert pair["r2"] == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("model", ["linear", "logistic"])
def test_every_step_is_the_fit_of_its_metrics(model):
    x, y, names = data(7, p=6)
    y = (y > 0).astype(float) if model == "logistic" else y
    steps = removal(x, y, names, model)["steps"]
    assert [len(step["metrics"]) for step in steps] == [6, 5, 4, 3, 2, 1]
    for step, after in pairwise(steps):
        assert set(step["metrics"]) - set(after["metrics"]) == {step["removed"]}
    assert steps[-1]["removed"] is None
    for step in steps:
        design = sm.add_constant(x[:, [names.index(name) for name in step["metrics"]]])
        if model == "linear":
            known = sm.OLS(y, design).fit()
            assert (step["r2"], step["adjusted"]) == pytest.approx((known.rsquared, known.rsquared_adj))
        else:
            known = sm.Logit(y, design).fit(disp=0)
            adjusted = 1 - (known.llf - len(step["metrics"])) / known.llnull
            assert (step["r2"], step["adjusted"]) == pytest.approx((known.prsquared, adjusted), abs=1e-7)


def test_what_does_not_vary_is_left_out_and_what_cannot_be_is_said():
    x, y, names = data(1, p=4)
    x[:, 2] = 0.5
    found = removal(x, y, names, "linear")
    assert found["constant"] == ["m2"]
    assert found["steps"][0]["metrics"] == ["m0", "m1", "m3"]
    assert removal(x[:5], y[:5], names, "linear")["why"] == "too few rows: 5 for 3 predictors"
    assert "nothing to explain" in removal(x, np.ones(len(y)), names, "linear")["why"]
    assert removal(np.ones((20, 2)), y[:20], names[:2], "linear")["why"]
