"""Recall with its intervals, and contestants compared on the same questions: closed forms, coverage, edges."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel

from parlai_spotbot.analysis.nuc import compare, share


def test_wilson_is_scipys():
    values = np.r_[np.ones(37), np.zeros(63)]
    found = share(values, np.arange(100))
    low, high = binomtest(37, 100).proportion_ci(method="wilson")
    assert found["estimate"] == pytest.approx(0.37)
    np.testing.assert_allclose(found["wilson"], (low, high), atol=1e-12)
    assert (found["n"], found["conversations"]) == (100, 100)


def test_the_interval_of_people_covers():
    """Questions differ, and so do people; 12 of them answer the same 40 questions."""
    rng = np.random.default_rng(12)
    covered = by_question = 0
    questions, workers = np.tile(np.arange(40), 12), np.repeat(np.arange(12), 40)
    for _ in range(400):
        skill = 0.6 + rng.uniform(-0.2, 0.2, 40)[questions] + rng.uniform(-0.2, 0.2, 12)[workers]
        values = (rng.random(480) < skill).astype(float)
        both, one = share(values, questions, workers), share(values, questions)
        covered += both["ci"][0] <= 0.6 <= both["ci"][1]
        by_question += one["ci"][0] <= 0.6 <= one["ci"][1]
    assert 0.93 < covered / 400 < 0.99
    assert by_question < covered


def test_the_clustered_interval_covers():
    rng = np.random.default_rng(11)
    covered = plain = 0
    for _ in range(600):
        skill = np.repeat(rng.beta(3, 2, size=40), 5)
        found = share((rng.random(200) < skill).astype(float), np.arange(200) // 5)
        covered += found["ci"][0] <= 0.6 <= found["ci"][1]
        plain += found["wilson"][0] <= 0.6 <= found["wilson"][1]
    assert 0.93 < covered / 600 < 0.97
    assert plain < covered


def test_nothing_and_everything():
    empty = share([], [])
    assert empty == {"estimate": None, "n": 0, "conversations": 0, "wilson": [None, None], "ci": [None, None]}
    perfect = share(np.ones(20), np.arange(20))
    assert perfect["estimate"] == 1
    assert 0.8 < perfect["ci"][0] < 1


def test_pairs_are_compared_question_by_question():
    rng = np.random.default_rng(4)
    skill = rng.random(80)
    a = (rng.random(80) < skill).astype(float)
    b = np.maximum(a - (rng.random(80) < 0.2), 0)
    [found] = compare({"a": a, "b": b}, np.arange(80))
    expected = ttest_rel(a, b)
    assert found["difference"] == pytest.approx(a.mean() - b.mean())
    decided = int((a != b).sum())
    assert expected.pvalue < found["p"] == pytest.approx(2 * 0.5**decided)  # all in favour of one
    low, high = expected.confidence_interval()
    assert 0 < found["ci"][0] < low
    assert high <= found["ci"][1] < 2 * high
    assert (found["n"], found["conversations"]) == (80, 80)


def test_holm_goes_over_all_pairs_and_missing_scores_are_left_out():
    rng = np.random.default_rng(6)
    base = rng.random(60)
    values = {"a": base, "b": base - 0.1 * rng.random(60), "c": base + rng.normal(0, 0.2, 60)}
    values["c"][:10] = np.nan
    rows = {(row["a"], row["b"]): row for row in compare(values, np.arange(60) // 2)}
    assert set(rows) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert rows["a", "c"]["n"] == 50
    least = min(rows.values(), key=lambda row: row["p"])
    assert least["p_adjusted"] == pytest.approx(min(1, 3 * least["p"]))
    assert all(row["p_adjusted"] >= row["p"] for row in rows.values())
    assert rows["a", "b"]["ci"][0] > 0


def test_too_little_to_compare_is_told_and_not_made_up():
    [none] = compare({"a": [np.nan, np.nan], "b": [1, 0]}, ["c", "c"])
    assert none["n"] == 0
    assert none["p"] is None
    [one] = compare({"a": [1, 1], "b": [1, 0]}, ["c", "c"])
    assert one["conversations"] == 1
    assert one["p_adjusted"] is None
