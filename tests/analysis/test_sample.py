"""Simulation and imputation against closed forms: what is spotted by when, covariates, clusters, self-consistency."""

import doctest
import importlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from parlai_spotbot.analysis.survival import turnbull
from parlai_spotbot.analysis.survival.imputation import impute
from parlai_spotbot.analysis.survival.results import RegressionFit
from parlai_spotbot.analysis.survival.sample import sample, verdict_correlation

N = 40_000
# With the seeds fixed these don't flicker; 4.5 standard errors leave them sharp all the same.
WIDE = 4.5


def survival_of(name, t, p):
    """Survival functions as textbooks write them (Kalbfleisch & Prentice 2002, chapter 2)."""
    t = np.asarray(t, dtype=float)
    if name == "exponential":
        return np.exp(-t / p["scale"])
    if name == "weibull":
        return np.exp(-((t / p["scale"]) ** p["shape"]))
    if name == "loglogistic":
        return 1 / (1 + (t / p["scale"]) ** p["shape"])
    if name == "lognormal":
        return stats.norm.sf((np.log(t) - p["mu"]) / p["sigma"])
    if name == "gamma":
        return stats.gamma.sf(t / p["scale"], p["shape"])
    w = (np.log(t) - p["mu"]) / p["sigma"]
    below = stats.gamma.cdf(np.exp(p["Q"] * w) / p["Q"] ** 2, p["Q"] ** -2)
    return 1 - below if p["Q"] > 0 else below


FAMILIES = [
    ("exponential", {"scale": 3.0}),
    ("weibull", {"shape": 1.7, "scale": 4.0}),
    ("gamma", {"shape": 2.0, "scale": 1.5}),
    ("lognormal", {"mu": 1.0, "sigma": 0.7}),
    ("loglogistic", {"shape": 2.5, "scale": 3.0}),
    ("generalized_gamma", {"mu": 1.2, "sigma": 0.6, "Q": 0.8}),
    ("generalized_gamma", {"mu": 1.2, "sigma": 0.6, "Q": -0.8}),
]


def assert_share(found, expected):
    """A share of spotted rows (bool) is the expected one, within Monte Carlo error."""
    error = np.sqrt(expected * (1 - expected) / len(found))
    assert abs(found.mean() - expected) < WIDE * error + 1e-12


@pytest.mark.parametrize(("name", "parameters"), FAMILIES)
def test_share_spotted_at_each_length(name, parameters):
    data = sample(N, dist=name, parameters=parameters, seed=3)
    spotted = np.isfinite(data["right"])
    assert (data["left"] == np.where(spotted, 0, data["k"])).all()
    assert (spotted == (data["time"] <= data["k"])).all()
    lengths = data["k"].value_counts()
    assert sorted(lengths.index) == [2, 3, 5]
    for k, count in lengths.items():
        assert count == pytest.approx(N / 3, abs=WIDE * np.sqrt(N * 2 / 9))
        assert_share(spotted[data["k"] == k], 1 - survival_of(name, k, parameters))


@pytest.mark.parametrize("model", ["ph", "po", "aft"])
def test_covariates_do_what_the_model_says(model):
    base, beta = {"shape": 1.7, "scale": 4.0}, 0.8
    X = pd.DataFrame({"fluency": np.arange(N) % 2})
    data = sample(N, parameters=base, X=X, coef=[beta], model=model, times=[3], seed=5)
    at = survival_of("weibull", 3, base)
    expected = {
        "ph": at ** np.exp(beta),
        "po": at / (at + (1 - at) * np.exp(beta)),
        "aft": survival_of("weibull", 3 * np.exp(-beta), base),
    }[model]
    spotted = np.isfinite(data["right"])
    assert_share(spotted[data["fluency"] == 1], 1 - expected)
    assert_share(spotted[data["fluency"] == 0], 1 - at)


