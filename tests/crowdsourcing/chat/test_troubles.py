"""Contestants that are slow, hang, crash, eat memory or say nothing: nothing said is lost, nobody else waits."""

import contextlib
import sqlite3
import time

import pytest

from tests.crowdsourcing.chat.parlour import CALM, OBEDIENT, contestant

ONCE = ("crash", "hang", "mute")


def all_troubles(place):
    chats = place.server.intake.call(place.ledger.chats)
    return [kind for chat in chats for _, kind, _ in place.server.intake.call(place.ledger.troubles, chat.chat_id)]


def test_a_contestant_that_breaks_down_comes_back_and_knows_what_was_said(loaded, parlour, tmp_path):
    place = parlour(loaded(CALM, OBEDIENT))
    person = place.person("ann")
    item = place.meet(person, OBEDIENT.name)
    for number, what in enumerate(ONCE, start=1):
        text = f"{what} {tmp_path / what}"
        assert person.say(item, text)["chat"]["partner"] == "typing"
        turns = person.wait(item)["turns"]
        assert [turn["text"] for turn in turns[-2:]] == [text, f"turn {number} after {text[:40]}"]
    assert len(turns) == 6
    assert all_troubles(place) == ["crash", "hang", "empty"]
    assert place.said == []  # each time it came back


def test_one_that_never_comes_back_is_set_aside_and_its_chats_end_without_blame(loaded, parlour):
    place = parlour(loaded(CALM, OBEDIENT), limits={"units_per_annotator": 1})
    ann, bob = place.person("ann"), place.person("bob")
    item = place.meet(ann, OBEDIENT.name)
    other = place.meet(bob, OBEDIENT.name)
    bob.chat(other, 4)  # enough to rate
    ann.say(item, "die now")
    answer = ann.wait(item)
    assert (answer["chat"]["partner"], answer["chat"]["next"], answer["step"]) == ("gone", None, "failed")
    assert [turn["text"] for turn in answer["turns"]] == ["die now"]  # what was said stays
    assert len(place.said) == 1
    assert "'zzobedient' is set aside" in place.said[0]
    assert ann.refused("rate", ann.rating(item)) == (409, "chat_over")
    # Whoever talks to it too learns so when they next say something, and what they have is enough.
    bob.say(other, "are you there")
    assert bob.wait(other)["step"] == "rating"
    bob.rate(other)
    unit = ann.unit["unit"]
    left = ann.ok("leave", {"unit": unit})
    assert left["left"]
    assert ann.ok("leave", {"unit": unit})["left"]
    assert left["progress"] == {"done": 0, "allowance": 1, "used": 0}  # no blame
    assert left["state"] == "waiting"  # all units need the one that is gone
    assert "come back later" in left["why"]
    assert place.crowd.done == {}
    assert all_troubles(place).count("crash") == 3


def test_a_failed_chat_goes_on_when_the_contestant_was_mended(loaded, parlour):
    place = parlour(loaded(CALM, OBEDIENT))
    person = place.person("ann")
    item = place.meet(person, OBEDIENT.name)
    person.say(item, "die now")
    assert person.wait(item)["step"] == "failed"
    mended = contestant(OBEDIENT.name, "Counting").to_json() | {"model": "tests.selfplay.faulty_agents:CountingAgent"}
    place.restart(loaded(CALM, OBEDIENT.from_json(OBEDIENT.name, mended, "the mended pool")))
    person.address = ("127.0.0.1", place.server.port)
    assert person.wait(item)["turns"][-1]["text"] == "turn 1 after die now"
    person.chat(item, 4)
    person.rate(item)


@pytest.mark.parametrize("copies", [1, 2])
def test_chats_are_answered_in_batches_and_a_bad_one_is_found_out(loaded, parlour, copies):
    batched = contestant("zzbatched", "ObedientBatch", copies=copies)
    place = parlour(loaded(CALM, batched))
    people = [place.person(name) for name in ("ann", "bob", "cid")]
    items = [place.meet(person, batched.name) for person in people]
    for person, item, text in zip(people, items, ("hello", "raise", "hello"), strict=True):
        person.say(item, text)
    steps = [person.wait(item)["step"] for person, item in zip(people, items, strict=True)]
    assert steps == ["chatting", "failed", "chatting"]


def test_answers_that_cannot_be_stored_are_stored_later(company, parlour):
    place = parlour(company)
    person = place.person("ann")
    person.begin()
    person.chat(0, 2)

    person.say(0, "sleep 0.3")
    with contextlib.closing(sqlite3.connect(place.paths.ledger)) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody else can write now
        until = time.monotonic() + 20
        while not place.server.desk.chats._unkept and time.monotonic() < until:
            assert person.poll(0)["chat"]["partner"] == "typing"
        assert place.server.desk.chats._unkept
    assert person.wait(0)["turns"][-1]["text"] == "turn 2 after sleep 0.3"
