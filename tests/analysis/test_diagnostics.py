"""Diagnostics: against numbers by hand and against data whose model is known."""

import numpy as np
import pytest

from parlai_spotbot.analysis.survival.diagnostics import compare_distributions, log_minus_log, parametric_check
from parlai_spotbot.analysis.survival.parametric import parametric


def current_status(rng, time, lengths=(1.0, 2.0, 3.0, 5.0, 8.0)):
    k = rng.choice(lengths, len(time))
    return np.where(time <= k, 0, k), np.where(time <= k, k, np.inf)


def test_check_by_hand():
    time, end = np.array([1.0, 2, 3, 4, 5]), np.array([1, 2, np.inf, 4, np.inf])
    fit = parametric(time, end, dist="exponential", backend="native")
    check = parametric_check(fit, time, end)
    np.testing.assert_allclose(check.table["time"], [1, 2, 4, 5])
    np.testing.assert_allclose(check.table["low"], [0.8, 0.6, 0.3, 0.3], atol=1e-9)  # Kaplan-Meier
    np.testing.assert_allclose(check.table["high"], [0.8, 0.6, 0.3, 0.3], atol=1e-9)
    fitted = np.exp(-3 / 15 * np.array([1, 2, 4, 5]))
    np.testing.assert_allclose(check.table["fitted"], fitted, atol=1e-9)
    assert check.distance == pytest.approx(fitted[2] - 0.3, abs=1e-9)
    assert check.time == 4


def test_check_knows_what_the_data_leave_open():
    # Both events lie in (1, 3]: at 1 nobody, at 3 both, between anything.
    fit = parametric([1, 1, 0], [3, 3, 9], dist="exponential", backend="native")
    check = parametric_check(fit, [1, 1, 0], [3, 3, 9])
    np.testing.assert_allclose(check.table[["time", "low", "high"]], [[1, 1, 1], [3, 0, 0]], atol=1e-9)
    assert check.distance == pytest.approx(max(1 - fit.baseline.survival(1), fit.baseline.survival(3)), abs=1e-9)


def test_check_tells_a_right_family_from_a_wrong_one():
    rng = np.random.default_rng(0)
    group = np.repeat([0.0, 1.0], 3000)
    rows = current_status(rng, rng.weibull(2.5, 6000) * 4 * np.exp(-0.4 * group))
    right = parametric(*rows, group, "ph", "weibull", backend="native")
    wrong = parametric(*rows, group, "ph", "exponential", backend="native")
    assert parametric_check(right, *rows, X=group[:, None]).distance < 0.04  # three standard errors of a share of 1,200
    assert parametric_check(wrong, *rows, X=group[:, None]).distance > 0.08
    # With the covariates' weights all on one group its own curve is compared.
    one = parametric_check(right, *rows, weights=group, X=group[:, None])
    np.testing.assert_allclose(one.table["fitted"], right.survival(one.table["time"], [[1.0]])[0], atol=1e-12)
    with pytest.raises(ValueError, match="X: 2 rows, expected one for every observation"):
        parametric_check(right, *rows, X=[[1], [2]])


def test_check_by_weights_is_that_of_rows_as_often():
    rows, weights = np.array([[0, 0, 1, 2, 3], [1, 2, 3, np.inf, np.inf]]), [3, 1, 2, 1, 4]
    often = np.repeat(rows, weights, axis=1)
    fit = parametric(*often, dist="exponential", backend="native")
    expected = parametric_check(fit, *often).table
    np.testing.assert_allclose(parametric_check(fit, *rows, weights).table, expected, atol=1e-9)


def test_covariates_by_the_thousand():
    rng = np.random.default_rng(2)
    x = np.linspace(-1, 1, 2500)
    rows = current_status(rng, rng.weibull(1.7, 2500) * 4 * np.exp(-0.9 * x))
    fit = parametric(*rows, x, "ph", "weibull", backend="native")
    check = parametric_check(fit, *rows, X=x[:, None])
    np.testing.assert_allclose(check.table["fitted"], fit.survival(check.table["time"], x[:, None]).mean(axis=0))
    listed = compare_distributions(*rows, x, dists=("exponential", "weibull")).set_index("dist")
    assert listed["parameters"].to_dict() == {"weibull": 3, "exponential": 2}
    assert listed["loglik"]["weibull"] == pytest.approx(fit.loglik, abs=1e-8)


