"""Orders of scores that are equal but for rounding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.analysis.values import best_first

NAMES = "abcdefgh"
SCORES = st.lists(st.sampled_from([-2.5, -1 / 3, 0.0, 0.1, 0.1 + 1e-5, 7.0, np.nan]), min_size=1, max_size=8)


@given(SCORES, st.integers(0, 99), st.sampled_from([1.0, 3.7, 1e3]))
def test_rounding_and_scale_change_no_order(scores, seed, scale):
    """Equal scores, however they were rounded, leave names as they are listed."""
    names = NAMES[: len(scores)]
    expected = sorted(names, key=lambda name: -np.nan_to_num(scores[names.index(name)], nan=-np.inf))
    rounding = 1e-12 * np.random.default_rng(seed).uniform(-1, 1, len(scores))
    assert best_first(names, (np.array(scores) + rounding) * scale) == expected


def test_strengths_of_mirrored_contestants_are_equal():
    assert best_first(["b", "a", "c"], [1e-15, 4e-15, 0.0]) == ["b", "a", "c"]
    assert best_first(["b", "a"], [-np.inf, np.inf]) == ["a", "b"]
    assert best_first([], []) == []
