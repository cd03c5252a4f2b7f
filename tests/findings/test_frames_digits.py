"""Results have nine significant digits, so that processors that add up in another order write the same bytes."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parlai_spotbot.findings.frames import DIGITS, ZERO, Frames, frame_of

NUMBERS = st.floats(-1e12, 1e12).filter(lambda value: value == 0 or abs(value) > 10 * ZERO)


@given(NUMBERS, st.floats(-1e-14, 1e-14))
def test_what_a_processor_rounds_otherwise_is_written_alike(value, rounding):
    digits = f"{value:.{DIGITS + 3}e}".partition("e")[0].lstrip("-").replace(".", "")
    assume(not 4990 <= int(digits[DIGITS:]) <= 5010)  # in the middle between two numbers of nine digits
    pair = [
        frame_of([{"x": number, "xs": [number], "inner": {"x": number}}]) for number in (value, value * (1 + rounding))
    ]
    assert pair[0].to_dict("records") == pair[1].to_dict("records")
    assert pair[0]["x"][0] == pytest.approx(value, rel=10.0 ** (1 - DIGITS))


@pytest.mark.parametrize("column", ["coef", "points", "people", "xs"])
def test_what_a_solver_leaves_of_nothing_is_nothing_and_has_no_sign(column):
    [value] = frame_of([{column: -5.3e-12}])[column]
    assert math.copysign(1, value) == 1
    assert value == 0


@pytest.mark.parametrize("column", ["p", "p_adjusted", "p_chi2"])
def test_no_p_value_is_0(column):
    [row] = Frames.from_tables({"pairs": [{column: 1.23456789012e-30}]}).rows("pairs")
    assert row[column] == 1.23456789e-30


def test_whole_numbers_texts_and_what_is_missing_stay():
    row = {"n": 12345678901234, "name": "1.23456789012", "why": None, "held": True, "x": math.nan}
    assert frame_of([row]).to_dict("records") == [row | {"x": None}]