def test_log_minus_log_by_hand():
    # a: 1 of 4 spotted by 2, 2 of 4 by 5; b: 2 of 4, 3 of 4.
    left, right, group = [], [], []
    for name, k, spotted in (("a", 2, 1), ("a", 5, 2), ("b", 2, 2), ("b", 5, 3)):
        left += [0] * spotted + [k] * (4 - spotted)
        right += [k] * spotted + [np.inf] * (4 - spotted)
        group += [name] * 4
    found = log_minus_log(left, right, group)
    survival = np.array([0.75, 0.5, 0.5, 0.25])
    assert found.table["group"].tolist() == list("aabb")
    np.testing.assert_allclose(found.table["survival"], survival)
    np.testing.assert_allclose(found.table["log_minus_log"], np.log(-np.log(survival)))
    np.testing.assert_allclose(found.table["logit"], np.log((1 - survival) / survival))
    # Odds 1/3 and 1 against 1 and 3: three times as high at both lengths.
    np.testing.assert_allclose(found.differences["logit"], np.log(3))
    assert found.spread["logit"][0] == pytest.approx(0, abs=1e-12)
    hazards = np.log(np.log([0.5, 0.25]) / np.log([0.75, 0.5]))
    np.testing.assert_allclose(found.differences["log_minus_log"], hazards)
    assert found.spread["log_minus_log"][0] == pytest.approx(abs(hazards[0] - hazards[1]))


@pytest.mark.parametrize("model", ["log_minus_log", "logit"])
def test_log_minus_log_tells_hazards_from_odds(model):
    rng = np.random.default_rng(3)
    group = np.repeat(["a", "b"], 20000)
    if model == "log_minus_log":
        time = rng.weibull(1.5, 40000) * 5 * np.where(group == "b", 0.5, 1)
    else:
        uniform = rng.random(40000)
        time = 4 * (uniform / (1 - uniform)) ** (1 / 1.8) * np.where(group == "b", 0.5, 1)
    spread = log_minus_log(*current_status(rng, time, (1.0, 2.0, 3.0, 5.0, 8.0)), group).spread
    other = "logit" if model == "log_minus_log" else "log_minus_log"
    assert spread[model][0] < 0.25 < 0.4 < spread[other][0]


def test_log_minus_log_takes_only_what_it_can():
    with pytest.raises(ValueError, match=r"group: \['a'\], expected at least two groups"):
        log_minus_log([0, 2], [2, np.inf], ["a", "a"])
    with pytest.raises(ValueError, match="group: row 1 has none"):
        log_minus_log([0, 2], [2, np.inf], ["a", None])
    with pytest.raises(ValueError, match="group: 1 of them"):
        log_minus_log([0, 2], [2, np.inf], ["a"])
    with pytest.raises(ValueError, match="no time at which some but not all"):
        log_minus_log([0, 2], [2, np.inf], ["a", "b"])


def test_distributions_in_order():
    rng = np.random.default_rng(1)
    time = rng.lognormal(1, 0.5, 2000)
    rows = np.floor(time * 2) / 2, np.floor(time * 2) / 2 + 0.5
    frame = compare_distributions(*rows, model="aft")
    assert frame["dist"][0] in ("lognormal", "generalgamma")
    assert frame["dist"].iloc[-1] == "exponential"
    assert (np.diff(frame["aic"]) >= 0).all()
    np.testing.assert_allclose(frame["difference"], frame["aic"] - frame["aic"].min())
    np.testing.assert_allclose(frame["aic"], 2 * frame["parameters"] - 2 * frame["loglik"])
    assert frame.set_index("dist")["parameters"].to_dict() == {
        "exponential": 1,
        "weibull": 2,
        "gamma": 2,
        "lognormal": 2,
        "loglogistic": 2,
        "generalgamma": 3,
    }
    assert (frame["warning"] == "").all()


def test_distributions_at_an_edge_are_listed_with_their_warning():
    k = np.repeat([2.0, 5.0], 10)
    spotted = np.tile(np.arange(10) < 3, 2)
    frame = compare_distributions(
        np.where(spotted, 0, k), np.where(spotted, k, np.inf), dists=["exponential", "weibull"]
    )
    said = frame.set_index("dist")["warning"]
    assert said["exponential"] == ""
    assert "at once or never" in said["weibull"]
