"""Contestants written as one text: a server's model, a function, a model of a folder, an agent, with settings."""

import importlib
import json
import sys

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.contestant_text import contestant_of
from parlai_spotbot.selfplay.named_bots import asked_contestants
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from tests.agents import chat_servers
from tests.case_tables import case_table
from tests.in_process import spotbot

MODULE = "bots_that_are_named_one_by_one"
CODE = """
import random
from parlai.core.agents import Agent

class Own(Agent):
    def act(self):
        return {"id": "own", "text": "an agent of parlai", "episode_done": False}

def respond(history):
    return f"turn {len(history)} it is"

async def later(text):
    return f"so you say {text[:9]} and {random.random()}"

class Kim:
    def __init__(self):
        self.turns = None
    def reset(self):
        self.turns = 0
    async def reply(self, messages):
        self.turns += 1
        return f"{self.turns}: {messages[0]['content']}"

def fails(text):
    return {}["no idea"]

def silent(text):
    return None

NUMBER = 3
"""
SERVER = "http://127.0.0.1:1/v1#m"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with code and words in it."""
    (tmp_path / f"{MODULE}.py").write_text(CODE)
    (tmp_path / "kim.txt").write_text("your persona: i am kim.\n")
    (tmp_path / "told.txt").write_text("Be short, please.\n")
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    importlib.invalidate_caches()
    return tmp_path


def asked(*named, pool=None):
    return asked_contestants(pool, named)


@case_table(__file__, "entries")
def test_what_a_text_says_is_an_entry_of_a_pool(folder, text, entry):
    made = contestant_of("a", text, "here", folder).to_json()
    assert json.loads(json.dumps(made).replace(str(folder), "FOLDER")) == entry


def test_a_pool_s_texts_are_read_in_the_same_way(folder):
    pool = folder / "sub" / "pool.yaml"
    pool.parent.mkdir()
    (pool.parent / "kim.txt").write_text("your persona: i am another kim.")
    pool.write_text(f"a: '{SERVER},temperature=0.5'\nb: spotbot:eliza,persona=kim.txt\n")
    found = read_pool(str(pool))
    assert found["a"] == asked(f"a={SERVER},temperature=0.5", "b=spotbot:eliza")["a"]
    assert found["b"].persona == "your persona: i am another kim."  # the one beside the pool


@case_table(__file__, "refused")
def test_what_is_wrong_is_named(folder, named, says):
    with pytest.raises(UserError) as caught:
        asked(*named)
    assert says in str(caught.value)


def test_a_key_in_the_place_of_its_variable_is_not_repeated(folder):
    key = "sk-abcdefghijk1234567890"
    out, err = spotbot("contestants", "--contestant", f"a={SERVER},key={key}", code=2)
    assert "it looks like a key" in err
    assert key not in out + err


def test_a_server_a_function_a_class_and_an_agent_play(folder, monkeypatch):
    monkeypatch.setenv("ITS_KEY", chat_servers.KEY)
    with chat_servers.ChatServer(key=chat_servers.KEY) as server:
        named = {
            "served": f"{server.url}#parrot-1,key=ITS_KEY,system=told.txt,persona=kim.txt",
            "kim": f"{MODULE}:Kim,persona=kim.txt",
            "later": f"{MODULE}:later",
            "el": "spotbot:eliza",
        }
        words = [word for name, what in named.items() for word in ("--contestant", f"{name}={what}")]
        spotbot("contestants", *words, "--try")
        play = ["selfchat", "--study", "s", "--conversations-per-pair", 1, "--segments", 2, *words]
        spotbot(*play)
        before = (folder / "s" / "conversations.jsonl").read_bytes()
        spotbot(*play)  # goes on: there is nothing left to play
        spotbot("selfchat", "--study", "again", *play[3:])
        assert (folder / "again" / "conversations.jsonl").read_bytes() == before
    assert server.bodies[-1]["messages"][0] == {
        "role": "system",
        "content": "Be short, please.\nyour persona: i am kim.",
    }
    study = Study.open(folder / "s")
    assert list(study.plan.contestants) == list(named)
    assert study.plan.contestants["kim"].persona == "your persona: i am kim."
    said = {turn.text for row in study.conversations() for turn in row.turns[2:] if turn.speaker == "kim"}
    assert "1: your persona: i am kim." in said
    assert "2: your persona: i am kim." in said
    assert not any(text.startswith("3:") for text in said)  # an object for each conversation
    assert chat_servers.KEY not in (folder / "s" / "study.yaml").read_text()
