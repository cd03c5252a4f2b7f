"""Pairs of bots told apart: tests against scipy and statsmodels, draws, and a test that turns can't deceive."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

from parlai_spotbot.analysis.metrics import Metric
from parlai_spotbot.analysis.metrics.sensitivity import sensitivity, two_proportions, welch


def rng_of(name):
    return np.random.default_rng(len(name))


def labels(shares, turns=10, name="label", kind="rate"):
    """A metric from each bot's shares by conversation; `kind` "mean" takes them as ratings of whole conversations."""
    rows = []
    for bot, own in shares.items():
        for talk, share in enumerate(own):
            values = [share] if kind == "mean" else (np.arange(turns) < round(share * turns)).astype(float)
            rows += [
                (f"{bot}{talk}", bot, f"{bot}{talk}-{turn}", f"w{talk % 7}", f"{bot}{talk}", value)
                for turn, value in enumerate(values)
            ]
    columns = ["conversation_id", "bot", "unit", "worker_id", "annotation_id", "value"]
    scale = "ordinal" if kind == "mean" else "nominal"
    return Metric("m", name, kind, "m", scale, pd.DataFrame(rows, columns=columns))


def chosen(outcomes):
    """A metric of choices: {(a, b): outcomes as a sees them}, each pair of conversations once."""
    rows = [
        (f"{a}-{b}-{i}", f"{b}-{a}-{i}", a, b, f"{a}{b}{i}", f"w{i}", f"{a}{b}{i}", float(value))
        for (a, b), own in outcomes.items()
        for i, value in enumerate(own)
    ]
    columns = ["conversation_a", "conversation_b", "a", "b", "unit", "worker_id", "annotation_id", "value"]
    return Metric("c", "quality", "choice", "c", "ordinal", pd.DataFrame(rows, columns=columns))


def test_the_tests_are_those_of_scipy_and_statsmodels():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=23), rng.normal(0.5, 2, size=31)
    assert welch(*((len(x), x.mean(), x.var(ddof=1)) for x in (a, b))) == pytest.approx(
        stats.ttest_ind(a, b, equal_var=False).pvalue
    )
    z = two_proportions(np.array([20.0]), np.array([150.0]), np.array([41.0]), np.array([170.0]))[0]
    assert z == pytest.approx(proportions_ztest([20, 41], [150, 170])[1])
    nothing = np.zeros(1)
    assert welch((5, 0.0, 0.0), (5, 1.0, 0.0)) == 1.0
    assert two_proportions(nothing, np.array([9.0]), nothing, np.array([9.0]))[0] == 1.0


def test_with_all_data_both_tests_are_of_all_data():
    rng = np.random.default_rng(1)
    shares = {"ada": rng.random(12) * 0.4, "bob": rng.random(12) * 0.4 + 0.3}
    metric = labels(shares)
    found = sensitivity([metric], rng_of, draws=5)
    assert found["sample"] == 12  # nothing is drawn: every draw is the same
    (row,) = found["metrics"]
    counts = row["counts"]["0.05"]
    assert counts["mean"] == counts["once"] == counts["ci"][0] == counts["ci"][1]
    means = metric.rows.groupby(["bot", "conversation_id"])["value"].mean()
    expected = stats.ttest_ind(means["ada"], means["bob"], equal_var=False).pvalue
    assert counts["mean"] == float(expected < 0.05)
    turns = metric.rows.groupby("bot")["value"].agg(["sum", "size"])
    assert counts["mean_paper"] == float(proportions_ztest(turns["sum"], turns["size"])[1] < 0.05)


def test_every_metric_gets_as_many_as_the_least_has():
    rng = np.random.default_rng(2)
    many = labels({"ada": rng.random(40), "bob": rng.random(40)}, name="many")
    few = labels({"ada": [1.0, 2, 4, 3, 2, 5], "bob": [3.0, 4, 4, 5, 4, 4, 4]}, name="few", kind="mean")
    choices = chosen({("ada", "bob"): [1] * 6 + [-1] * 3})
    found = sensitivity([many, few, choices], rng_of, draws=30)
    assert (found["sample"], found["pairs"]) == (6, 1)
    assert sensitivity([many, choices], rng_of, draws=30)["sample"] == 9
    assert sensitivity([many, choices], rng_of, draws=30, sample=4)["sample"] == 4
    assert all(row["compared"] == 1 for row in found["metrics"])


def test_choices_are_told_apart_by_the_sign_test():
    found = sensitivity(
        [chosen({("ada", "bob"): [1] * 15 + [-1] * 3 + [0] * 4, ("bob", "cleo"): [1, -1] * 10})], rng_of, 20, sample=22
    )
    assert stats.binomtest(15, 18).pvalue < 0.01
    assert found["metrics"][0]["counts"]["0.01"]["once"] == 1
    assert found["metrics"][0]["compared"] == 2  # ada and cleo never met
    assert found["pairs"] == 3


def test_turns_of_one_conversation_deceive_the_paper_s_test_and_not_ours():
    """1,000 samples of bots that don't differ: conversations do, so z on turns rejects far too often."""
    rng = np.random.default_rng(5)
    metric = labels({"ada": rng.beta(0.8, 2.4, 1500), "bob": rng.beta(0.8, 2.4, 1500)}, turns=12)
    counts = sensitivity([metric], rng_of, 1000, sample=20)["metrics"][0]["counts"]["0.05"]
    assert 0.02 <= counts["mean"] <= 0.085
    assert counts["mean_paper"] > 0.2
