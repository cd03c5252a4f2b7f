"""R's icenReg as a backend: its results beside the native ones, its errors and warnings, threads."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.intervals import innermost
from parlai_spotbot.analysis.survival.parametric import parametric
from parlai_spotbot.analysis.survival.turnbull import turnbull

needs_icenreg = pytest.mark.skipif(bool(icenreg.unusable()), reason=f"needs icenReg: {icenreg.unusable()}")


def general(n=150, seed=1):
    """Rows of every kind, in which the generalized gamma has Q > 0, as icenReg's must."""
    rng = np.random.default_rng(seed)
    x = rng.normal((1, 0), 1, (n, 2))
    time = np.exp(1 + x @ [-0.4, 0.3] + 0.5 * np.log(rng.weibull(1, n)))
    left, right = np.floor(time), np.ceil(time)
    exact = rng.random(n) < 0.2
    left, right = np.where(exact, time, left), np.where(exact, time, right)
    right = np.where((rng.random(n) < 0.2) & (left > 0), np.inf, right)
    return left, right, x, rng.integers(1, 4, n).astype(float)


def test_importing_costs_nothing():
    code = (
        "import sys, parlai_spotbot.analysis.survival as s; s.turnbull([0, 2], [2, float('inf')], backend='native'); "
        "print([m for m in sys.modules if m.startswith('rpy2')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_is_not_there_is_said():
    with pytest.raises(ValueError, match="backend is 'r', expected one of auto, native, icenreg"):
        icenreg.choose("r")
    assert icenreg.choose("native") == "native"
    assert icenreg.choose("auto") == ("native" if icenreg.unusable() else "icenreg")
    if icenreg.unusable():
        with pytest.raises(ValueError, match="expected icenReg to be installed: install R"):
            icenreg.choose("icenreg")


def test_baseline_moves_to_covariates_zero():
    mass = np.array([0.2, 0.5, 0.3])
    survival = np.array([0.8, 0.3, 0.0])
    odds = icenreg._at_zero(mass, 0.7, "po")
    np.testing.assert_allclose(1 - np.cumsum(odds), survival / (survival + (1 - survival) * np.exp(-0.7)), atol=1e-15)
    np.testing.assert_allclose(1 - np.cumsum(icenreg._at_zero(mass, 0.7, "ph")), survival ** np.exp(-0.7), atol=1e-15)


@needs_icenreg
def test_environment_is_left_alone():
    code = (
        "import os; from parlai_spotbot.analysis.survival import icenreg; before = dict(os.environ); "
        "icenreg.unusable(); print(before.get('LD_LIBRARY_PATH') == os.environ.get('LD_LIBRARY_PATH'))"
    )
    for paths in ({}, {"LD_LIBRARY_PATH": "/nowhere"}):
        environment = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"} | paths
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        assert run.stdout.strip() == "True"


@needs_icenreg
@pytest.mark.parametrize(
    "rows",
    [
        [(0, 2), (0, 3), (2, np.inf), (3, np.inf), (0, 5), (5, np.inf)],
        [(0, 2), (1, 3), (2, 2), (2, 5), (3, np.inf), (4, 6), (1, 4), (5, 5)],
        [(1, 2)],
    ],
)
@pytest.mark.parametrize("closed", [None, (True, True), (True, False), (False, False)])
def test_turnbull_by_icenreg(rows, closed):
    left, right = np.array(rows, dtype=float).T
    ours, theirs = (turnbull(left, right, closed=closed, backend=b) for b in ("native", "icenreg"))
    assert (ours.backend, theirs.backend) == ("native", "icenreg")
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours.intervals, theirs.intervals)
    np.testing.assert_allclose(theirs.mass, ours.mass, atol=1e-5)
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-7)


@needs_icenreg
@pytest.mark.parametrize("model", ["ph", "po"])
def test_semi_parametric_baseline_is_at_covariates_zero(model):
    from rpy2 import robjects

    left, right, x, weights = general()
    fit = icenreg.ic_sp(left, right, x, weights, model)
    with robjects.default_converter.context():
        for name, values in (("l", left), ("r", right), ("a", x[:, 0]), ("b", x[:, 1]), ("w", weights)):
            robjects.globalenv[name] = robjects.FloatVector(values.tolist())
        curve = robjects.r(f"""
            fit <- icenReg::ic_sp(cbind(l, r) ~ a + b, data.frame(l, r, a, b), "{model}", weights = w)
            c(icenReg::getSCurves(fit, data.frame(a = 0, b = 0))$S_curves[[1]])""")
        curve = np.array(list(curve))
        coef = np.array(list(robjects.r("fit$coefficients")))
        robjects.r("rm(l, r, a, b, w, fit)")
    np.testing.assert_array_equal(fit.coef, coef if model == "ph" else -coef)
    np.testing.assert_allclose(1 - np.cumsum(fit.mass), curve[1:], atol=1e-9)
    np.testing.assert_allclose(fit.intervals, innermost(left, right, weights).ends)
    assert fit.coef[0] > 0 > fit.coef[1]  # positive: sooner
    assert fit.covariance is None


