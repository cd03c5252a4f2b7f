"""Piecewise linear curves: finite for any column, and they learn bends that a straight line misses."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from parlai_spotbot.judges.spotter.additive import FeatureCurves


def bent(rng, n=1500):
    X = rng.normal(size=(n, 3))
    return X, np.abs(X[:, 0]) + 0.3 * rng.normal(size=n) < 0.7


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
