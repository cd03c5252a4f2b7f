"""Functions and classes of plain Python as contestants: what they are told, what is refused, a whole self-play."""

import asyncio
import sys

import pytest
from case_tables import case_table

from parlai_spotbot.models.plain_python import Talker, check
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.play import play
from parlai_spotbot.selfplay.pool import read_entries, read_pool
from parlai_spotbot.study import Study

CODE = """
import random
from parlai.core.agents import Agent

def last(text):
    return f"so you say {text[:9]}"

async def all_of_it(history):
    return f"{len(history)} turns and {random.random()}"

class Counter:
    def __init__(self):
        self.said = 0
    def reset(self):
        self.said = 10
    def reply(self, messages):
        self.said += 1
        return f"{self.said} {messages[-1]['role']} {len(messages)}"

class Own(Agent):
    def act(self):
        return {"id": "own", "text": "an agent of parlai", "episode_done": False}

def fails(text):
    return {}["no idea"]

def silent(text):
    return None

def two(a, b):
    return ""

def odd(words):
    return ""

NUMBER = 3
class Mute:
    pass
"""
MODULE = "a_users_own_bots"
TURNS = (RememberedTurn("hi", False), RememberedTurn("hello", True), RememberedTurn("who are you?", False))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / f"{MODULE}.py").write_text(CODE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return tmp_path


def pool(folder, **entries):
    path = folder / "pool.yaml"
    path.write_text("".join(f"{name}: {MODULE}:{what}\n" for name, what in entries.items()))
    return str(path)


def respond(text):
    return text.upper()


def test_a_parameter_says_by_its_name_what_it_is_told():
    told = []
    for thing in (lambda text: told.append(text) or "a", lambda history, more=1: told.append(history) or "a"):
        assert Talker(thing, "it").answer("your persona: i fish", TURNS) == "a"
    Talker(lambda messages: told.append(messages) or "a", "it").answer("your persona: i fish", TURNS)
    assert told == [
        "who are you?",
        ["hi", "hello", "who are you?"],
        [
            {"role": "system", "content": "your persona: i fish"},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "who are you?"},
        ],
    ]
    assert Talker(respond, "respond").answer("", TURNS) == "WHO ARE YOU?"
    check(respond, "respond")


class Client:
    """Keeps something that belongs to the loop it was made in, as clients of servers do."""

    async def reset(self):
        self.loop = asyncio.get_running_loop()
        self.replies = asyncio.Queue()

    async def reply(self, text):
        waiting = asyncio.ensure_future(self.replies.get())
        await self.replies.put(f"{text} ({self.loop is asyncio.get_running_loop()})")
        return await waiting


def test_an_async_class_is_reset_and_stays_in_its_loop():
    one, other = Talker(Client, "Client"), Talker(Client, "Client")
    for talker in (one, other, one):
        assert talker.answer("", TURNS) == "who are you? (True)"


def test_they_play_as_any_contestant_and_again_the_same(folder):
    contestants = read_pool(pool(folder, one="last", all="all_of_it", cls="Counter", own="Own"))
    assert contestants["one"].model == "spotbot:plain_python"
    assert contestants["own"].model == f"{MODULE}:Own"
    assert {bot.code for bot in contestants.values()} == {str(folder)}
    texts = []
    for name in ("s", "again"):
        asked = SelfPlayRequest(contestants, conversations_per_pair=1, segments=[2])
        assert play(folder / name, asked, progress=False, say=lambda text: None).complete
        texts.append((folder / name / "conversations.jsonl").read_bytes())
    assert texts[0] == texts[1]
    study = Study.open(folder / "s")
    said = {turn.text for row in study.conversations() for turn in row.turns[2:] if turn.speaker == "cls"}
    assert any(text.startswith("11 user") for text in said)
    assert any(text.startswith("12 user") for text in said)
    assert not any(text.startswith("13") for text in said)  # an object for each conversation
    assert study.plan.contestants == contestants


@case_table(__file__, "refused")
def test_what_cant_answer_is_named_before_play(folder, what, says):
    (entry,) = read_entries(pool(folder, mine=what))
    (problem,) = entry.problems
    assert says in problem.problem
    assert "contestant 'mine'" in problem.problem
