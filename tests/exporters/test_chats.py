"""Conversations as chats of roles: they come back as they were; who is the assistant; nothing is overwritten."""

import json
from dataclasses import replace

import pytest

from parlai_spotbot import files
from parlai_spotbot.exporters.chats import chat
from parlai_spotbot.importers import messages, sharegpt
from parlai_spotbot.importers.chats import chats
from parlai_spotbot.importers.format import ImportRequest
from parlai_spotbot.records import HUMAN, Conversation, Turn

FORMS = {"messages": messages.FORM, "sharegpt": sharegpt.FORM}


def back(path, form, domain):
    opt = dict.fromkeys(("names", "columns", "segments")) | {"seed_exchanges": 0, "domain": domain}
    return chats(ImportRequest({**opt, "data": str(path)}), form).conversations


def plain(conversations):
    """What comes back: all but numbers within a pair, its order, and how the conversation was played."""
    return sorted(
        (replace(c, pair=tuple(sorted(c.pair)), number=0, provenance={}) for c in conversations),
        key=lambda c: c.conversation_id,
    )


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("which", ["people", "surveys"])
def test_conversations_come_back_as_they_were(study, run, tmp_path, name, which):
    own, path = study(which), tmp_path / "chats.jsonl"
    words = ["--study", own.path, "--format", name, "--out", path]
    code, out, _ = run(*words)
    found = own.conversations()
    assert (code, f"{len(found)} conversations of" in out) == (0, True)
    assert plain(back(path, FORMS[name], found[0].domain)) == plain(found)
    assert "nothing changed" in run(*words)[1]


def talk(entities, *texts, **more):
    turns = tuple(Turn(entities[i % 2], text) for i, text in enumerate(texts))
    pair = tuple(sorted(entities))
    return Conversation("c1", "d", pair, 0, entities, turns, **{"seed_exchanges": 0, **more})


def test_a_person_is_the_user_and_what_bots_were_told_is_the_system(tmp_path):
    opened = talk(("m", HUMAN), "hi", "hello", context=("be kind", ""))
    assert chat(opened, messages.FORM, "conversation_id") == {
        "conversation_id": "c1",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "hello"},
        ],
        "model": "m",
        "entities": ["m", "human"],
        "seed_exchanges": 0,
        "context": ["be kind", ""],
    }
    row = chat(talk(("a", "b"), "x", "y"), sharegpt.FORM, "id")
    assert (row["model"], [m["from"] for m in row["conversations"]]) == ("b", ["human", "gpt"])


@pytest.mark.parametrize("name", FORMS)
def test_odd_texts_contexts_and_seeds_come_back(tmp_path, name):
    told = {"seed_exchanges": 1, "seed_id": "s", "context": ("p\nq", "r")}
    odd = [
        talk(("a", "b"), "", " \n", "x\u2028y", '{"role": "system"}', **told),
        replace(talk((HUMAN, HUMAN), "hi", "hi"), conversation_id="c2"),
        replace(talk(("a", "a"), "hi", "ho", "hum"), conversation_id="c3"),
    ]
    path = tmp_path / "odd.jsonl"
    files.write_jsonl(path, (chat(c, FORMS[name], "id") for c in odd))
    assert plain(back(path, FORMS[name], "d")) == plain(odd)


def test_other_files_are_left_as_they_are(study, run, tmp_path):
    own, path = study("people"), tmp_path / "there.jsonl"
    path.write_text("mine")
    code, _, err = run("--study", own.path, "--format", "messages", "--out", path)
    assert (code, "there is something else already" in err, path.read_text()) == (2, True, "mine")
    code, _, err = run("--study", own.path, "--format", "messages", "--out", tmp_path / "no" / "x.jsonl")
    assert (code, "there is no folder" in err) == (2, True)
    code, _, err = run("--study", own.path, "--format", "mesages", "--out", path)
    assert (code, "Did you mean 'messages'?" in err) == (2, True)


def test_each_line_is_json(study, run, tmp_path):
    run("--study", study("people").path, "--format", "sharegpt", "--out", tmp_path / "x.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert {message["from"] for row in rows for message in row["conversations"]} == {"human", "gpt"}
