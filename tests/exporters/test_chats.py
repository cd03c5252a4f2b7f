"""Conversations as chats of roles: they come back as they were; who is the assistant; nothing is overwritten."""

from parlai_spotbot.exporters import messages, sharegpt
from parlai_spotbot.exporters.chats import chat
from parlai_spotbot.importers.chats import ChatReader
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.records import HUMAN
from tests.case_tables import cases
from tests.spoken import spoken


def back(path, domain):
    return ChatReader(ImportRequest(str(path), domain=domain)).study("messages").conversations


def plain(conversations):
    """What comes back: who speaks, and what is shown."""
    return sorted((c.conversation_id, c.entities, c.shown) for c in conversations)


@cases("which name", "[[people, messages], [surveys, sharegpt]]")
def test_conversations_come_back(study, run, tmp_path, name, which):
    own, path = study(which), tmp_path / "chats.jsonl"
    words = ["--study", own.path, "--format", name, "--out", path]
    code, out, _ = run(*words)
    found = own.conversations()
    assert (code, f"{len(found)} conversations of" in out) == (0, True)
    assert plain(back(path, found[0].domain)) == plain(found)
    assert "nothing changed" in run(*words)[1]


def talk(entities, *texts, **more):
    return spoken("c1", entities, texts, domain="d", **{"seed_exchanges": 0, **more})


def test_a_person_is_the_user_and_what_bots_were_told_is_the_system(tmp_path):
    opened = talk(("m", HUMAN), "hi", "hello", context=("be kind", ""))
    assert chat(opened, messages.FORM) == {
        "conversation_id": "c1",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": "hello"},
        ],
        "model": "m",
        "entities": ["m", "human"],
        "seed_exchanges": 0,
    }
    row = chat(talk(("a", "b"), "x", "y"), sharegpt.FORM)
    assert (row["model"], [m["from"] for m in row["conversations"]]) == ("b", ["human", "gpt"])


def test_other_files_are_left_as_they_are(study, run, tmp_path):
    own, path = study("people"), tmp_path / "there.jsonl"
    path.write_text("mine")
    code, _, err = run("--study", own.path, "--format", "messages", "--out", path)
    assert (code, "there is something else already" in err, path.read_text()) == (2, True, "mine")
    code, _, err = run("--study", own.path, "--format", "messages", "--out", tmp_path / "no" / "x.jsonl")
    assert (code, "no file can be there" in err) == (2, True)
    code, _, err = run("--study", own.path, "--format", "mesages", "--out", path)
    assert (code, "Did you mean 'messages'?" in err) == (2, True)
