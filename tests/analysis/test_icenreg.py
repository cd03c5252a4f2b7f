"""R's icenReg as a backend: its results beside the native ones, its errors and warnings, threads."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from parlai_spotbot.analysis.survival import cox, icenreg
from parlai_spotbot.analysis.survival.turnbull import turnbull
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from tests.case_tables import cases

needs_icenreg = pytest.mark.skipif(bool(icenreg.unusable()), reason=f"needs icenReg: {icenreg.unusable()}")


def general(n):
    """Rows of every kind, in which the generalized gamma has Q > 0, as icenReg's must."""
    rng = np.random.default_rng(1)
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
@cases(
    "rows",
    """
- [[0, 2], [0, 3], [2, .inf], [3, .inf], [0, 5], [5, .inf]]
- [[0, 2], [1, 3], [2, 2], [2, 5], [3, .inf], [4, 6], [1, 4], [5, 5]]
""",
)
@pytest.mark.parametrize("closed", [None, (True, False)])
def test_turnbull_by_icenreg(rows, closed):
    left, right = np.array(rows, dtype=float).T
    ours, theirs = (turnbull(left, right, closed=closed, backend=b) for b in ("native", "icenreg"))
    assert (ours.backend, theirs.backend) == ("native", "icenreg")
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours.intervals, theirs.intervals)
    np.testing.assert_allclose(theirs.mass, ours.mass, atol=1e-5)
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-7)


def study(n=600, seed=3):
    """Current status of one contestant: three features, conversations, annotators."""
    rng = np.random.default_rng(seed)
    x, k = rng.integers(-1, 2, (n, 3)).astype(float), rng.choice([2.0, 3.0, 5.0], n)
    spotted = rng.random(n) < 1 - np.exp(-np.exp(np.log(0.2 * k) + x @ [0.5, 0.1, -0.3]))
    clusters = [rng.integers(0, n // 4, n), rng.integers(0, 25, n)]
    return np.where(spotted, 0, k), np.where(spotted, k, np.inf), x, clusters


def drawn(clusters):
    return ClusterBootstrap(*clusters, rng=np.random.default_rng(4), replicates=40)


@needs_icenreg
@cases("model clustered", "[[ph, true], [po, false]]")
def test_standard_errors_and_p_are_those_of_the_native_fit(model, clustered):
    left, right, x, clusters = study()
    fits = [
        cox(left, right, x, model, clusters=drawn(clusters) if clustered else None, backend=backend)
        for backend in ("native", "icenreg", "auto")
    ]
    assert [fit.backend for fit in fits] == ["native", "icenreg", "icenreg"]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.coef, fits[0].coef, atol=1e-4)
        np.testing.assert_array_equal(fit.se, fits[0].se)
        np.testing.assert_array_equal(fit.df, fits[0].df)


@pytest.fixture
def pretended(monkeypatch):
    """Let icenReg's regression be a function of the native fit."""

    def pretend(answer):
        def ic_sp(left, right, X, weights, model):
            fit = cox(left, right, X, model, weights=weights, backend="native")
            return answer(fit.coef, fit.loglik)

        monkeypatch.setattr(icenreg, "unusable", lambda: "")
        monkeypatch.setattr(icenreg, "ic_sp", ic_sp)

    return pretend


def test_only_coefficients_come_from_icenreg(pretended):
    left, right, x, clusters = study(200)
    native = cox(left, right, x * 5 + 1e8, backend="native", clusters=drawn(clusters))
    pretended(lambda coef, loglik: (coef + 5e-5, loglik))
    fit = cox(left, right, x * 5 + 1e8, clusters=drawn(clusters))
    assert fit.backend == "icenreg"
    np.testing.assert_allclose(fit.coef - native.coef, 1e-5, rtol=1e-6)
    np.testing.assert_array_equal(fit.covariance, native.covariance)
    np.testing.assert_allclose(fit.pvalue, native.pvalue, atol=1e-3)


def stops(*arguments):
    raise RuntimeError("icenReg::ic_sp: no package called codetools")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (stops, "cox: icenReg::ic_sp: no package called codetools; the native estimate is used"),
        (lambda coef, loglik: (coef, loglik - 1e-3), "stopped 0.001 below the greatest log-likelihood"),
        (lambda coef, loglik: (coef + 0.1, loglik), "at coefficients 0.1 away; the native estimate is used"),
    ],
)
def test_the_native_estimate_stands_where_icenreg_fails(pretended, answer, said):
    left, right, x, clusters = study(200)
    native = cox(left, right, x, clusters=drawn(clusters), backend="native")
    pretended(answer)
    with pytest.warns(icenreg.IcenRegWarning, match=said):
        fit = cox(left, right, x, clusters=drawn(clusters))
    assert fit.backend == "native"
    np.testing.assert_array_equal(fit.coef, native.coef)
    np.testing.assert_array_equal(fit.pvalue, native.pvalue)


def test_the_native_curve_stands_where_icenreg_fails(monkeypatch):
    monkeypatch.setattr(icenreg, "unusable", lambda: "")
    monkeypatch.setattr(icenreg, "ic_np", stops)
    left, right, _, _ = study(200)
    with pytest.warns(icenreg.IcenRegWarning, match="turnbull: icenReg::.*; the native estimate is used"):
        fit = turnbull(left, right)
    assert fit.backend == "native"
    np.testing.assert_array_equal(fit.mass, turnbull(left, right, backend="native").mass)


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
    guarded = robjects.r("function(fun) " + icenreg._R.split("guarded <- function(fun) ")[1].split("frame <-")[0])(call)
    monkeypatch.setitem(guard, "ic_np", guarded)
    with pytest.warns(icenreg.IcenRegWarning, match="icenReg::ic_np: take care"):
        assert icenreg._call("ic_np") == {"value": [2.0]}
    assert capfd.readouterr() == ("", "")


@needs_icenreg
def test_from_four_threads_at_once():
    left, right, x, weights = general(60)

    def work(number):
        model = ("ph", "po")[number % 2]
        fit = icenreg.ic_sp(left, right, x, weights, model)
        curve = turnbull(left, right, weights, backend="icenreg")
        return fit[0], curve.mass

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
