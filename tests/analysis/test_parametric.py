"""Parametric fits by icenReg: its stored numbers in this package's terms, and what cannot be fitted.

Without R, `ic_par` answers with the stored coefficients; with icenReg the same numbers come from R.
"""

import numpy as np
import pytest

from parlai_spotbot.analysis.survival import icenreg, parametric
from parlai_spotbot.analysis.survival.results import CollinearityWarning
from tests.case_tables import case_table, cases


def bcos(reference, dist, model):
    """Left, right and treatment of the breast cosmesis data, and icenReg's stored fit."""
    data = reference("survival/icenreg_datasets.json")["bcos"]
    left, right = (np.array([np.inf if v == "Inf" else v for v in data[end]], float) for end in ("left", "right"))
    x = (np.array(data["treatment"]) == "RadChem").astype(float)
    return (left, right, x), data["par"][f"{icenreg.DISTRIBUTIONS[dist]}/{model}"]


def pretended(monkeypatch):
    """Let `ic_par` keep its arguments, and answer 1 and 2 of the first two parameters, 3 of the coefficient."""
    calls = []

    def call(*arguments):
        calls.append(arguments)
        names, covariance = ["log_shape", "log_scale", "x1"], np.arange(9.0).reshape(3, 3)
        return {"coef": np.array([1.0, 2, 3]), "names": names, "llk": np.array([-4.0]), "covariance": covariance}

    monkeypatch.setattr(icenreg, "unusable", lambda: "")
    monkeypatch.setattr(icenreg, "_call", call)
    return calls


@cases("model sign", "[[ph, 1], [po, -1]]")
def test_icenregs_answer_in_our_terms(monkeypatch, model, sign):
    calls, x = pretended(monkeypatch), np.arange(6.0)
    weights = x % 3
    with pytest.warns(CollinearityWarning, match="x2 is constant"):
        fit = parametric(x, x + 1, np.column_stack([x, np.ones(6)]), model, weights=weights)
    np.testing.assert_array_equal(fit.coef, [sign * 3, np.nan])
    np.testing.assert_array_equal(fit.se, [8**0.5, np.nan])
    assert (fit.names, fit.backend, fit.loglik) == (("x1", "x2"), "icenreg", -4.0)
    assert fit.parameters == {"log_shape": 1.0, "log_scale": 2.0}
    name, left, _, sent, X, *rest = calls[0]
    assert (name, rest) == ("ic_par", [model, "weibull"])
    for values, expected in ((left, x), (sent, weights), (X[:, 0], x)):
        np.testing.assert_array_equal(values, expected[weights > 0])


@case_table(__file__, "refused")
def test_refused(monkeypatch, change, error):
    monkeypatch.setattr(icenreg, "unusable", lambda: "")
    with pytest.raises(ValueError, match=error):
        parametric(**({"left": [0, 2], "right": [2, 3]} | change))


def test_error_without_icenreg_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(icenreg, "unusable", lambda: "R has no package icenReg")
    with pytest.raises(ValueError, match="R has no package icenReg; expected icenReg to be installed: install R"):
        parametric([0, 2], [2, 3])


@pytest.mark.skipif(bool(icenreg.unusable()), reason=f"needs icenReg: {icenreg.unusable()}")
@pytest.mark.parametrize("model", ["ph", "po", "aft"])
@pytest.mark.parametrize("dist", [dist for dist in icenreg.DISTRIBUTIONS if dist != "generalgamma"])
def test_icenreg_gives_its_stored_numbers(reference, dist, model):
    rows, theirs = bcos(reference, dist, model)
    fit, own = parametric(*rows, model, dist), len(theirs["coef"]) - 1
    coef = np.array(list(theirs["coef"].values()))
    assert fit.loglik == pytest.approx(theirs["llk"], abs=1e-4)
    np.testing.assert_allclose(fit.coef, (-1 if model == "po" else 1) * coef[own:], atol=5e-3)
    np.testing.assert_allclose(list(fit.parameters.values()), coef[:own], atol=5e-3)
