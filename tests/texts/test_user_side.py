"""What users write, as numbers: lines for each list of words, and features by hand."""

import math

import pytest

from parlai_spotbot.texts.user_side import is_english, user_features
from tests.case_tables import cases


@cases(
    "feature text holds",
    """
- [polite, "Could you check it, please?", true]
- [polite, "Check it.", false]
- [corrections, "It is 4711. Wait, no, 4712", true]
- [corrections, "sorry, i meant the blue one", true]
- [corrections, "blue*", true]
- [corrections, "I actually bought two.", false]
- [corrections, "What do you mean?", false]
- [slips, "i dont know", true]
- [slips, "I don't know, i'm not at home", true]
- [slips, "I don't know. My user id is mia_li_3668, i.e. the first. See amazon.com.", false]
- [slips, "I cant find the oder", true]
- [questions, "いつですか？", true]
- [questions, "When", false]
- [pushback, "Are you sure? I already told you the number.", true]
- [clarify, "What do you mean by that?", true]
- [clarify, "That's wrong. What do you mean?", false]
- [seeking, "How much does it cost?", true]
- [emotion, "This is so frustrating", true]
- [acknowledged, "Sounds good!", true]
- [acknowledged, "Sounds good, but when?", false]
- [like_the_agent, "Is there anything else I can help you with?", true]
- [pivot, "Can I have a refund instead?", true]
- [dashes, "Yes — that one", true]
- [lists, "I need\\n1. a lamp\\n2) a tent", true]
- [lists, "- the lamp\\n- the tent", true]
- [lists, "I paid 20\\n- too much", false]
- [other_language, "ich möchte wissen ob sich das noch ändern lässt", true]
- [other_language, "i want to know if this can still be changed", false]
""",
)
def test_lines(feature, text, holds):
    assert user_features([text], 0)[feature] == holds


def test_details_and_ends():
    turns = ["Order W123 for a.b@c.com", "Is W777 the item?", "W777, yes, zip 94110", "Ok. Anything else?"]
    found = user_features(turns, 0)
    assert found["given_first"] == pytest.approx(2 / 3)  # W777 was the agent's
    assert (found["turns_to_all"], found["turns"], found["opening"], found["unanswered"]) == (2, 2, 4, 1)
    assert user_features(turns[:3], 0)["unanswered"] == 0
    assert user_features(turns, 1)["turns"] == 2
    assert math.isnan(user_features(["no details"], 0)["given_first"])


def test_numbers_of_lists_are_no_details():
    assert user_features(["It is\n1. W123\n2. W345", "ok", "3. W777"], 0)["given_first"] == pytest.approx(2 / 3)


def test_echo_is_what_the_other_has_just_said():
    turns = ["so i want my money", "tell me the order number", "tell me the order number", "go on", "i want my money"]
    assert user_features(turns, 0)["echo"] == 1 / 2
    assert user_features(turns, 1)["echo"] == 0
    assert math.isnan(user_features(["yes", "tell me the order", "no"], 0)["echo"])


def test_repetition():
    assert user_features(["i want my money", "no", "i want my money", "no"], 0)["repetition"] == 1
    assert user_features(["i want my money", "no", "ok then", "no"], 0)["repetition"] != 0  # too short to say
    assert user_features(["a b c"] * 23, 0)["repeated_often"] == 1
    assert user_features(["a b c"] * 20, 0)["repeated_often"] == 0


@cases(
    "text english",
    """
- ["i want to cancel my order and get the money back", true]
- ["Ich möchte meine Bestellung stornieren", false]
- ["Ik wil graag mijn bestelling annuleren, is dat goed of niet", false]
- ["注文をキャンセルしたいです", false]
- ["", false]
""",
)
def test_which_texts_are_english(text, english):
    assert is_english([text]) == english
