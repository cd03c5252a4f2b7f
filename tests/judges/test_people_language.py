"""The language statistics: proper probabilities, and what is like people's turns scores higher."""

import math
import string

import pytest

from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, tokens

TURNS = ["how are you today", "i am fine and you", "what did you do today", "i went to the beach with my dog"] * 3


def test_the_probabilities_of_what_may_follow_add_up_to_one():
    language = PeopleLanguage(TURNS)
    seen = sorted(language.followers[""])
    for context in ("", "how a", "zzzz", "today"):
        padded = "\x02" * 4 + context
        known = sum(language._probability(padded + letter, len(padded)) for letter in seen)
        unseen = language._probability(padded + "§", len(padded))
        assert known + (1000 - len(seen)) * unseen == pytest.approx(1)


def test_one_letter_by_hand():
    # "ab": the letters are a, b and the end, each once. After the whole history "…a" always came b.
    language = PeopleLanguage(["ab"])
    p = (1 + 3 * (1 / 1000)) / (3 + 3)
    for _ in range(4):  # histories of 1 to 4 characters, each with one kind of follower, seen once
        p = (1 + 1 * p) / (1 + 1)
    assert language._probability("\x02" * 4 + "ab", 5) == pytest.approx(p)


def test_scrambled_text_is_less_likely():
    language = PeopleLanguage(TURNS)
    assert language.likelihood("how are you and the dog") > language.likelihood("woh rae yuo dna eht odg")
    assert language.likelihood(string.punctuation) < language.likelihood("you")


def test_rare_words_are_specific():
    language = PeopleLanguage(TURNS)
    assert language.idf("you") == pytest.approx(math.log(13 / 10))
    assert language.idf("never seen") == pytest.approx(math.log(13))
    assert language.specificity("the beach") > language.specificity("you today")
    assert math.isnan(language.specificity("?!"))


def test_tokens_keep_marks_and_apostrophes():
    assert tokens("Don't go, 2 Dogs!") == ["don't", "go", ",", "2", "dogs", "!"]
