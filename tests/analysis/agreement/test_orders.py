"""Kendall's tau-b and Spearman's rho against SciPy."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from parlai_spotbot.analysis.agreement import kendall, spearman


@pytest.mark.parametrize("ties", [False, True])
def test_both_are_scipys(ties):
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 20, 9))
    if ties:
        first, second = np.round(first), np.round(2 * second) / 2
    for ours, theirs in ((kendall, kendalltau), (spearman, spearmanr)):
        known = [theirs(x, y).statistic for x, y in zip(first, second, strict=True)]
        np.testing.assert_allclose(ours(first, second), known, atol=1e-12)
        assert ours(first[0], second[0]) == pytest.approx(known[0])


def test_what_has_no_order_has_no_correlation():
    x = np.arange(4.0)
    for of in (kendall, spearman):
        assert np.isnan(of(x, np.ones(4)))
        assert np.isnan(of(x, np.array([1.0, 2.0, np.nan, 3.0])))
        assert of(x, x + 1e-15) == pytest.approx(1)
        assert np.isnan(of(x, 1 + 1e-15 * x))  # rounding errors are ties
