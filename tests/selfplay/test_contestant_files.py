"""A contestant whose file changes is another bot: nothing more is played under its name."""

import sys

import pytest

from parlai_spotbot.study import Study
from tests.in_process import spotbot
from tests.selfplay.test_one_of_each_kind import train

POOL = """
mine: {model: 'my_bot:respond'}
eliza: {model: 'spotbot:eliza'}
alice: {model: 'spotbot:alice'}
"""
FIRST, SECOND = (f"def respond(text):\n    return 'i am {name}'\n" for name in ("the first", "the one that came after"))
"""Of two lengths: Python takes a file of the same second and length for the one that it has compiled."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_bot.py").write_text(FIRST)
    (tmp_path / "pool.yaml").write_text(POOL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_bot", raising=False)
    return tmp_path


def play(pairs, pool="pool.yaml", code=0):
    words = ("--study", "s", "--pool", pool, "--conversations-per-pair", pairs, "--segments", 2)
    return spotbot("selfchat", *words, "--human-conversations", 0, code=code)


def refused(pairs, file):
    _, err = play(pairs, code=2)
    assert f"{file} has changed since mine played, so it is another bot now" in err
    assert "spotbot_contestants --study s --leave-out mine) and add the changed one under a new name" in err


def test_a_function_whose_file_changed_needs_a_new_name(folder):
    play(1)
    [record] = [row for name, row in Study.open("s").provenance()["selfplay"]["contestants"].items() if name == "mine"]
    assert len(record["code_sha256"]) == 64
    before = Study.open("s").conversations()
    (folder / "my_bot.py").write_text(SECOND)
    play(1)  # nothing more is to be played
    refused(2, folder / "my_bot.py")
    assert Study.open("s").conversations() == before
    spotbot("contestants", "--study", "s", "--leave-out", "mine")
    (folder / "second.yaml").write_text(POOL.replace("mine:", "mine-2:"))
    sys.modules.pop("my_bot", None)
    play(2, "second.yaml")
    said = {turn.text for row in Study.open("s").conversations() for turn in row.shown if turn.speaker == "mine-2"}
    assert said == {"i am the one that came after"}
    (folder / "my_bot.py").write_text(FIRST)
    assert "mine-2 played" in play(3, "second.yaml", code=2)[1]


@pytest.mark.slow
def test_a_checkpoint_that_changed_needs_a_new_name(folder):
    train(folder / "trained")
    (folder / "pool.yaml").write_text(
        "mine: trained\neliza: {model: 'spotbot:eliza'}\n".replace("trained", "./trained")
    )
    play(1)
    data = (folder / "trained").read_bytes()
    (folder / "trained").write_bytes(data + b" ")
    refused(2, folder / "trained")
    (folder / "trained").write_bytes(data)
    play(2)
