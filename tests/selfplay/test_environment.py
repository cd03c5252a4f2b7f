"""A contestant gets the variables that it needs and names; nobody says the value of a key."""

import re

import pytest

from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.environment import environment_of
from parlai_spotbot.selfplay.remedies import remedy
from parlai_spotbot.study import Study
from tests.in_process import spotbot

VARIABLES = {
    "PATH": "/bin",
    "CUDA_VISIBLE_DEVICES": "0",
    "HF_HOME": "/hub",
    "HF_TOKEN": "hf_secret",
    "https_proxy": "http://proxy:3128",
    "SPOTBOT_API_KEY": "abc",
    "OPENAI_API_KEY": "sk-1",
    "OTHER_KEY": "sk-2",
    "DATABASE": "postgres",
}


@pytest.mark.parametrize(
    ("entry", "gets"),
    [
        ({"model": "my_bot:respond"}, set()),
        ({"model": "my_bot:respond", "environment": "DATABASE OTHER_KEY MISSING"}, {"DATABASE", "OTHER_KEY"}),
        ({"model": "spotbot:openai_chat"}, {"OPENAI_API_KEY"}),
        (
            {"model": "spotbot:openai_chat", "opt": {"openai_key_variable": "OTHER_KEY"}},
            {"OPENAI_API_KEY", "OTHER_KEY"},
        ),
        ({"model": "spotbot:causal_lm"}, {"HF_TOKEN"}),
    ],
)
def test_a_contestant_gets_what_it_needs_and_names(entry, gets):
    found = environment_of(Contestant.from_json("mine", entry, "pool"), VARIABLES)
    assert found.keys() == gets | {"PATH", "CUDA_VISIBLE_DEVICES", "HF_HOME", "https_proxy"}


def test_a_variable_that_is_not_named_has_a_remedy():
    assert "environment: MY_KEY" in remedy("exception", "KeyError: 'MY_KEY'")


BOTS = """
import os

def reads(text):
    return "the key is " + os.environ.get("FOREIGN_API_KEY", "none") + " and " + os.environ.get("MINE", "none")

def named(text):
    return "my key is " + os.environ["FOREIGN_API_KEY"]
"""
POOL = """
reads: {model: 'key_bots:reads', environment: MINE}
named: {model: 'key_bots:named', environment: FOREIGN_API_KEY}
"""


def test_a_foreign_key_is_not_read_and_an_own_one_not_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOREIGN_API_KEY", "correct horse 9 battery staple")
    monkeypatch.setenv("MINE", "my own word")
    (tmp_path / "key_bots.py").write_text(BOTS)
    (tmp_path / "pool.yaml").write_text(POOL)
    sizes = ("--conversations-per-pair", 2, "--segments", 2, "--human-conversations", 0)
    out, err = spotbot("selfchat", "--study", "s", "--pool", "pool.yaml", *sizes)
    said = {turn.text for row in Study.open("s").conversations() for turn in row.shown}
    assert said == {"the key is none and my own word", "my key is [key]"}
    texts = [out, err, *(path.read_text() for path in (tmp_path / "s").rglob("*") if path.is_file())]
    assert not [text for text in texts if re.search("battery staple", text)]
