"""The folds of spotbot:chitchat on the real data: they share nobody, they are clean, they stay as they are."""

import pytest
import yaml

from parlai_spotbot.tasks.chitchat import cleaning, data

COUNTS = yaml.safe_load("""
bots: {conversations: 693, long: 292, turns: 12025, people: 488}
judges: {conversations: 271, long: 130, turns: 4838, people: 113}
humans: {conversations: 480, long: 228, turns: 8568, people: 303}
seeds: {conversations: 700, long: 320, turns: 11582, people: 184}
""")

CHECKSUMS = {
    "bots": "142977b95389db4e",
    "judges": "6f8c3a3d1ad8de77",
    "humans": "f7ddd9f6e9769a81",
    "seeds": "220ff4da51fd2354",
}


def test_folds_share_no_person_and_no_conversation():
    people = {fold: {p for chat in data.conversations(fold) for p in chat.people} for fold in data.FOLDS}
    ids = {fold: {chat.conversation_id for chat in data.conversations(fold)} for fold in data.FOLDS}
    assert all(people.values())
    assert sum(map(len, people.values())) == len(set().union(*people.values()))
    assert sum(map(len, ids.values())) == len(set().union(*ids.values()))


def test_people_and_turns_are_those_of_the_data_set():
    raw = data.raw_conversations()
    for fold in data.FOLDS:
        for chat in data.conversations(fold):
            groups = raw[chat.conversation_id]["messages"]
            turns = [" ".join(" ".join(m["text"] for m in group).split()) for group in groups if group]
            senders = [group[0]["sender"] for group in groups if group]
            start = turns.index(chat.turns[0]) if fold != "bots" else 0
            assert tuple(turns[start : start + len(chat.turns)]) == chat.turns
            assert [chat.people[i % 2] for i in range(len(turns))] == senders


@pytest.mark.parametrize("fold", data.FOLDS)
def test_every_turn_is_clean(fold):
    turns = [turn for chat in data.conversations(fold) for turn in chat.turns]
    assert [turn for turn in turns if cleaning.offence(turn)] == []
    assert not any("@" in turn and "." in turn.split("@", 1)[1].split(" ")[0] for turn in turns)
    assert not any("http" in turn or "fuck" in turn.lower() for turn in turns)


def test_counts_and_checksums_are_pinned():
    for fold, chats in ((fold, data.conversations(fold)) for fold in data.FOLDS):
        turns = [len(chat.turns) for chat in chats]
        people = {person for chat in chats for person in chat.people}
        counts = {"conversations": len(chats), "long": sum(n >= 12 for n in turns), "turns": sum(turns)}
        assert counts | {"people": len(people)} == COUNTS[fold]
    assert {fold: data.checksum(fold)[:16] for fold in data.FOLDS} == CHECKSUMS
