"""What the cleaning rules of spotbot:chitchat catch, what they let pass, and where substance begins."""

from parlai_spotbot.tasks.chitchat import cleaning
from tests.case_tables import case_table


@case_table(__file__, "offending")
def test_offending_turns_are_named(turn, reason):
    assert cleaning.offence(turn) == reason


@case_table(__file__, "ordinary")
def test_ordinary_talk_passes(turn):
    assert cleaning.offence(turn) is None


def test_the_opening_is_the_first_exchange_where_both_turns_have_substance():
    greet, topic = "hi there, how are you?", "I bought a guitar yesterday"
    assert cleaning.opening((topic, topic, topic)) == 0
    assert cleaning.opening((greet, greet, topic, greet, topic, topic)) == 2
    assert cleaning.opening((greet, topic, topic)) is None  # shifted by one turn is no exchange of the same entities
    assert cleaning.opening((greet, greet) * 4 + (topic, topic)) is None
