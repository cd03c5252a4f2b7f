"""The language that conversations show: launch and methods text go by it."""

import pytest

from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys.spoken_language import TURNS, spoken_language
from tests.spoken import spoken

ENGLISH = ("what did you do with the rest of your day", "I was at home and read a book about the sea")
GERMAN = ("ich war gestern mit dem rad am see", "das klingt schön, war das wasser schon warm")
CHINESE = ("你昨天做了什么", "我在家里看了一本关于大海的书")
PEOPLE = (HUMAN, HUMAN)


@pytest.mark.parametrize(
    ("talks", "language"),
    [
        ([], ""),
        ([ENGLISH], "en"),
        ([GERMAN], ""),
        ([CHINESE], "und"),
        ([GERMAN, *[ENGLISH] * TURNS], "en"),
        ([*[ENGLISH] * TURNS, *[CHINESE] * 3 * TURNS], "en"),
    ],
    ids=["none", "english", "german", "chinese", "mixed", "first turns"],
)
def test_words_show_english_and_letters_another_script(talks, language):
    assert spoken_language(spoken(str(n), PEOPLE, texts) for n, texts in enumerate(talks)) == language
