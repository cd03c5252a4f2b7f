"""The lengths of contexts: Lowe et al.'s formula counted out, the other distributions, windows and every turn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.contexts import every_turn, lengths, windows


def test_the_formula_of_2015_counted_out():
    """C = 6: of the 58 whole numbers η from 3 to 60, ⌊60 / η⌋ is 1 for 30, 2 for 10, 3 for 5, 4 for 3, more for 10."""
    draw, rng = lengths("lowe2015", 6, 2), np.random.default_rng(0)
    found = Counter(draw(rng) for _ in range(20_000))
    expected = {2: 30 / 58, 3: 10 / 58, 4: 5 / 58, 5: 3 / 58, 6: 10 / 58}
    assert set(found) == set(expected)
    for length, share in expected.items():
        assert found[length] / 20_000 == pytest.approx(share, abs=4 * (share * (1 - share) / 20_000) ** 0.5)


def test_long_contexts_end_at_twenty_one():
    draw, rng = lengths("lowe2015", 50, 2), np.random.default_rng(1)
    assert max(draw(rng) for _ in range(20_000)) == 21


def test_other_distributions():
    rng = np.random.default_rng(2)
    assert {lengths("uniform", 6, 2)(rng) for _ in range(200)} == {2, 3, 4, 5, 6}
    assert {lengths("longest", 4, 2)(rng) for _ in range(20)} == {4}
    assert {lengths("3", 6, 2)(rng) for _ in range(20)} == {3}
    found = Counter(lengths("2:3,6:1", 6, 2)(rng) for _ in range(4000))
    assert found[2] / 4000 == pytest.approx(0.75, abs=0.03)
    assert set(found) == {2, 6}


@pytest.mark.parametrize("setting", ["lowe", "7", "1", "2:0", "2:x", "2:-1,3:2", "", "2:nan"])
def test_what_cannot_be_is_a_clear_error(setting):
    with pytest.raises(UserError, match="lengths of contexts"):
        lengths(setting, 6, 2)


def test_the_least_is_at_most_the_most():
    with pytest.raises(UserError, match="from 3 to 2 turns"):
        lengths("uniform", 2, 3)


@given(turns=st.integers(2, 60), setting=st.sampled_from(["lowe2015", "uniform", "longest"]), seed=st.integers(0, 99))
@settings(deadline=None)
def test_windows_are_whole_and_do_not_overlap(turns, setting, seed):
    found = list(windows(turns, lengths(setting, 6, 2), np.random.default_rng(seed)))
    assert found[0][0] == 0
    ends = [end for _, end in found]
    assert ends[-1] < turns
    assert all(start == before + 1 for (start, _), before in zip(found[1:], ends, strict=False))
    sizes = {end - start for start, end in found}
    assert len(sizes) == 1
    assert sizes.pop() <= min(6, turns - 1)
    assert turns - 1 - ends[-1] <= ends[0]  # what is left over makes no window


def test_a_window_is_the_context_drawn_and_the_next_turn():
    rng = np.random.default_rng(0)
    assert list(windows(9, lengths("3", 6, 2), rng)) == [(0, 3), (4, 7)]
    assert list(windows(8, lengths("3", 6, 2), rng)) == [(0, 3), (4, 7)]
    assert list(windows(3, lengths("longest", 6, 2), rng)) == [(0, 2)]  # shorter than the window


def test_every_turn_once_after_as_many_as_may_be():
    assert list(every_turn(5, 3, 2)) == [(0, 2), (0, 3), (1, 4)]
    assert list(every_turn(2, 6, 2)) == []
