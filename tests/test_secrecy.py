"""Secrets are told by name and form, at any depth and in texts; other words and values are left alone."""

import time

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.secrecy import NOT_SHOWN, masked, shown
from tests.case_tables import case_table


@case_table(__file__, "named")
def test_a_value_under_a_name(name, value, becomes):
    assert shown({name: value}) == {name: value if becomes is None else becomes}


@case_table(__file__, "forms")
def test_a_form_in_a_text(text, becomes):
    assert shown([{"x": text}]) == [{"x": text if becomes is None else becomes}]
    assert str(UserError(text)) == masked(text)


def test_any_depth_and_length():
    deep: dict = {"pw": "hunter22"}
    for _ in range(5000):
        deep = {"a": [deep]}
    assert NOT_SHOWN in str(shown(deep))
    for part in ("a.-", "key=", "://a:", "eyJ", '{"pw": "', "-----BEGIN PRIVATE KEY-----"):
        start = time.thread_time()
        masked(part * 20_000)
        assert time.thread_time() - start < 5


@pytest.mark.parametrize("value", [None, 3, 2.5, True, (1, 2)])
def test_other_values_stay(value):
    assert shown({"a": value})["a"] == (list(value) if isinstance(value, tuple) else value)
