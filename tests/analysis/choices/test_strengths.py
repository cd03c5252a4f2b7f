"""Bradley and Terry's model against statsmodels and Davidson's, and orders with intervals that hold."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit

from parlai_spotbot.analysis.choices import bradley_terry
from parlai_spotbot.analysis.ranking import contrasts, win_matrix


def drawn(strengths, n, rng, workers=None, taste=0.0):
    """`n` choices a pair; annotators with a taste of their own for each contestant."""
    names = [f"b{i}" for i in range(len(strengths))]
    liking = rng.normal(0, taste, (workers or 1, len(strengths)))
    rows = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            for _ in range(n):
                w = int(rng.integers(workers)) if workers else len(rows)
                own = liking[w if workers else 0]
                won = rng.random() < expit(strengths[i] - strengths[j] + own[i] - own[j])
                rows.append((names[i], names[j], 1 if won else -1, (f"x{len(rows)}", f"y{len(rows)}"), f"w{w}"))
    return pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_ids", "worker_id"]), names


def expected_shares(strength):
    """The share of wins against every other contestant equally often."""
    return (expit(strength[:, None] - strength).sum(axis=1) - 0.5) / (len(strength) - 1)


def test_strengths_are_those_of_logistic_regression():
    rows, names = drawn([0.8, 0.1, -0.4, -0.5], 40, np.random.default_rng(0))
    ours = bradley_terry(win_matrix(rows, names).wins)
    place = {name: i for i, name in enumerate(names)}
    design = np.zeros((len(rows), 4))
    design[np.arange(len(rows)), rows["a"].map(place)] = 1
    design[np.arange(len(rows)), rows["b"].map(place)] = -1
    fit = sm.Logit((rows["outcome"] > 0).astype(float), design[:, 1:]).fit(disp=0)
    np.testing.assert_allclose(ours[1:] - ours[0], fit.params, atol=1e-6)
    assert contrasts(rows, names, order=False).pairs["se"][0] == pytest.approx(fit.bse.iloc[0], rel=0.02)


def test_replicates_are_fitted_at_once_as_one_by_one():
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 20, (5, 4, 4)).astype(float)
    wins[:, np.arange(4), np.arange(4)] = 0
    np.testing.assert_allclose(bradley_terry(wins), [bradley_terry(own) for own in wins], atol=1e-7)


def test_who_met_whom_does_not_count():
    rng = np.random.default_rng(2)
    rows, names = drawn([1.0, 0.0, -1.0], 300, rng)
    few = rows[~((rows["a"] == "b0") & (rows["b"] == "b2"))]
    for own in (rows, few):
        found = contrasts(own, names, order=False)
        assert found.ranked == ["b0", "b1", "b2"]
        np.testing.assert_allclose(found.score, expected_shares(np.array([1.0, 0.0, -1.0])), atol=0.06)
        assert found.places.tolist() == [[1, 1], [2, 2], [3, 3]]


def test_equal_contestants_share_places():
    rows, names = drawn([0.0, 0.0, -2.0], 60, np.random.default_rng(3))
    found = contrasts(rows, names, order=False)
    assert found.places.tolist() == [[1, 2], [1, 2], [3, 3]]


def test_who_wins_everything_and_who_never_met():
    rows, names = drawn([9.0, 0.0, 0.0], 20, np.random.default_rng(4))
    found = contrasts(rows, names, order=False)
    assert found.ranked[0] == "b0"
    assert found.places[0].tolist() == [1, 1]
    apart = pd.concat([rows[(rows["a"] == "b1") & (rows["b"] == "b2")], rows.iloc[:6].assign(a="x", b="y")])
    both = contrasts(apart, ["b1", "b2", "x", "y"], order=False)
    assert both.groups in ([["b1", "b2"], ["x", "y"]], [["b2", "b1"], ["x", "y"]])
    assert both.pairs["p"].notna().sum() == 2


def test_intervals_cover_where_annotators_have_tastes():
    rng, truth = np.random.default_rng(5), np.array([0.7, 0.0, -0.7])
    covered = []
    for _ in range(120):
        rows, names = drawn(truth, 40, rng, workers=25, taste=0.4)
        found = contrasts(rows, names, order=False)
        true = expected_shares(truth)
        covered.append((found.score_ci[:, 0] <= true) & (true <= found.score_ci[:, 1]))
    assert 0.90 < np.mean(covered) < 0.985
