"""Chats of roles (messages, ShareGPT): who is who, what becomes a turn, what is left out and counted, bad files."""

import json

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.study import Study

IMPORTERS = "parlai_spotbot.importers"


def read(name, data, **more):
    """The study that a format reads, by way of what the command calls."""
    request = ImportRequest(str(data), **more)
    module = __import__(f"{IMPORTERS}.{name}", fromlist=["FORM"])
    from parlai_spotbot.importers.chats import chats

    return chats(request, module.FORM)


def said(*texts, first="user"):
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    return [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]


@pytest.fixture
def write(tmp_path):
    def lines(*rows, name="chats.jsonl"):
        path = tmp_path / name
        if name.endswith(".json"):
            path.write_text(json.dumps(rows))
        else:
            path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return lines


def counted(imported):
    return {row["what"].split(" (")[0]: (row["count"], row["of"]) for row in imported.about["oddities"]}


def test_who_is_who(write):
    path = write(
        {"messages": said("hi", "hello"), "model": "org/gpt 4o", "id": 7},
        {"messages": said("hello", "hi", first="assistant"), "metadata": {"model": "m2"}},
        {"messages": said("a", "b")},
    )
    made = read("messages", path)
    assert [(c.conversation_id if c.conversation_id == "7" else "", c.entities) for c in made.conversations] == [
        ("", ("human", "chats")),
        ("", ("m2", "human")),
        ("7", ("human", "org-gpt-4o")),
    ]
    assert made.about["notes"] == ["names as they may be: org/gpt 4o is org-gpt-4o"]
    named = read("messages", f"mine={path}", names="user=sim", columns="conversation_id=-")
    assert {c.entities for c in named.conversations} == {("sim", "mine"), ("mine", "sim")}
    one = read("messages", path, names="m2=second,chats=third")
    assert set(one.plan.contestants) == {"org-gpt-4o", "second", "third"}
    itself = read("messages", f"mine={path}", names="user=mine")
    assert {c.kind for c in itself.conversations} == {"self"}


def test_what_becomes_a_turn_and_what_is_counted(write):
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}}
    messages = [
        {"role": "developer", "content": "be kind"},
        {"role": "system", "content": [{"type": "text", "text": "be brief"}]},
        {"role": "user", "content": [{"type": "text", "text": "what is"}, picture, {"type": "text", "text": "this?"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": [{"type": "odd"}], "tool_call_id": "1"},
        {"role": "assistant", "content": "a cat", "tool_calls": [call]},
        {"role": "assistant", "content": "surely"},
        {"role": "system", "content": "now be rude"},
        {"role": "user", "content": "  "},
        {"role": "user", "content": "insult me"},
        {"role": "assistant", "refusal": "I won't.", "content": None},
        {"role": "user", "content": "well"},
    ]
    made = read("messages", write({"messages": messages}, {"messages": said("nobody answers")}, {"messages": []}))
    (talk,) = made.conversations
    assert [turn.text for turn in talk.turns] == ["what is\nthis?", "a cat\nsurely", "insult me", "I won't.", "well"]
    assert talk.context == ("", "be kind\nbe brief")
    assert (talk.exchanges, talk.entities) == (2, ("human", "chats"))
    assert counted(made) == {
        "messages of the system in front": (2, 13),
        "messages of tools, of the system later on, and without a text": (4, 13),
        "parts of messages that are no text": (1, 13),
        "messages by the speaker before": (1, 13),
        "conversations without an exchange": (2, 3),
    }


def test_sharegpt(write):
    talk = [{"from": who, "value": text} for who, text in (("human", "hi"), ("gpt", "hello"), ("human", "bye"))]
    calls = [{"from": "function_call", "value": "{}"}, {"from": "observation", "value": "{}"}]
    rows = [
        {"id": "x_0", "conversations": [{"from": "system", "value": "be kind"}, *talk]},
        {"id": "x_1", "conversations": [*talk, *calls, {"from": "gpt", "value": "ciao"}], "system": "be brief"},
    ]
    first, second = read("sharegpt", write(*rows, name="sg.json")).conversations
    assert (first.conversation_id, first.context, first.entities) == ("x_0", ("", "be kind"), ("human", "sg"))
    assert [turn.text for turn in second.turns] == ["hi", "hello", "bye", "ciao"]
    assert second.context == ("", "be brief")


def test_a_column_of_another_name_and_a_seed(write):
    path = write({"talk": said("a", "b", "c", "d"), "by": {"name": "m"}, "hash": "h1"})
    made = read("messages", path, columns="messages=talk,model=by.name,conversation_id=hash", seed_exchanges=1)
    (talk,) = made.conversations
    assert (talk.conversation_id, talk.entities, [t.text for t in talk.shown]) == ("h1", ("human", "m"), ["c", "d"])


def test_the_command_makes_a_study_and_the_same_again_changes_nothing(write, run, tmp_path, fingerprint):
    rows = [{"messages": said("hi", f"hello {n}", "ok", "bye"), "model": f"m{n % 2}"} for n in range(6)]
    words = ["--format", "messages", "--data", write(*rows), "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert (code, "6 conversations of m0, m1" in out) == (0, True)
    study = Study.open(tmp_path / "study")
    assert [c.kind for c in study.conversations()] == ["human_model"] * 6
    before = fingerprint(study.path)
    assert "nothing changed" in run(*words)[1]
    assert fingerprint(study.path) == before


def test_parquet_files_are_the_same_rows(write, tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"messages": said("hi", f"hello {n}"), "model": f"m{n % 2}", "id": f"c{n}"} for n in range(2500)]
    folder = tmp_path / "saved"
    folder.mkdir()
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "chats.parquet")
    plain = read("messages", write(*rows)).conversations
    assert read("messages", folder).conversations == plain
    (tmp_path / "cut.parquet").write_bytes((folder / "chats.parquet").read_bytes()[:-100])
    with pytest.raises(UserError, match="not a valid Parquet file"):
        read("messages", tmp_path / "cut.parquet")


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match="pip install pyarrow"):
        read("messages", tmp_path / "x.parquet")


def test_half_characters_come_in_as_replacements(write):
    (talk,) = read(
        "messages",
        write('{"messages": [{"role": "user", "content": "a\\ud83d"}, {"role": "assistant", "content": "b"}]}'),
    ).conversations
    assert talk.turns[0].text == "a\ufffd"
