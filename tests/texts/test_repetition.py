"""Repeated turns, identical conversations, and overlap with training data."""

import pandas as pd

from parlai_spotbot.records import Conversation, Turn
from parlai_spotbot.texts.repetition import identical_conversations, repeated_turns, training_overlap, turns_frame


def talk(identity: str, entities: tuple[str, str], *texts: str) -> Conversation:
    turns = tuple(Turn(entities[i % 2], text) for i, text in enumerate(("seed", "seed", *texts)))
    return Conversation(identity, "chitchat", entities, 0, entities, turns)


TALKS = [
    talk("c1", ("x", "y"), "Hi!", "I like tea.", "hi", "Oh?"),
    talk("c2", ("x", "y"), "Hi.", "Coffee", "What", "Oh"),
    talk("c3", ("y", "x"), "oh", "hi", "Milk", "No"),
    talk("c4", ("x", "y"), "hi", "coffee!", "what?", "oh"),
    talk("c5", ("human", "human"), "hi", "there"),
]


def test_turns_leave_the_seed_out():
    turns = turns_frame(TALKS)
    assert len(turns) == 18
    assert "seed" not in set(turns["text"])
    assert list(turns["name"][:4]) == ["x", "y", "x", "y"]


def test_repeated_turns_are_counted():
    table = repeated_turns(turns_frame(TALKS)).set_index("name")
    assert table.loc["x", ["turns", "distinct", "times"]].tolist() == [8, 3, 5]
    assert table.loc["x", "repeated"] == 7 / 8  # all but "No"
    assert table.loc["x", "within"] == 1 / 8  # "hi" came twice in c1
    assert table.loc["x", "most_common"] == "Hi!"
    assert table.loc["y", "repeated"] == 6 / 8
    assert table.loc["human", "repeated"] == 0
    assert table.index[0] == "x"
    assert "5 times" in table.loc["x", "sentence"]


def test_identical_conversations_are_found():
    table = identical_conversations(turns_frame(TALKS))
    assert table["conversation_ids"].tolist() == [["c2", "c4"]]
    assert table["names"][0] == "x – y"
    assert identical_conversations(turns_frame(TALKS[:2])).empty


def test_overlap_with_the_training_data():
    episodes = [["Hi", "Coffee", "what?"], ["milk", "no!"], ["tea"]]
    found = training_overlap(TALKS, episodes)
    assert found["conversations"] == 4
    assert found["with_training_exchange"] == 3  # c2, c4 and c3
    assert found["share"] == 3 / 4
    assert found["turns_found"] == {"x": 1.0, "y": 3 / 8}
    assert training_overlap([], episodes) == {
        "conversations": 0,
        "with_training_exchange": 0,
        "share": None,
        "turns_found": {},
    }


def test_empty_turns():
    turns = pd.DataFrame(columns=["conversation_id", "turn", "name", "text"])
    assert repeated_turns(turns).empty
    assert identical_conversations(turns).empty
