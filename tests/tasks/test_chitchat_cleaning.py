"""What the cleaning rules of spotbot:chitchat catch, what they let pass, and where substance begins."""

import pytest

from parlai_spotbot.tasks.chitchat import cleaning


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ("", "empty"),
        (" \t", "empty"),
        ("mail me: someone@example.org", "personal data"),
        ("I am @someone there", "personal data"),
        ("ring 555-123-4567 tonight", "personal data"),
        ("it is (555) 123-4567", "personal data"),
        ("555-1234", "personal data"),
        ("student number 123456789", "personal data"),
        ("come to 123 Maple Street", "personal data"),
        ("we live at 450 N 200 W", "personal data"),
        ("knock at apt 12", "personal data"),
        ("Hi, my name is Jo", "personal data"),
        ("What's your last name?", "personal data"),
        ("add me on anything", "personal data"),
        ("hello I'm Jo Bloggs", "personal data"),
        ("see https://example.org/x", "link"),
        ("look at example.com", "link"),
        ("that was <em>great</em>", "markup"),
        ("a :bear: haha", "markup"),
        ("so late #blessed", "markup"),
        ("what the fuck", "profanity"),
        ("Shitty day", "profanity"),
        ("oh f*** off", "profanity"),
        ("I think this bot is odd", "the platform"),
        ("are you a real person", "the platform"),
        ("I love chitchat", "the platform"),
        ("what was the prompt again", "the platform"),
        ("we need more points", "the platform"),
        ("oh hey again", "the platform"),
        ("word " * 101, "not talk"),
        ("a" * 31, "not talk"),
    ],
)
def test_offending_turns_are_named(turn, reason):
    assert cleaning.offence(turn) == reason


@pytest.mark.parametrize(
    "turn",
    [
        "Hello there, how are you?",
        "my grass needs mowing, what a classic assumption",  # words that hold profane ones
        "She sells shitake and grapes in Scunthorpe",
        "I was born in 1998, on the 12 of May",
        "a 7 hour drive is way too long",
        "it costs $1,000 or 12.50 a month",
        "good points! He points out three of them",
        "robots will rule the world some day",
        "I follow him everywhere",
        "I am American, she is Greek",
        "word " * 100,
    ],
)
def test_ordinary_talk_passes(turn):
    assert cleaning.offence(turn) is None


def test_the_opening_is_the_first_exchange_where_both_turns_have_substance():
    greet, topic = "hi there, how are you?", "I bought a guitar yesterday"
    assert cleaning.opening((topic, topic, topic)) == 0
    assert cleaning.opening((greet, greet, topic, greet, topic, topic)) == 2
    assert cleaning.opening((greet, topic, topic)) is None  # shifted by one turn is no exchange of the same entities
    assert cleaning.opening((greet, greet) * 4 + (topic, topic)) is None
