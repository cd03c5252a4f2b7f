"""Numbers of any locale: read as they were written, or refused; never another winner."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.numbers import AmbiguousNumber, decimal_mark, number, readings
from parlai_spotbot.importers.votes import votes

LOCALES = {  # decimals, thousands, sign of minus, the digit 0
    "en": (".", ",", "-", "0"),
    "de": (",", ".", "-", "0"),
    "fr": (",", "\u202f", "−", "0"),
    "sv": (",", "\u00a0", "−", "0"),
    "de_CH": (".", "’", "-", "0"),
    "ar": ("٫", "٬", "-", "٠"),
    "full width": ("．", "，", "－", "０"),
    "fa, Latin signs": (",", ".", "−", "۰"),
    "plain": (".", "", "-", "0"),
}


def text_of(value, places, locale):
    """Write a number in a locale, with so many decimals."""
    decimals, thousands, minus, zero = LOCALES[locale]
    text = f"{value:,.{places}f}"
    signs = {",": thousands, ".": decimals, "-": minus}
    return "".join(signs.get(sign, chr(ord(zero) + int(sign)) if sign.isdigit() else sign) for sign in text)


COLUMNS = st.tuples(
    st.sampled_from(sorted(LOCALES)),
    st.integers(0, 4),
    st.lists(st.tuples(*[st.integers(-(10**8), 10**8)] * 2), min_size=1, max_size=12),
    st.sampled_from([1, 10**2, 10**4, 10**7]),
)


@given(column=COLUMNS)
@settings(max_examples=300, deadline=None)
def test_a_column_has_the_values_that_were_written_or_is_refused(column):
    locale, places, pairs, size = column
    values = [Fraction(value % (2 * size) - size, 10**places) for pair in pairs for value in pair]
    texts = [text_of(float(value), places, locale) for value in values]
    mark = decimal_mark(texts)
    try:
        found = [number(text, mark) for text in texts]
    except AmbiguousNumber:
        assert not mark
        told = "," if LOCALES[locale][0] == "," else "."
        found = [number(text, told) for text in texts]
    assert found == pytest.approx([float(value) for value in values], abs=0.5 / 10**places)


@given(column=COLUMNS)
@settings(max_examples=60, deadline=None)
def test_never_another_winner(column, tmp_path_factory):
    locale, places, pairs, size = column
    pairs = [[value % size / 10**places for value in pair] for pair in pairs]
    path = tmp_path_factory.mktemp("scores") / "votes.jsonl"
    rows = [
        {f"score_{side}": text_of(one, places, locale) for side, one in zip("ab", pair, strict=True)} for pair in pairs
    ]
    path.write_text("\n".join(json.dumps({"model_a": "x", "model_b": "y", **row}) for row in rows))
    try:
        study = votes(path, "votes")
    except AmbiguousNumber:
        study = votes(path, "votes", decimal="comma" if LOCALES[locale][0] == "," else "point")
    answers = [json.loads(line)["answer"] for line in b"".join(study.lines["votes"]).splitlines()]
    assert answers == ["tie" if a == b else "ab"[a < b] for a, b in pairs]


@pytest.mark.parametrize(
    ("scores", "words", "expected"),
    [
        (['"1,234",999'], {}, "'1,234' may be 1.234 or 1234, and no other number of its column tells"),
        (['"1,234",999'], {"decimal": "point"}, "a"),
        (['"1,234",999'], {"decimal": "comma"}, "b"),
        (['"1,234",999', "0.5,1"], {}, "ab"),
        (['"1,234",999', '"0,5",1'], {}, "bb"),
        (['"1,234",999', '"0,5",1', "2.5,2"], {}, "may be 1.234 or 1234"),
        (["1.234,999"], {}, "may be 1234 or 1.234"),
        (["1.234,999", "4.25,5"], {}, "bb"),
        (['"1.234,5",999', '"12,5",7'], {}, "aa"),
        (["1'234,999", "1 234,1 233"], {}, "aa"),
        (["85%,9 %"], {}, "a"),
        (["85%,9"], {}, "of which one alone is per cent"),
        (["4/5,3/5"], {}, "expected two numbers"),
        (["½,1"], {}, "expected two numbers"),
        (["1e3,999"], {}, "a"),
        (["inf,1"], {}, "expected two numbers"),
        (["1_000,2"], {}, "expected two numbers"),
        (["1,2"], {"decimal": "dot"}, "--decimal dot: not known. Write comma or point."),
        (["4.5,4"], {"decimal": "comma"}, "expected two numbers"),
    ],
)
def test_scores_of_two(scores, words, expected, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,score_a,score_b\n" + "".join(f"x,y,{row}\n" for row in scores))
    if len(expected) > 3:
        with pytest.raises(UserError) as err:
            votes(path, "votes", **words)
        assert expected in str(err.value)
        return
    lines = b"".join(votes(path, "votes", **words).lines["votes"]).splitlines()
    assert "".join(json.loads(line)["answer"] for line in lines) == expected


@pytest.mark.parametrize(
    ("text", "cuts", "expected"),
    [
        ('"1,5"', {">1": "a", "<1": "b"}, "a"),
        ('"0,999"', {">1": "a", "<1": "b"}, "b"),
        ("−1", {">0": "a", "<0": "b"}, "b"),
    ],
)
def test_cuts(text, cuts, expected, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"model_a,model_b,winner\nx,y,{text}\n")
    assert json.loads(votes(path, "votes", answers=cuts).lines["votes"][0])["answer"] == expected


def test_numbers_of_json_are_what_they_are():
    assert {*readings(1.234).values()} == {1.234}
    assert readings(float("nan")) == readings("NaN") == readings(None) == readings([1]) == {}