@needs_icenreg
def test_bootstrap_is_seeded_and_leaves_rs_random_numbers_alone():
    from rpy2 import robjects

    left, right, x, weights = general(60)
    robjects.r("set.seed(7)")
    first = icenreg.ic_sp(left, right, x, weights, "po", bs_samples=8, seed=3)
    drawn = robjects.r("runif(1)")[0]
    robjects.r("set.seed(7)")
    assert robjects.r("runif(1)")[0] == drawn
    again = icenreg.ic_sp(left, right, x, weights, "po", bs_samples=8, seed=3)
    other = icenreg.ic_sp(left, right, x, weights, "po", bs_samples=8, seed=np.random.default_rng(4))
    assert first.replicates.shape == (8, 2)
    np.testing.assert_array_equal(first.replicates, again.replicates)
    assert (first.replicates != other.replicates).all()
    np.testing.assert_allclose(first.covariance, np.cov(first.replicates.T), rtol=1e-9)
    assert np.abs(first.replicates.mean(axis=0) - first.coef).max() < 1


@needs_icenreg
def test_semi_parametric_without_covariates_is_the_npmle():
    left, right, _, weights = general()
    fit = icenreg.ic_sp(left, right, np.empty((len(left), 0)), weights, "ph")
    plain = turnbull(left, right, weights, backend="native")
    assert fit.loglik == pytest.approx(plain.loglik, abs=1e-5)
    assert fit.coef.shape == (0,)
    np.testing.assert_allclose(fit.intervals, plain.intervals)


@needs_icenreg
@pytest.mark.parametrize("model", ["ph", "po", "aft"])
@pytest.mark.parametrize("dist", ["exponential", "weibull", "gamma", "lognormal", "loglogistic"])
def test_parametric_by_icenreg(model, dist):
    left, right, x, weights = general()
    ours, theirs = (parametric(left, right, x, model, dist, weights=weights, backend=b) for b in ("native", "icenreg"))
    assert (ours.backend, theirs.backend) == ("native", "icenreg")
    assert type(ours) is type(theirs)
    assert ours.loglik >= theirs.loglik - 1e-8
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-6)
    assert theirs.loglik_null == pytest.approx(ours.loglik_null, abs=1e-6)
    np.testing.assert_allclose(theirs.coef, ours.coef, atol=1e-4)
    np.testing.assert_allclose(theirs.se, ours.se, rtol=1e-2)
    for name, value in ours.parameters.items():
        assert theirs.parameters[name] == pytest.approx(value, abs=1e-4)
        assert theirs.parameter_se[name] == pytest.approx(ours.parameter_se[name], rel=1e-2)
    t = [0.5, 2, 6]
    np.testing.assert_allclose(theirs.survival(t, x[:3]), ours.survival(t, x[:3]), atol=1e-4)


@needs_icenreg
def test_generalized_gamma_by_icenreg():
    left, right, x, weights = general()
    ours, theirs = (
        parametric(left, right, x, "aft", "generalgamma", weights=weights, backend=b) for b in ("native", "icenreg")
    )
    assert ours.parameters["Q"] > 0
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-5)
    for name, value in ours.parameters.items():
        assert theirs.parameters[name] == pytest.approx(value, abs=1e-3)
        assert theirs.parameter_se[name] == pytest.approx(ours.parameter_se[name], rel=0.05)


@needs_icenreg
def test_errors_of_r_name_the_call(capfd):
    left, right, x, weights = general(20)
    with pytest.raises(RuntimeError, match=r"^icenReg::ic_sp: .*model"):
        icenreg.ic_sp(left, right, x, weights, "aft")
    with pytest.raises(RuntimeError, match=r"^icenReg::ic_par: uncensored times cannot be equal"):
        icenreg.ic_par(np.zeros(3), np.zeros(3), x[:3], weights[:3], "ph", "weibull")
    with pytest.raises(RuntimeError, match=r"^icenReg::ic_np: "):
        icenreg.ic_np(right, left, weights, (False, True), 3)
    assert capfd.readouterr() == ("", "")


@needs_icenreg
def test_warnings_of_r_name_the_call(monkeypatch, capfd):
    from rpy2 import robjects

    call = robjects.r('function() { warning("take care"); message("note"); print("text"); list(value = 2) }')
    guard = icenreg._functions()
    guarded = robjects.r("function(fun) " + icenreg._R.split("guarded <- function(fun) ")[1].split("seeded <-")[0])(
        call
    )
    monkeypatch.setitem(guard, "ic_np", guarded)
    with pytest.warns(icenreg.IcenRegWarning, match="icenReg::ic_np: take care"):
        assert icenreg._call("ic_np") == {"value": [2.0]}
    assert capfd.readouterr() == ("", "")


@needs_icenreg
def test_from_four_threads_at_once():
    left, right, x, weights = general(60)

    def work(number):
        model = ("ph", "po")[number % 2]
        fit = icenreg.ic_sp(left, right, x, weights, model, bs_samples=3, seed=number)
        curve = turnbull(left, right, weights, backend="icenreg")
        return fit.coef, fit.replicates, curve.mass

    alone = [work(number) for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, range(8)))
    for one, other in zip(alone, together, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


@needs_icenreg
def test_first_call_from_a_thread():
    code = (
        "import threading; from parlai_spotbot.analysis.survival import turnbull; said = []; "
        "work = lambda: said.append(turnbull([0, 2], [2, float('inf')], backend='icenreg').mass.tolist()); "
        "threads = [threading.Thread(target=work) for _ in range(4)]; [t.start() for t in threads]; "
        "[t.join() for t in threads]; print(said)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str([[0.5, 0.5]] * 4)
    assert "rror" not in run.stderr
