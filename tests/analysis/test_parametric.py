"""Parametric fits by icenReg: its stored numbers in this package's terms, and what cannot be fitted.

Without R, `ic_par` answers with the stored coefficients; with icenReg the same numbers come from R.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.parametric import PARAMETERS, parametric
from parlai_spotbot.analysis.survival.results import CollinearityWarning, ConvergenceWarning

DATASETS = {
    "miceData": ("l", "u", "grp", "ge"),
    "IR_diabetes": ("left", "right", "gender", "male"),
    "bcos": ("left", "right", "treatment", "RadChem"),
}
MODELS = ("ph", "po", "aft")
ICENREGS_NAME = {"lognormal": "lnorm"}
LAWS = {
    "exponential": lambda scale: stats.expon(scale=np.exp(scale)),
    "weibull": lambda shape, scale: stats.weibull_min(np.exp(shape), scale=np.exp(scale)),
    "gamma": lambda shape, scale: stats.gamma(np.exp(shape), scale=np.exp(scale)),
    "lognormal": lambda mu, sigma: stats.lognorm(np.exp(sigma), scale=np.exp(mu)),
    "loglogistic": lambda alpha, beta: stats.fisk(np.exp(beta), scale=np.exp(alpha)),
    "generalgamma": lambda mu, sigma, q: stats.gengamma(
        q**-2, q / np.exp(sigma), scale=np.exp(mu + 2 * np.log(q) * np.exp(sigma) / q)
    ),
}


def survival(fit, t, x):
    """P(T > t) at covariate x, elementwise, from the definition of the model."""
    law, shift = LAWS[fit.dist](*fit.parameters.values()), (x - fit.centre[0]) * fit.coef[0]
    if fit.model == "aft":
        return law.sf(t * np.exp(-shift))
    base = law.sf(t)
    return base ** np.exp(shift) if fit.model == "ph" else base / (base + (1 - base) * np.exp(shift))


def numbers(values):
    return np.array([np.nan if v is None else np.inf if v == "Inf" else v for v in values], dtype=float)


def dataset(reference, name, dist, model):
    data = reference("survival/icenreg_datasets.json")[name]
    left, right, group, second = DATASETS[name]
    rows = numbers(data[left]), numbers(data[right]), (np.array(data[group]) == second).astype(float)
    return rows, data["par"][f"{ICENREGS_NAME.get(dist, dist)}/{model}"]


@pytest.fixture
def stored(monkeypatch):
    """Let `ic_par` return stored results of icenReg, and keep its arguments."""
    calls = []

    def answer(theirs, dist, model):
        coef, se, own = numbers(theirs["coef"].values()), numbers(theirs["se"].values()), len(PARAMETERS[dist])
        sign = np.append(np.ones(own), np.full(len(coef) - own, -1.0 if model == "po" else 1.0))

        def ic_par(left, right, X, weights, model, dist):
            calls.append((left, right, X, weights))
            values = (sign * coef)[: own + X.shape[1]]
            parameters = dict(zip(theirs["coef"], values[:own].tolist(), strict=False))
            variance = np.diag(se[: len(values)] ** 2)
            return icenreg.Parametric(values[own:], theirs["llk"], parameters, variance)

        monkeypatch.setattr(icenreg, "unusable", lambda: "")
        monkeypatch.setattr(icenreg, "ic_par", ic_par)
        return calls

    return answer


@pytest.mark.parametrize(("dist", "name", "model"), list(itertools.product(PARAMETERS, DATASETS, MODELS)))
def test_parameters_and_coefficients_have_icenregs_likelihood(reference, stored, dist, name, model):
    (left, right, x), theirs = dataset(reference, name, dist, model)
    if name == "miceData" and dist == "generalgamma":
        pytest.skip("icenReg stopped at its limit of iterations")
    stored(theirs, dist, model)
    fit = parametric(left, right, x, model, dist, names=["group"])
    assert (fit.names, fit.backend, fit.loglik, fit.centre) == (("group",), "icenreg", theirs["llk"], [x.mean()])
    assert list(fit.parameters) == list(PARAMETERS[dist])
    exact, low, high = left == right, survival(fit, left, x), survival(fit, right, x)
    step = 1e-6 * np.maximum(left, 1)
    near = [survival(fit, left + way * step, x) for way in (-1, 1)]
    likelihood = np.where(exact, (near[0] - near[1]) / (2 * step), low - high)
    assert np.log(likelihood).sum() == pytest.approx(theirs["llk"], abs=1e-3)


def test_weights_and_covariates_reach_icenreg_centred(reference, stored):
    (left, right, x), theirs = dataset(reference, "miceData", "weibull", "ph")
    calls = stored(theirs, "weibull", "ph")
    weights = np.arange(len(x)) % 3.0
    with pytest.warns(CollinearityWarning, match="parametric: x2 is constant"):
        fit = parametric(left, right, np.column_stack([x, np.ones(len(x))]), weights=weights)
    centre = np.average(x, weights=weights)
    assert np.isnan(fit.coef[1])
    assert fit.centre.tolist() == [centre, 0]
    sent = calls[0][2]
    assert len(sent) == (weights > 0).sum() + 1
    np.testing.assert_allclose(sent[:-1, 0], (x - centre)[weights > 0])
    assert sent.mean() == pytest.approx(0, abs=1e-12)
    assert [end[-1] for end in calls[0][:2]] == [0, np.inf]


def test_missing_standard_errors_are_named(reference, stored):
    (left, right, x), theirs = dataset(reference, "miceData", "weibull", "ph")
    stored(theirs | {"se": dict.fromkeys(theirs["se"])}, "weibull", "ph")
    with pytest.warns(ConvergenceWarning, match="no standard errors for some parameters"):
        fit = parametric(left, right, x)
    assert np.isnan([*fit.se, *fit.parameter_se.values()]).all()


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (([0, 2], [2, 3]), {"model": "cox"}, "model is 'cox', expected one of ph, po, aft"),
        (([0, 2], [2, 3]), {"dist": "normal"}, "dist is 'normal', expected one of exponential, weibull"),
        (([0, 0], [2, 0]), {}, "right: row 1 is an exact time 0, expected times above 0"),
        (([0, 2], [2, 1]), {}, "right: row 1 is 1.0, expected a number not below left"),
        (([0, 2], [2, 3]), {"X": [[1], [np.nan]]}, "X: row 1, column 'x1' is nan"),
    ],
)
def test_errors_name_the_argument(monkeypatch, rows, options, said):
    monkeypatch.setattr(icenreg, "unusable", lambda: "")
    with pytest.raises(ValueError, match=said):
        parametric(*rows, **options)


def test_error_without_icenreg_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(icenreg, "unusable", lambda: "R has no package icenReg")
    with pytest.raises(ValueError, match="R has no package icenReg; expected icenReg to be installed: install R"):
        parametric([0, 2], [2, 3])


@pytest.mark.skipif(bool(icenreg.unusable()), reason=f"needs icenReg: {icenreg.unusable()}")
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("dist", [d for d in PARAMETERS if d != "generalgamma"])
def test_icenreg_gives_its_stored_numbers(reference, dist, model):
    (left, right, x), theirs = dataset(reference, "bcos", dist, model)
    fit = parametric(left, right, x, model, dist)
    coef, own = numbers(theirs["coef"].values()), len(PARAMETERS[dist])
    assert fit.loglik == pytest.approx(theirs["llk"], abs=1e-4)
    assert fit.loglik_null < fit.loglik
    np.testing.assert_allclose(fit.coef, (-1 if model == "po" else 1) * coef[own:], atol=5e-3)
    np.testing.assert_allclose(list(fit.parameters.values()), coef[:own], atol=5e-3)
