"""Ranks of the true turn: a case done by hand, ties, ParlAI's own hits@k, brute force over all orders, pieces."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.nuc import chance, ranks_of


def test_a_case_done_by_hand():
    # Question 0: the best. 1: one is better. 2: one better, one equal: rank 2 or 3. 3: last of 5.
    scores = [[9, 1, 2, 3, 4], [5, 6, 1, 2, 3], [7, 7, 8, 0, 1], [0, 1, 2, 3, 4]]
    ranks = ranks_of(np.array(scores, dtype=float), [0, 0, 1, 0])
    assert ranks.greater.tolist() == [0, 1, 1, 4]
    assert ranks.equal.tolist() == [0, 0, 1, 0]
    assert ranks.recall(1).tolist() == [1, 0, 0, 0]
    assert ranks.recall(2).tolist() == [1, 1, 0.5, 0]
    assert ranks.recall(5).tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(ranks.reciprocal(), [1, 1 / 2, (1 / 2 + 1 / 3) / 2, 1 / 5], rtol=1e-13)
    assert len(ranks) == 4


@pytest.mark.parametrize("n", [2, 3, 5, 7, 10, 1000])
def test_a_constant_scorer_is_exactly_at_chance(n):
    ranks = ranks_of(np.full((4, n), 0.1), [0, 1, n - 1, n // 2])
    assert (ranks.recall(1) == 1 / n).all()
    assert (ranks.recall(2) == 2 / n).all()
    np.testing.assert_allclose(ranks.reciprocal(), sum(1 / r for r in range(1, n + 1)) / n, rtol=1e-12)
    assert chance([n, 2], 2) == pytest.approx((2 / n + 1) / 2)


ROWS = st.lists(st.integers(-2, 2), min_size=2, max_size=5)


@given(row=ROWS, data=st.data())
@settings(deadline=None)
def test_it_is_the_mean_over_all_orders_of_equals(row, data):
    true = data.draw(st.integers(0, len(row) - 1))
    ranks = ranks_of([np.array(row, dtype=float)], [true])
    places = []
    for order in permutations(range(len(row))):  # a stable sort then breaks ties by this order
        places.append(sorted(order, key=lambda i: -row[i]).index(true) + 1)
    for k in range(1, len(row) + 1):
        assert ranks.recall(k)[0] == pytest.approx(np.mean([place <= k for place in places]), abs=1e-12)
    mean = sum(Fraction(1, place) for place in places) / len(places)
    assert ranks.reciprocal()[0] == pytest.approx(float(mean), abs=1e-12)


def test_hits_are_those_of_parlai():
    from parlai.core.metrics import TeacherMetrics

    rng = np.random.default_rng(3)
    scores = rng.normal(size=(50, 20))
    true = rng.integers(20, size=50)
    metrics = TeacherMetrics(metrics_list="default,hits@1,hits@5,hits@10")
    for row, place in zip(scores, true, strict=True):
        ordered = [f"word{i}" for i in np.argsort(-row)]
        metrics.evaluate_response({"text": ordered[0], "text_candidates": ordered}, [f"word{place}"])
    report = metrics.report()
    ranks = ranks_of(scores, true)
    for k in (1, 5, 10):
        assert float(report[f"hits@{k}"]) == pytest.approx(ranks.recall(k).mean(), abs=1e-12)


def test_a_missing_score_and_k_are_named():
    with pytest.raises(ValueError, match="question 0: the score of candidate 1 is NaN"):
        ranks_of([[1.0, np.nan]], [0])
    with pytest.raises(ValueError, match="k=6"):
        ranks_of(np.zeros((1, 5)), [0]).recall(6)
