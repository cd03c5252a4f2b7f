"""Functions and classes of plain Python as contestants: what they are told, what is refused."""

import asyncio
import sys

import pytest

from parlai_spotbot.models.plain_python import Talker, check
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.selfplay.pool import read_entries
from tests.case_tables import case_table

CODE = """
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


@case_table(__file__, "refused")
def test_what_cant_answer_is_named_before_play(folder, what, says):
    path = folder / "pool.yaml"
    path.write_text(f"mine: {MODULE}:{what}\n")
    (entry,) = read_entries(str(path))
    (problem,) = entry.problems
    assert says in problem.problem
    assert "contestant 'mine'" in problem.problem
