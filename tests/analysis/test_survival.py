"""Survival against the original R packages' numbers, exact maxima, and properties."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from parlai_spotbot.analysis.survival import (
    SeparationWarning,
    cox,
    current_status_survival,
    icenreg,
    turnbull,
)

DOMAINS = ("dailydialog", "empathetic")
COLUMNS = ["fluent", "specific", "sensible"]
needs_icenreg = pytest.mark.skipif(bool(icenreg.unusable()), reason=f"needs icenReg: {icenreg.unusable()}")


def numbers(values):
    return np.array([np.inf if v == "Inf" else v for v in values], dtype=float)


@pytest.mark.parametrize("domain", DOMAINS)
def test_turnbull_of_every_system(reference, domain):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    for system in known["systems"]:
        rows = events[events["system"] == system]
        fit = turnbull(rows["time_left"], rows["time_right"], backend="native")
        expected = known["npmle"][system]
        np.testing.assert_allclose(fit.survival(known["times"]), expected["S_exact_pava"], atol=1e-12)
        assert fit.loglik == pytest.approx(expected["llk_exact"], abs=1e-8)
        assert fit.kkt < 1e-8


@pytest.mark.parametrize(
    ("name", "left", "right"), [("miceData", "l", "u"), ("IR_diabetes", "left", "right"), ("bcos", "left", "right")]
)
def test_turnbull_of_icenregs_datasets(reference, name, left, right):
    data = reference("survival/icenreg_datasets.json")[name]
    fit = turnbull(numbers(data[left]), numbers(data[right]), backend="native")
    assert len(fit.mass) == len(data["np_all"]["p_hat"])
    np.testing.assert_allclose(fit.intervals[:, 0], data["np_all"]["tbull_left"], atol=1e-9)
    assert fit.loglik >= data["np_all"]["llk"] - 1e-8
    assert fit.kkt < 1e-8


def test_turnbull_at_the_edges(reference):
    for name, case in reference("survival/icenreg_datasets.json")["edge"].items():
        closed = tuple(bool(b) for b in case["B"]) if "B" in case else None
        fit = turnbull(numbers(case["l"]), numbers(case["r"]), closed=closed, backend="native")
        np.testing.assert_allclose(fit.mass, case["np"]["p_hat"], atol=1e-8, err_msg=name)
        assert fit.loglik == pytest.approx(case["np"]["llk"], abs=1e-8), name
        assert fit.kkt < 1e-8, name


def test_turnbull_of_20000_simulated_rows(reference):
    data = reference("survival/sim20000.csv.gz")
    fit = turnbull(data["l"], data["u"], backend="native")
    assert len(fit.mass) == 5237
    assert fit.loglik == pytest.approx(-16526.002995568564, abs=1e-8)
    assert fit.kkt < 1e-10


def test_turnbull_needs_no_file():
    # Six rows by hand: two of four spotted at 1, one of two at 2 -> shares 1/2, 1/2.
    fit = turnbull([0, 0, 1, 1, 0, 2], [1, 1, np.inf, np.inf, 2, np.inf], backend="native")
    assert fit.survival([0.5, 1, 2, 99]).tolist() == [1.0, 0.5, 0.5, 0.5]
    assert fit.loglik == pytest.approx(6 * np.log(0.5))
    exact = turnbull([1, 2, 2, 3, 5, 4], [1, 2, 2, 3, 5, np.inf], backend="native")  # Kaplan-Meier
    np.testing.assert_allclose(exact.survival([1, 2, 3, 5]), [5 / 6, 1 / 2, 1 / 3, 0], atol=1e-9)


interval_data = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 6), st.booleans()).map(
        lambda row: (float(row[0]), np.inf if row[2] else float(row[0] + row[1]))
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(interval_data, st.randoms(use_true_random=False))
def test_turnbull_is_a_maximum_whatever_the_data(rows, random):
    left, right = np.array(rows).T
    fit = turnbull(left, right, backend="native")
    assert fit.kkt < 1e-8
    assert fit.mass.sum() == pytest.approx(1.0)
    assert (fit.mass >= 0).all()
    assert (np.diff(fit.survival(np.arange(0, 20, 0.5))) <= 1e-12).all()
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = turnbull(*np.array(shuffled).T, backend="native")
    assert again.loglik == pytest.approx(fit.loglik, abs=1e-7)
    halves = turnbull(np.tile(left, 2), np.tile(right, 2), weights=np.full(2 * len(left), 0.5), backend="native")
    assert halves.loglik == pytest.approx(fit.loglik, abs=1e-7)
    stretched = turnbull(left**3, right**3, backend="native")
    assert stretched.loglik == pytest.approx(fit.loglik, abs=1e-7)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ([], [], "no observations"),
        ([2, 3], [5, 1], "right: row 1 is 1.0, expected a number not below left"),
        ([-1], [2], "left: row 0 is -1.0"),
        ([np.nan], [2], "left: row 0 is nan"),
        ([1, 2], [2], r"right: shape \(1,\)"),
        (["soon"], [2], "left: .*expected numbers"),
    ],
)
def test_turnbull_names_what_is_no_interval(left, right, said):
    with pytest.raises(ValueError, match=said):
        turnbull(left, right)


def test_bootstrap_curves_are_the_npmle():
    rng = np.random.default_rng(0)
    total = rng.integers(1, 30, (50, 4))
    spotted = rng.binomial(total, 0.6)
    survival = current_status_survival(spotted, total)
    for row in range(50):
        left, right, weights = [], [], []
        for k in range(4):
            left += [0.0, k + 1.0]
            right += [k + 1.0, np.inf]
            weights += [spotted[row, k], total[row, k] - spotted[row, k]]
        fit = turnbull(left, right, weights=weights, backend="native")
        np.testing.assert_allclose(survival[row], fit.survival([1, 2, 3, 4]), atol=1e-12)
    gap = current_status_survival(np.array([1, 0, 3]), np.array([4, 0, 4]))
    assert gap[0] == 0.75
    assert gap[2] == 0.25
    assert 0.25 <= gap[1] <= 0.75
    assert np.isnan(current_status_survival(np.zeros(3), np.zeros(3))).all()


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(("model", "sign"), [("ph", 1), ("po", -1)])
def test_cox_of_every_system(reference, domain, model, sign):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    for system in known["systems"]:
        rows = events[events["system"] == system]
        fit = cox(rows["time_left"], rows["time_right"], rows[COLUMNS], model=model, backend="native")
        exact = known["regression"][system][f"exact_{model}"]
        assert fit.names == tuple(COLUMNS)
        np.testing.assert_allclose(fit.coef, [sign * exact["coef"][c] for c in COLUMNS], atol=1e-6)
        np.testing.assert_allclose(fit.se, [exact["se_info"][c] for c in COLUMNS], atol=1e-5)
        assert fit.loglik >= exact["llk"] - 1e-8
        assert list(fit.baseline.values()) == sorted(fit.baseline.values(), reverse=True)


@pytest.mark.parametrize("model", ["ph", "po"])
def test_cox_against_a_general_optimiser(model):
    rng = np.random.default_rng(8)
    x = rng.normal(size=(300, 2))
    k = rng.choice([1.0, 2.0, 4.0], 300)
    eta = np.log(0.4 * k) + x @ [0.7, -0.4]
    p = 1 - np.exp(-np.exp(eta)) if model == "ph" else 1 / (1 + np.exp(-eta))
    spotted = rng.random(300) < p
    fit = cox(np.where(spotted, 0, k), np.where(spotted, k, np.inf), x, model=model, backend="native")

    def minus_loglik(theta):
        level = theta[np.searchsorted([1.0, 2.0, 4.0], k)] + x @ theta[3:]
        if model == "ph":
            return -np.where(spotted, np.log(-np.expm1(-np.exp(level))), -np.exp(level)).sum()
        return np.logaddexp(0, np.where(spotted, -level, level)).sum()

    best = minimize(minus_loglik, np.array([-1.0, 0.0, 0.5, 0.0, 0.0]), method="BFGS", options={"gtol": 1e-8})
    assert (np.diff(best.x[:3]) > 0).all()  # the order of the baseline doesn't bind here
    np.testing.assert_allclose(fit.coef, best.x[3:], atol=1e-5)
    assert fit.loglik == pytest.approx(-best.fun, abs=1e-8)
    assert fit.coef[0] > 0 > fit.coef[1]  # positive: spotted sooner
    survival = np.exp(-np.exp(best.x[:3])) if model == "ph" else 1 / (1 + np.exp(best.x[:3]))
    np.testing.assert_allclose(list(fit.baseline.values()), survival, atol=1e-5)


def test_cox_warns_of_separation():
    left, right = np.array([0, 0, 0, 2, 2, 2.0]), np.array([2, 2, 2, np.inf, np.inf, np.inf])
    x = pd.DataFrame({"tells": [1, 1, 1, 0, 0, 0], "noise": [0, 1, 0, 1, 0, 0]})
    with pytest.warns(SeparationWarning, match="cox: tells separates"):
        fit = cox(left, right, x, backend="native")
    assert fit.coef[0] == np.inf
    assert np.isnan(fit.se[0])
    assert np.isnan(fit.pvalue[0])


def test_cox_leaves_out_lengths_that_say_nothing():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 2, 200)
    spotted = rng.random(200) < 0.3 + 0.3 * x
    left, right = np.where(spotted, 0, 2.0), np.where(spotted, 2.0, np.inf)
    plain = cox(left, right, x, backend="native")
    more = cox(
        np.append(left, [1.0, 1.0, 0.0]), np.append(right, [np.inf, np.inf, 9.0]), np.append(x, [0, 1, 1]),
        backend="native",
    )  # fmt: skip
    np.testing.assert_allclose(more.coef, plain.coef, atol=1e-9)
    assert more.baseline[1.0] == 1.0
    assert more.baseline[9.0] == 0.0


@pytest.mark.parametrize(
    ("left", "right", "x", "said"),
    [
        ([0, 2], [2, np.inf], [[1.0], [1.0]], "covariate 'x1' is constant"),
        ([0, 2, 0], [2, np.inf, 3], [[1, 2], [2, 4], [3, 6]], "covariate 'x2' is constant or a combination"),
        ([1, 2], [2, np.inf], [[1], [2]], r"row 0 is \(1.0, 2.0\], expected current-status"),
        ([2, 2], [np.inf, np.inf], [[1], [2]], "no length at which some were spotted"),
        ([0, 2], [2, np.inf], [[np.nan], [2]], "X: row 0, column 0 is nan"),
        ([0, 2], [2, np.inf], [[1.0]], "expected one row for every observation"),
    ],
)
def test_cox_names_what_it_cannot_use(left, right, x, said):
    with pytest.raises(ValueError, match=said):
        cox(left, right, np.array(x))


def test_backends_are_named():
    with pytest.raises(ValueError, match="backend is 'r', expected one of auto, native, icenreg"):
        turnbull([0], [2], backend="r")
    assert turnbull([0, 2], [2, np.inf], backend="native").backend == "native"
    if icenreg.unusable():
        assert turnbull([0, 2], [2, np.inf], backend="auto").backend == "native"
        with pytest.raises(ValueError, match="expected icenReg to be installed"):
            turnbull([0, 2], [2, np.inf], backend="icenreg")


@needs_icenreg
@pytest.mark.parametrize(
    "rows",
    [
        [(0, 2), (0, 3), (2, np.inf), (3, np.inf), (0, 5), (5, np.inf)],
        [(0, 2), (1, 3), (2, 2), (2, 5), (3, np.inf), (4, 6), (1, 4), (5, 5)],
        [(1, 2)],
    ],
)
def test_turnbull_by_icenreg(rows):
    left, right = np.array(rows, dtype=float).T
    ours, theirs = turnbull(left, right, backend="native"), turnbull(left, right, backend="icenreg")
    assert theirs.backend == "icenreg"
    np.testing.assert_allclose(theirs.mass, ours.mass, atol=1e-6)
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-8)


@needs_icenreg
@pytest.mark.parametrize("model", ["ph", "po"])
def test_cox_by_icenreg(model):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(200, 2))
    k = rng.choice([2.0, 3.0, 5.0], 200)
    spotted = rng.random(200) < 1 / (1 + np.exp(-x @ [0.8, -0.5]))
    left, right = np.where(spotted, 0, k), np.where(spotted, k, np.inf)
    ours, theirs = (cox(left, right, x, model=model, backend=b) for b in ("native", "icenreg"))
    np.testing.assert_allclose(theirs.coef, ours.coef, atol=1e-5)
    np.testing.assert_allclose(theirs.se, ours.se, atol=1e-4)
    assert theirs.loglik == pytest.approx(ours.loglik, abs=1e-7)
