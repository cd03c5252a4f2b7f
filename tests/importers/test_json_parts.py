"""Parts of a JSON file: those that are wanted, in order, and where a file is broken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.json_parts import OPEN, SKIP, TAKE, parts

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("json") / "file.json"

    def write(text):
        path.write_text(text)
        return path

    return write


def leaves(value, keys=()):
    if isinstance(value, dict):
        return [leaf for key, own in value.items() for leaf in leaves(own, (*keys, key))]
    return [(keys, value)]


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=4), st.sampled_from([None, 2]))
def test_opened_to_the_end_the_parts_are_what_json_reads(file, value, indent):
    path = file(json.dumps(value, indent=indent))
    assert list(parts(path, lambda keys: OPEN)) == leaves(value)


def test_what_is_skipped_is_passed_over_and_what_is_taken_comes_whole(file):
    path = file('{"a": {"x": 1, "y": [2, {"z": 3}]}, "b": {"x": {"deep": null}}, "c": [1, 2]}')
    want = {("a",): OPEN, ("a", "x"): SKIP, ("b",): SKIP}
    found = list(parts(path, lambda keys: want.get(keys, TAKE)))
    assert found == [(("a", "y"), [2, {"z": 3}]), (("c",), [1, 2])]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", "line 1 column 1"),
        ("", "line 1 column 1"),
        ('{"a": 1,\n "b": }', "line 2 column 7"),
        ('{"a": 1 "b": 2}', "expected ',' or '}'"),
        ('{"a" 1}', "expected ':'"),
        ('{"a": 1', "expected ',' or '}'"),
        ("{1: 2}", "expected a key"),
        ('{"a": 1} {', "something follows the end"),
    ],
)
def test_a_broken_file_is_one_error_with_the_place(file, text, said):
    with pytest.raises(UserError) as err:
        list(parts(file(text), lambda keys: TAKE))
    assert said in err.value.problem


def test_no_file(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        list(parts(tmp_path / "none.json", lambda keys: TAKE))
