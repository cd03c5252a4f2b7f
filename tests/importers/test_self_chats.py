"""Self-chats as ParlAI writes them: whose they are, what is told in front, bad lines."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.self_chats import self_chats
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study

BOTH = ("TransformerGenerator_1", "TransformerGenerator_2")


def chat(number=0, exchanges=3, ids=BOTH, **more) -> dict:
    """A row as `parlai self_chat` saves it, with what the model's agent adds to a turn."""
    dialog = [
        [
            {"id": who, "episode_done": False, "text": f"{who[-1]} says {number}.{i}", "beam_texts": [["x", -6.5]]}
            for who in ids
        ]
        for i in range(exchanges)
    ]
    told = [{"id": "context", "text": f"your persona: i am {seat}.", "episode_done": False} for seat in (0, 1)]
    return {"dialog": dialog, "context": told, "metadata_path": "/x/model1.metadata", **more}


@pytest.fixture
def write(tmp_path):
    def lines(*rows, name="model1.blended_skill_talk.jsonl"):
        path = tmp_path / name
        path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return lines


def test_a_file_is_one_bot_in_two_seats_named_after_the_file(write):
    one = write(chat(0), chat(1))
    two = write(chat(7), name="other.jsonl")
    made = self_chats([str(one), f"theirs={two}"], "bst")
    found = [(c.conversation_id, c.pair, c.entities, c.kind, c.exchanges) for c in made.conversations]
    assert found == [
        ("model1:model1:0000", ("model1", "model1"), ("model1", "model1"), "self", 3),
        ("model1:model1:0001", ("model1", "model1"), ("model1", "model1"), "self", 3),
        ("theirs:theirs:0000", ("theirs", "theirs"), ("theirs", "theirs"), "self", 3),
    ]
    first = made.conversations[0]
    assert first.context == ("your persona: i am 0.", "your persona: i am 1.")
    assert [turn.text for turn in first.shown[:2]] == ["1 says 0.0", "2 says 0.0"]
    assert made.plan.all_pairs() == [("model1", "model1"), ("theirs", "theirs")]
    assert made.plan.surveys == ("acute_eval",)


def test_a_context_among_the_turns_is_no_turn(write):
    row = chat()
    row["dialog"].insert(0, row.pop("context"))
    (made,) = self_chats([str(write(row))], "bst").conversations
    assert len(made.turns) == 6
    assert made.context[1] == "your persona: i am 1."


def test_the_study_can_be_packed_and_the_same_import_changes_nothing(write, run, tmp_path, fingerprint):
    one, two = write(*map(chat, range(4))), write(*map(chat, range(4)), name="model2.bst.jsonl")
    people = write(*(chat(n, ids=("a", "b")) for n in range(8)), name="human.jsonl")
    words = ["--format", "self_chats", "--data", f"{one},{two},{people}", "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert (code, "next: parlai spotbot_pack" in out, "--survey acute_eval" in out) == (0, True, True)
    before = fingerprint(tmp_path / "study")
    assert "nothing changed" in run(*words)[1]
    assert fingerprint(tmp_path / "study") == before
    summary = pack_study(Study.open(tmp_path / "study"), "acute_eval")
    counts = {name.partition(" (")[0]: sum(row.values()) for name, row in summary["tables"]["comparisons"].items()}
    assert counts == dict.fromkeys(("human and model1", "human and model2", "model1 and model2"), 4)


BAD = [
    ([chat(), "{"], "line 2: not valid JSON"),
    ([], "is empty"),
    ([{"text": "hi"}], "line 1: field 'dialog' is missing"),
    ([chat(dialog=[["hi"]])], "line 1: field 'dialog', exchange 0: 'hi', expected an object"),
    ([chat(dialog=[[{"id": "a_1"}]])], "exchange 0: field 'text' is missing"),
    ([chat(exchanges=0)], "0 turns, no exchange"),
    ([chat(ids=("x_1", "y_2"))], "'x_1' with 'y_2', which is no bot with itself"),
    ([chat(dialog=[[{"id": s, "text": "t"} for s in ("a_1", "a_2", "a_2")]])], "turn 2 is by 'a_2', expected 'a_1'"),
    ([chat(context=["hi"])], "field 'context': 'hi'"),
]


@pytest.mark.parametrize(("rows", "says"), BAD, ids=[says for _, says in BAD])
def test_bad_files_are_one_error(write, rows, says):
    with pytest.raises(UserError) as error:
        self_chats([str(write(*rows))], "bst")
    assert says in str(error.value)


def test_names_are_checked(write, tmp_path):
    one = write(chat())
    with pytest.raises(UserError, match="both of 'model1'"):
        self_chats([str(one), f"model1={one}"], "bst")
    with pytest.raises(UserError, match="can't be a contestant's name"):
        self_chats([f"a b={one}"], "bst")
    with pytest.raises(UserError, match="no such"):
        self_chats([str(tmp_path / "nothing.jsonl")], "bst")
