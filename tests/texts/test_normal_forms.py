"""Which turns are the same, by their words and by their letters."""

from hypothesis import given, settings
from hypothesis import strategies as st
from parlai.core.metrics import normalize_answer

from parlai_spotbot.texts.normal_forms import bare_text, plain_text, units, words
from tests.case_tables import cases


def test_the_words_of_a_text():
    assert plain_text("  I DON'T know -- really?! ") == "i don t know really"


@cases(
    "text counted",
    """
- [hello there you, 3]
- [我喜欢吃苹果, 3]
- [今日は雨です, 4]
- [मैं घर जाता हूँ, 4]
- [我用 Python 写, 3]
- ['', 0]
""",
)
def test_words_need_no_spaces(text, counted):
    assert len(words(text)) == counted


def test_vowel_signs_belong_to_their_letters():
    assert plain_text("क्या की, किताब?") == "क्या की किताब"
    assert units("क्या की") == ["क्या", "की"]
    assert plain_text("cafe\u0301 noir") == "cafe\u0301 noir"


@cases(
    "one other",
    """
- [Yes!, 'yes']
- [I don’t know..., i don't  KNOW]
- ['?!', ...]
- [The cat, cat.]
- [can not, cannot]
""",
)
def test_the_same_turn(one, other):
    assert bare_text(one) == bare_text(other)


@cases("one other", "[['yes', 'no'], [😀, 😢], [I do, I do not], [no 1, no 2]]")
def test_another_turn(one, other):
    assert bare_text(one) != bare_text(other)


LETTERS = st.text(alphabet="ab TheA'.,?!-_@[]1é😀", max_size=12)


@given(one=LETTERS, other=LETTERS)
@settings(deadline=None)
def test_what_parlai_takes_for_equal_is_equal(one, other):
    if normalize_answer(one) == normalize_answer(other):
        assert bare_text(one) == bare_text(other)
