"""The additive model: parts add up, what is unknown adds nothing, and bends are learnt that a straight line misses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves
from parlai_spotbot.judges.spotter.effects import direction


def bent(rng, n=1500):
    X = rng.normal(size=(n, 3))
    return X, np.abs(X[:, 0]) + 0.3 * rng.normal(size=n) < 0.7


def test_heights_and_intercept_are_the_score():
    rng = np.random.default_rng(0)
    X, y = bent(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = make_pipeline(FeatureCurves(), LogisticRegression()).fit(X, y)
    heights = model[0].heights(X, model[-1].coef_[0])
    assert heights.shape == X.shape
    assert heights.sum(axis=1) + model[-1].intercept_[0] == pytest.approx(model.decision_function(X))
    assert (heights[np.isnan(X)] == 0).all()
    assert heights[~np.isnan(X)].std() > 0


def test_a_bend_is_learnt_that_a_line_misses():
    X, y = bent(np.random.default_rng(0))
    there, here = slice(1000), slice(1000, None)
    line, curve = (make_pipeline(FeatureCurves(k), LogisticRegression()).fit(X[there], y[there]) for k in (0, 3))
    assert line.score(X[here], y[here]) < 0.65
    assert curve.score(X[here], y[here]) > 0.8


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, np.nan]), min_size=4, max_size=12))
def test_any_column_gives_finite_columns(values):
    X = np.array(values)[:, None]
    found = FeatureCurves().fit(X).transform(X)
    assert np.isfinite(found).all()
    assert found.shape[0] == len(values)


@pytest.mark.parametrize(
    ("curve", "said"),
    [
        ([-1, -0.5, 0, 0.5, 1], "human"),
        ([1, 0.5, 0, -0.2, -1], "bot"),
        ([-1, 0.4, 0.8, 0.2, -0.9], "human in the middle, bot at the ends"),
        ([0.5, -0.4, -0.8, 0.0, 0.6], "human at the ends, bot in the middle"),
        ([0, 0, 0, 0, 0], "neither"),
    ],
)
def test_directions(curve, said):
    assert direction(np.array(curve, float)) == said
