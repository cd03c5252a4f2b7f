"""A contestant's mark that it ends the conversation, as simulators of users say it: an end, and no turn's text."""

import pytest

from parlai_spotbot.outside import STOP_HOLDS, before_stop
from parlai_spotbot.records import Contestant, Conversation, Turn
from tests.selfplay.test_runner import contestant, play, start


def ending(name):
    bot = {"plain_python": f"tests.selfplay.odd_agents:{name}"}
    return Contestant(name, model="spotbot:plain_python", opt=bot, turn_timeout=10)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("###STOP###", ""),
        ("thanks, bye ###STOP###", "thanks, bye"),
        ("ok ### STOP ### and more", "ok"),
        ("###TRANSFER###", ""),
        ("bye [END]", "bye"),
        ("bye\n[END OF CONVERSATION].", "bye"),
        ("bye <END>", "bye"),
        ("bye <|end_of_conversation|>", "bye"),
        ("done. TERMINATE", "done."),
        ("please terminate", None),
        ("TERMINATE the contract", None),
        ("at the [END] we met", None),
        ("###", None),
        ("stop", None),
        ("", None),
    ],
)
def test_marks(text, left):
    assert before_stop(text) == left


def test_a_conversation_ends_with_the_mark_and_goes_on_the_same_after_a_stop(tmp_path):
    pool = (ending("stops"), ending("stops_alone"), contestant("Counting"))
    study = start(tmp_path / "s", *pool, conversations_per_pair=2)
    failures, content = play(study)
    assert failures == []
    assert b"STOP" not in content
    by_pair = {talk.pair: talk for talk in study.conversations()}
    lengths = {pair: len(talk.turns) - 2 for pair, talk in by_pair.items()}
    assert max(lengths.values()) < 10
    for talk in study.conversations():
        assert talk.provenance["ended_by"] in talk.pair
        assert talk.provenance["ended_by"] != "Counting"
    assert play(study) == ([], content)


def test_who_ends_it_before_an_exchange_is_a_failure(tmp_path):
    study = start(tmp_path / "s", ending("stops_at_once"), contestant("Counting"), conversations_per_pair=2)
    failures, _ = play(study)
    assert {(row["contestant"], row["kind"]) for row in failures} == {("stops_at_once", "ended")}


def test_conversations_that_were_kept_before_end_there_too():
    said = ("hi", "hello", "how", "fine ###STOP###", "bye ###STOP###", "bye")
    turns = tuple(Turn(name, text) for name, text in zip("abababab", said, strict=False))
    talk = Conversation("x", "d", ("a", "b"), 0, ("a", "b"), turns, seed_exchanges=1)
    read = Conversation.from_json(talk.to_json(), "here")
    assert [turn.text for turn in read.turns] == ["hi", "hello", "how", "fine"]
    assert read.exchanges == 1


def test_no_mark_is_passed_over_unread():
    """What a mark holds, and so what a turn is asked for first, is in each that the pattern finds."""
    marks = ["##STOP##", "### END ###", "####TRANSFER####", "[END]", "[EXIT]", "[END OF THE CHAT]", "<STOP>", "<<END>>"]
    for mark in [*marks, "<|end_of_conversation|>", "TERMINATE"]:
        assert before_stop(f"so, {mark}") == "so,"
        assert any(part in mark for part in STOP_HOLDS)
