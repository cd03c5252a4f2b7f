"""Records: JSON in and out."""

import json

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Item, Turn, Unit, Utterance
from tests.spoken import spoken

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


def test_a_reader_of_units_makes_what_replicates_share_once_and_sees_what_differs():
    items = [json.loads(json.dumps({**PLAIN.to_json(), "item_id": f"i{number}"})) for number in range(3)]
    other = [items[2], items[0], {**items[1], "exchanges": 2}]
    rows = [
        {"unit_id": f"u{number}", "survey": "s", "block_id": "b", "rotation": 0, "replicate": number, "items": shown}
        for number, shown in enumerate([items, other])
    ]
    read = Unit.reader()
    first, second = (read(json.dumps(row).encode(), "here") for row in rows)
    assert (first, second) == tuple(Unit.from_json(row, "here") for row in rows)
    assert second.items[1] is first.items[0]
    assert second.items[2].exchanges == 2
    with pytest.raises(UserError, match="item_id"):
        read({**rows[0], "items": [{**items[0], "item_id": None}]}, "here")
    with pytest.raises(ValueError, match="item_id"):
        read(json.dumps({**rows[0], "items": [{**items[0], "item_id": None}]}).encode(), "here")


def row_of_unit(count, text="hello", **more):
    """Return a row of a unit of so many items that say this."""
    plain = {
        **PLAIN.to_json(),
        "conversation_ids": ["c"],
        "transcripts": [[{"entity": 0, "text": text}, {"entity": 1, "text": "hm"}]],
    }
    items = [{**plain, "item_id": f"i{number}"} for number in range(count)]
    return {"unit_id": "u", "survey": "s", "block_id": "b", "rotation": 0, "replicate": 0, "items": items, **more}


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(row_of_unit(0)),
        json.dumps(row_of_unit(1)),
        json.dumps(row_of_unit(150)) + "\n",
        json.dumps(row_of_unit(2), separators=(",", ":")),
        json.dumps(row_of_unit(2), sort_keys=True),
        json.dumps(row_of_unit(2, since=[1])),
        json.dumps(row_of_unit(2, 'said: "items": [{"item_id": "i0"}, {"item_id": "i1"}]}')),
        json.dumps(row_of_unit(2, "你好 \N{GRINNING FACE}"), ensure_ascii=False),
        json.dumps({**row_of_unit(0), "items": [{**row_of_unit(1)["items"][0], "more": {"item_id": "i9"}}]}),
        json.dumps(row_of_unit(2, more=[{"item_id": "i9"}])),
        json.dumps({"more": [{"item_id": "i9"}], **row_of_unit(2)}),
    ],
)
def test_a_line_of_a_unit_is_read_as_its_row_is(line):
    def read(reader):
        try:
            return reader(line.encode(), "here")
        except ValueError:  # as `files.jsonl_rows` does
            return reader(json.loads(line), "here")

    unit = Unit.from_json(json.loads(line), "here")
    reader = Unit.reader()
    assert [read(reader), read(reader)] == [unit, unit]


@pytest.mark.parametrize("speakers", ["aabb", "abca", "abaa", "ba"])
def test_turns_are_by_the_speakers_that_their_places_say(speakers):
    talk = Conversation("c", "d", ("a", "b"), 0, ("a", "b"), tuple(Turn(name, "hm") for name in speakers), 0)
    with pytest.raises(UserError, match=r"here: turn \d is by '[abc]', expected '[ab]'"):
        talk.check_speakers("here")
    Conversation("c", "d", ("a", "a"), 0, ("a", "a"), (Turn("a", "hm"),) * 3, 0).check_speakers("here")


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line,
        lambda line: line.replace('"number": 0', '"number": 0, "unknown": {"x": [1]}'),
        lambda line: line.replace('"number": 0', '"number": 7, "number": 0'),
        lambda line: line.replace('"number": 0', '"number": 0.5'),
        lambda line: line.replace('"number": 0', '"number": 1e400'),
        lambda line: line.replace('"number": 0, ', ""),
        lambda line: line.replace('"text": "', '"text": "\\ud83d\\ude00 \\ud800 ', 1),
        lambda line: line.replace('"text": "', '"text": "\\u0000', 1),
        lambda line: line.replace('"provenance": {}', '"provenance": {"a": NaN, "b": 1e400, "c": 0.1e-7}'),
        lambda line: f"{line}, {line}",
        lambda line: f"{line[:-1]},}}",
        lambda line: f"[{line}]",
        lambda line: "\ufeff" + line,
        lambda line: "7",
        lambda line: "",
    ],
)
def test_a_line_read_at_once_is_read_as_step_by_step(tmp_path, change):
    """A conversation, or the error, is the same."""
    line = change(files.dumps(spoken("c", ("a", "b"), ["hi", "ho"] * 3)))
    (tmp_path / "rows.jsonl").write_text(f"{line}\n", encoding="utf-8")
    found = []
    for lines in (False, True):
        try:
            rows = files.read_jsonl(tmp_path / "rows.jsonl", Conversation.from_json, lines=lines)
            found.append(repr(rows))
        except UserError as err:
            found.append(str(err))
    assert found[0] == found[1]
