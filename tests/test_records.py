"""Records: JSON in and out."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Utterance

TALK = ((Utterance(0, "hello"), Utterance(1, "hi")), (Utterance(0, "so"), Utterance(1, "what")))
PLAIN = Item("i", ("c", "d"), 1, TALK)


def test_an_item_without_judged_and_questions_is_written_as_before():
    assert list(PLAIN.to_json()) == ["item_id", "conversation_ids", "exchanges", "transcripts", "control"]
    row = {
        **PLAIN.to_json(),
        "conversation_ids": ["c", "d"],
        "transcripts": [list(t) for t in PLAIN.to_json()["transcripts"]],
    }
    assert Item.from_json(row, "here") == PLAIN


def test_an_item_keeps_who_is_judged_and_what_is_asked():
    item = Item("i", ("c", "d"), 1, TALK, None, (1, 0), ("humanness", "reason"))
    row = item.to_json()
    assert row["judged"] == (1, 0)
    row = {**row, "conversation_ids": ["c", "d"], "judged": [1, 0], "questions": ["humanness", "reason"]}
    row["transcripts"] = [list(turns) for turns in row["transcripts"]]
    assert Item.from_json(row, "here") == item


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("judged", [0]),
        ("judged", [0, 2]),
        ("judged", [True, 0]),
        ("judged", "01"),
        ("questions", ["a", "a"]),
        ("questions", [1]),
        ("questions", [""]),
    ],
)
def test_what_is_judged_and_asked_is_checked(name, value):
    row = {**PLAIN.to_json(), "conversation_ids": ["c", "d"], name: value}
    row["transcripts"] = [list(turns) for turns in row["transcripts"]]
    with pytest.raises(UserError, match=f"here.*'{name}'"):
        Item.from_json(row, "here")
