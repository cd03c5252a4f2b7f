"""Which questions are hard, and which are ambiguous: cases done by hand, scipy, and made-up answers."""

import numpy as np
import pytest
from scipy.stats import binomtest

from parlai_spotbot.analysis.nuc import agreement, difficulty


def test_a_case_done_by_hand():
    # Question 0: all four right. 1: one right, three for candidate 2. 2: two wrong, each another one. 3: no answer.
    questions = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
    choices = [3, 3, 3, 3, 0, 2, 2, 2, 1, 2]
    found = difficulty(questions, choices, [3, 0, 0, 1], [5, 5, 5, 5])
    assert found.answers.tolist() == [4, 4, 2, 0]
    np.testing.assert_allclose(found.right, [1, 0.25, 0, np.nan])
    assert found.rival.tolist() == [-1, 2, 1, -1]
    np.testing.assert_allclose(found.rival_share[:3], [0, 0.75, 0.5])
    assert found.ambiguous.tolist() == [False, True, False, False]
    assert found.p[1] == pytest.approx(binomtest(3, 4, alternative="greater").pvalue)
    np.testing.assert_allclose(found.ci[1], binomtest(1, 4).proportion_ci(method="wilson"), atol=1e-9)
    np.testing.assert_allclose(agreement(questions, choices, [5] * 4), [1, 0.5, 0, np.nan])


def test_below_chance_only_where_it_is_sure():
    questions = [0] * 40 + [1] * 4
    found = difficulty(questions, [1] * 44, [0, 0], [5, 5])
    assert found.below_chance.tolist() == [True, False]


def test_questions_with_different_numbers_of_candidates():
    found = difficulty([0, 1, 1], [1, 4, 4], [1, 0], [2, 5])
    assert found.rival.tolist() == [-1, 4]


@pytest.mark.parametrize(
    ("questions", "choices", "message"),
    [([0], [5], "question 0, candidate 5"), ([2], [0], "question 2"), ([0, 1], [0], "choices has 1")],
)
def test_what_is_wrong_is_named(questions, choices, message):
    with pytest.raises(ValueError, match=message):
        difficulty(questions, choices, [0, 0], [5, 5])