@pytest.mark.parametrize(
    "dist",
    [
        stats.weibull_min(1.7, scale=4.0),
        lambda q: 4 * (-np.log1p(-q)) ** (1 / 1.7),
        turnbull([0, 0, 2, 3, 3], [2, 3, 5, np.inf, 5], backend="native"),
    ],
    ids=["scipy", "quantiles", "npmle"],
)
def test_other_distributions(dist):
    data = sample(N, dist=dist, times=[1, 2, 3, 5], seed=2)
    spotted = np.isfinite(data["right"])
    for k in (1, 2, 3, 5):
        known = dist.survival(k) if hasattr(dist, "survival") else survival_of("weibull", k, {"shape": 1.7, "scale": 4})
        assert_share(spotted[data["k"] == k], 1 - float(known))


def test_a_fit_is_sampled_with_its_own_coefficients():
    class Exponential:
        def survival(self, t):
            return np.exp(-np.asarray(t) / 3)

        def quantile(self, q):
            return -3 * np.log1p(-np.asarray(q))

    fit = RegressionFit(("a", "b"), np.array([0.5, -1.0]), np.eye(2), 0, 0, Exponential(), "po", "native")
    X = pd.DataFrame({"b": np.arange(N) % 2, "a": 1.0})  # columns are found by name
    data = sample(N, dist=fit, X=X, times=[2], seed=8)
    expected = fit.survival(2, X.iloc[:2])[:, 0]
    for b in (0, 1):
        assert_share(np.isfinite(data["right"][data["b"] == b]), 1 - expected[b])


def test_inspections_show_what_they_should():
    shown = {how: sample(2000, inspection=how, seed=1) for how in ("case2", "exact", "right", "current_status")}
    for data in shown.values():
        assert ((data["left"] < data["time"]) | (data["left"] == data["right"])).all()
        assert (data["time"] <= data["right"]).all()
    assert (shown["exact"]["left"] == shown["exact"]["right"]).all()
    pairs = set(zip(shown["case2"]["left"], shown["case2"]["right"], strict=True))
    inf = np.inf
    assert pairs == {(0, 2), (0, 3), (2, 3), (2, 5), (3, 5), (3, inf), (5, inf)}
    right = shown["right"]
    censored = np.isinf(right["right"])
    assert set(right["left"][censored]) == {2, 3, 5}
    assert (right["left"] == right["time"])[~censored].all()
    own = sample(3, dist=lambda q: 0 * q + 2.5, inspection="case2", times=[[1, 2, 3], [1, 2, 2], [3, 4, 5]])
    assert own[["left", "right"]].to_numpy().tolist() == [[2, 3], [2, inf], [0, 3]]


def test_continuous_inspection_times():
    data = sample(N, dist="exponential", parameters={"scale": 2}, times=stats.expon(scale=3), seed=4)
    # P(T <= C) for independent exponential times is the rate of T over the sum of the rates.
    assert_share(np.isfinite(data["right"]), (1 / 2) / (1 / 2 + 1 / 3))
    assert stats.kstest(data["k"], stats.expon(scale=3).cdf).pvalue > 1e-4


def pair_correlation(values, clusters):
    """Covariance over all pairs within clusters, over the variance; means known to be 0."""
    frame = pd.DataFrame({"v": values, "c": clusters})
    sums = frame.groupby("c")["v"].agg(["sum", "size"])
    pairs = (sums["sum"] ** 2).sum() - (values**2).sum()
    return pairs / (sums["size"] * (sums["size"] - 1)).sum() / np.mean(values**2)


ASKED = {"conversation_id": (4000, 0.13), "worker_id": (3000, 0.15)}


