"""The language statistics: proper probabilities, and what is like people's turns scores higher."""

import math
import string

import pytest

from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, tokens

TURNS = ["how are you today", "i am fine and you", "what did you do today", "i went to the beach with my dog"] * 3


PEOPLE = {"one": TURNS}


def test_the_probabilities_of_what_may_follow_add_up_to_one():
    letters = PeopleLanguage(PEOPLE).letters
    seen = sorted(letters.followers[""])
    for context in ("", "how a", "zzzz", "today"):
        padded = "\x02" * 4 + context
        known = sum(letters.probability(padded + letter, len(padded)) for letter in seen)
        unseen = letters.probability(padded + "§", len(padded))
        assert known + (1000 - len(seen)) * unseen == pytest.approx(1)


@pytest.mark.parametrize("text", ["how are you today", "i like the beach", "never said ☂", "", "you"])
def test_without_a_conversation_is_as_if_it_had_not_been_learnt(text):
    others = {"one": TURNS[:2], "two": TURNS[2:4]}
    whole, rest = PeopleLanguage({**others, "mine": ["i like my dog", "how are the dogs"]}), PeopleLanguage(others)
    found, wanted = whole.measured(text, "mine"), rest.measured(text)
    if text not in TURNS:  # what is in a conversation is measured without that one instead
        assert found.likelihood == pytest.approx(wanted.likelihood)
        assert found.order == pytest.approx(wanted.order)
        assert found.known == wanted.known
    alone = PeopleLanguage({"one": TURNS[:2], "two": TURNS[2:4], "mine": ["i like my dog"]})
    assert alone.measured("i like my dog").likelihood == pytest.approx(rest.measured("i like my dog").likelihood)


def test_words_in_another_order_have_less_order_and_are_as_known():
    language = PeopleLanguage(PEOPLE)
    right, wrong = language.measured("what did you do at the beach"), language.measured("beach you the at do did what")
    assert right.order > wrong.order + 1
    assert right.known == [True, True, True, True, False, True, True]  # nobody says "at"
    assert sorted(right.known) == sorted(wrong.known)


def test_one_letter_by_hand():
    # "ab": the letters are a, b and the end, each once. After the whole history "…a" always came b.
    letters = PeopleLanguage({"one": ["ab"]}).letters
    p = (1 + 3 * (1 / 1000)) / (3 + 3)
    for _ in range(4):  # histories of 1 to 4 characters, each with one kind of follower, seen once
        p = (1 + 1 * p) / (1 + 1)
    assert letters.probability("\x02" * 4 + "ab", 5) == pytest.approx(p)


def test_scrambled_text_is_less_likely():
    language = PeopleLanguage(PEOPLE)
    assert language.likelihood("how are you and the dog") > language.likelihood("woh rae yuo dna eht odg")
    assert language.likelihood(string.punctuation) < language.likelihood("you")


def test_rare_words_are_specific():
    language = PeopleLanguage(PEOPLE)
    assert language.idf("you") == pytest.approx(math.log(5 / 4))
    assert language.idf("never seen") == pytest.approx(math.log(5))
    assert language.specificity("the beach") > language.specificity("you today")
    assert math.isnan(language.specificity("?!"))


def test_tokens_keep_marks_and_apostrophes():
    assert tokens("Don't go, 2 Dogs!") == ["don't", "go", ",", "2", "dogs", "!"]