def test_latent_intraclass_correlation():
    p = {"shape": 1.7, "scale": 4.0}
    data = sample(60_000, parameters=p, clusters=ASKED, seed=6)
    scores = stats.norm.isf(survival_of("weibull", data["time"], p))
    for name, (count, asked) in ASKED.items():
        assert data[name].nunique() == count
        assert data[name].value_counts().max() - data[name].value_counts().min() <= 1
        assert pair_correlation(scores, data[name]) == pytest.approx(asked, abs=0.012)
    assert stats.kstest(scores[:: 60_000 // 4000], "norm").pvalue > 1e-4  # one row a conversation: the margins hold
    spotted = np.isfinite(data["right"])
    for k in (2, 3, 5):
        here = spotted[data["k"] == k]
        expected = 1 - survival_of("weibull", k, p)
        design = 1 + 15 * 0.13 + 20 * 0.15  # variance inflation by clusters, at most
        assert abs(here.mean() - expected) < WIDE * np.sqrt(design * expected * (1 - expected) / len(here))


@pytest.mark.parametrize("model", ["", "ph", "po", "aft"])
def test_intraclass_correlation_of_verdicts(model):
    p, x = {"shape": 1.7, "scale": 4.0}, np.arange(60_000) % 2
    covariates = {"X": x, "coef": [0.8], "model": model} if model else {}
    data = sample(60_000, parameters=p, clusters=ASKED, icc="verdicts", seed=7, **covariates)
    at = survival_of("weibull", data["k"] * (np.exp(-0.8 * x) if model == "aft" else 1), p)
    at = at ** np.exp(0.8 * x) if model == "ph" else at
    at = at / (at + (1 - at) * np.exp(0.8 * x)) if model == "po" else at
    residual = np.isfinite(data["right"]) - (1 - at)
    for name, (_, asked) in ASKED.items():
        assert pair_correlation(residual.to_numpy(), data[name]) == pytest.approx(asked, abs=0.012)


def test_verdicts_correlate_less_than_scores():
    """At p = 1/2 the closed form is (2 / pi) arcsin(r) (Sheppard 1899); elsewhere scipy's bivariate normal."""
    for r in (0.1, 0.5, 0.9, 0.99):
        assert verdict_correlation(np.array([0.5]), r) == pytest.approx(2 / np.pi * np.arcsin(r), abs=1e-9)
    share = np.array([0.2, 0.6])
    h, r = stats.norm.ppf(share), 0.4
    both = stats.multivariate_normal([0, 0], [[1, r], [r, 1]])
    pairs = np.mean([both.cdf([a, b]) for a in h for b in h]) - share.mean() ** 2
    assert verdict_correlation(share, r) == pytest.approx(pairs / np.mean(share * (1 - share)), abs=1e-7)


def test_labels_and_seeds():
    labels = np.array(["c1", "c2"] * 50)
    asked = {"clusters": {"conversation_id": (labels, 0.2), "worker_id": (7, 0.1)}, "X": np.eye(100, 2), "coef": [1, 0]}
    first, again, other = (sample(100, seed=seed, **asked) for seed in (4, 4, 5))
    pd.testing.assert_frame_equal(first, again)
    assert (first["time"] != other["time"]).any()
    assert (first["conversation_id"] == labels).all()
    assert list(first.columns) == ["left", "right", "x1", "x2", "conversation_id", "worker_id", "k", "time"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n": 0}, "n is 0, expected a whole number"),
        ({"dist": "wiebull"}, "dist is 'wiebull', expected one of exponential, weibull"),
        ({"parameters": {"rate": 1}}, "parameters: 'rate', expected shape, scale for weibull"),
        ({"parameters": {"scale": -1}}, "scale is -1.0, expected a finite number above 0"),
        ({"dist": stats.expon(), "parameters": {"scale": 1}}, "expected none unless dist is a family's name"),
        ({"dist": 3}, "dist: 3, expected one of"),
        ({"X": np.zeros((4, 1))}, "X: shape"),
        ({"X": [[1], [np.nan], [2]], "coef": [1]}, "X: row 1, column 'x1' is nan"),
        ({"X": [1, 2, 3]}, "coef: .*expected a finite number for each covariate"),
        ({"coef": [1]}, "coef: .*expected a finite number for each covariate"),
        ({"X": pd.DataFrame({"k": [1, 2, 3]}), "coef": [1]}, "a column 'k', expected each name once"),
        ({"X": [1, 2, 3], "coef": [1], "clusters": {"x1": (2, 0.1)}}, "a column 'x1', expected each name once"),
        ({"model": "additive"}, "model is 'additive', expected one of ph, po, aft"),
        ({"inspection": "daily"}, "inspection is 'daily'"),
        ({"times": [2, 0]}, "is inspected at 0.0, expected a finite number above 0"),
        ({"times": [[1], [0], [np.nan]]}, "row 1 is inspected at 0.0, expected a finite number above 0"),
        ({"times": [2], "inspection": "case2"}, "times: shape .*expected at least 2"),
        ({"clusters": {"c": (2, 1.0)}}, "'c' has intraclass correlation 1.0"),
        ({"clusters": {"c": ([1, 2], 0.1)}}, "'c' has labels of shape"),
        ({"clusters": {"c": (2, 0.6), "d": (2, 0.6)}}, "sum to 1.200, expected at most 1"),
        (
            {"clusters": {"c": (2, 0.1)}, "icc": "verdicts", "inspection": "exact"},
            "expected 'latent' or current_status",
        ),
        ({"dist": lambda q: q + np.inf, "inspection": "exact"}, "row 0 is never spotted"),
    ],
)
def test_what_is_wrong_with_a_sample_is_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        sample(**{"n": 3, "times": [1, 2, 1.5]} | wrong)


@st.composite
def mixed_rows(draw):
    time = st.integers(0, 6)
    rows = draw(st.lists(st.tuples(time, st.integers(0, 4) | st.just(np.inf)), min_size=1, max_size=25))
    return np.array([a for a, _ in rows], float), np.array([a + b for a, b in rows], float)


@settings(max_examples=60, deadline=None)
@given(mixed_rows(), st.sampled_from(["right", "left", "uniform"]))
def test_imputed_times_lie_in_their_intervals(rows, within):
    left, right = rows
    times = impute(left, right, draws=5, within=within, seed=1)
    exact = left == right
    assert times.shape == (5, len(left))
    assert (times[:, exact] == left[exact]).all()
    assert ((times > left) & (times <= right))[:, ~exact].all()


@pytest.mark.parametrize("closed", [(False, True), (True, True), (False, False), (True, False)])
def test_imputation_respects_closed_ends(closed):
    left, right = np.array([1.0, 2, 2, 1, 3, 0]), np.array([3.0, 4, 5, 2, 3, np.inf])
    for within in ("right", "left", "uniform"):
        times = impute(left, right, draws=50, within=within, closed=closed)
        above = (times > left) | ((times == left) & (closed[0] | (left == right)))
        below = (times < right) | ((times == right) & (closed[1] | (left == right)))
        assert above.all()
        assert below.all()


@pytest.mark.parametrize("within", ["right", "left", "uniform"])
def test_imputations_reproduce_the_estimate(within):
    """Self-consistency (Efron 1967; Turnbull 1976): each mass is the mean probability of its interval given a row's."""
    data = sample(300, inspection="case2", times=[1, 2, 3, 4, 6], seed=9)
    fit = turnbull(data["left"], data["right"], backend="native")
    draws = 2000
    times = impute(data["left"], data["right"], draws=draws, within=within, seed=10)
    for (low, high), mass in zip(fit.intervals, fit.mass, strict=True):
        share = np.mean((times > low) & (times <= high))
        assert abs(share - mass) < WIDE * np.sqrt(0.25 / (draws * len(data)))
    assert np.isinf(times).any()
    if within == "uniform":
        low, high = fit.intervals[np.argmax(fit.mass[:-1])]
        inside = times[(times > low) & (times <= high)]
        assert stats.kstest(inside[:5000], stats.uniform(low, high - low).cdf).pvalue > 1e-4


def test_row_by_row_imputation_is_conditional():
    """Masses 1/2, 1/4 and 1/4 on (0, 1], (1, 2] and (2, inf): a row in (0, 2] has 2/3 and 1/3."""
    fit = turnbull([0, 1, 2, 0, 1, 2, 0, 0], [1, 2, np.inf, 1, 2, np.inf, 1, 1], backend="native")
    assert fit.mass == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    times = impute([0, 1], [2, np.inf], fit, draws=N)
    assert_share(times[:, 0] == 1, 2 / 3)
    assert_share(np.isinf(times[:, 1]), 1 / 2)


@pytest.mark.parametrize("model", ["ph", "po", "aft"])
def test_imputation_by_a_regression(model):
    class Weibull:
        def survival(self, t):
            return np.exp(-((np.asarray(t) / 4) ** 1.5))

        def quantile(self, q):
            return 4 * (-np.log1p(-np.asarray(q))) ** (1 / 1.5)

    fit = RegressionFit(("x",), np.array([0.7]), np.eye(1), 0, 0, Weibull(), model, "native")
    X = np.array([[0.0], [1.0], [1.0]])
    left, right = [0, 1, 3], [4, 5, np.inf]
    times = impute(left, right, fit, X=X, draws=N, seed=3)
    for row, at in enumerate((2.0, 3.0, 5.0)):
        below, top = fit.survival([at, right[row]], X[[row]])[0]
        start = fit.survival(left[row], X[[row]])[0, 0]
        end = top if np.isfinite(right[row]) else 0.0
        assert_share(times[:, row] <= at, (start - below) / (start - end))
        assert ((times[:, row] > left[row]) & (times[:, row] <= right[row])).all()


def test_imputation_by_a_regression_with_mass_by_interval():
    base = turnbull([0, 1, 2, 0, 1, 2, 0, 0], [1, 2, np.inf, 1, 2, np.inf, 1, 1], backend="native")
    fit = RegressionFit(("x",), np.array([0.9]), np.eye(1), 0, 0, base, "po", "native")
    times = impute([0], [2], fit, X=[[1.0]], draws=N, seed=3)
    one, two = 1 - fit.survival([1, 2], [[1.0]])[0]
    assert_share(times[:, 0] == 1, one / two)
    assert (impute([0], [2], fit, X=[[1.0]], draws=50, within="left") < 2).all()


def test_imputing_from_the_truth_gives_it_back():
    data = sample(5000, dist=stats.gamma(2, scale=2), seed=1)
    times = impute(data["left"], data["right"], stats.gamma(2, scale=2), seed=2)
    assert stats.kstest(times[0], stats.gamma(2, scale=2).cdf).pvalue > 1e-4


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"left": [3, 1]}, "right: row 0 is 2.0, expected a number not below left"),
        ({"within": "middle"}, "within is 'middle', expected one of right, left, uniform"),
        ({"draws": 0}, "draws is 0"),
        ({"X": [[1.0]] * 2, "fit": stats.expon()}, "expected covariates only with a RegressionFit"),
        ({"fit": stats.uniform(5, 6)}, r"row 0, \(0.0, 2.0\], cannot occur under fit"),
        ({"fit": turnbull([2], [3], backend="native")}, r"row 0, \(0.0, 2.0\], cannot occur under fit"),
        ({"fit": lambda q: q}, "knows only quantiles"),
    ],
)
def test_what_is_wrong_with_an_imputation_is_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        impute(**{"left": [0, 1], "right": [2, 3]} | wrong)


@pytest.mark.parametrize("module", ["sample", "imputation"])
def test_the_documented_examples(module):
    found = doctest.testmod(importlib.import_module(f"parlai_spotbot.analysis.survival.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
