"""Functions and classes of plain Python as contestants: what they are told, what is refused."""

import asyncio
import sys

import pytest

from parlai_spotbot.errors import UserError
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


# -- forms of other libraries ------------------------------------------------------------------------------------------
def test_a_function_of_gradios_form_gets_the_messages_before_and_may_repeat_itself():
    told = []

    def chat(message, history):
        told.append((message, history))
        yield "I am"
        yield "I am Ada."

    assert Talker(chat, "chat").answer("", TURNS) == "I am Ada."
    before = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert told == [("who are you?", before)]
    check(chat, "chat")


@pytest.mark.parametrize("name", ["conversation_id", "session_id", "thread_id"])
def test_a_conversation_has_a_name(name):
    space = {}
    exec(f"def respond(text, {name}): return f'{{text}} {{{name}}}'", space)
    assert Talker(space["respond"], "it").answer("", TURNS, "7f") == "who are you? 7f"
    check(space["respond"], "it")


class Held:
    """An object with its text in an attribute, as messages of libraries are."""

    def __init__(self, content):
        self.content = content


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ({"response": "a"}, "a"),
        ({"role": "assistant", "content": "a"}, "a"),
        ({"choices": [{"message": {"role": "assistant", "content": "a"}}]}, "a"),
        ({"messages": [{"role": "user", "content": "b"}, {"role": "assistant", "content": "a"}]}, "a"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        (Held("a"), "a"),
        ([Held("b"), Held("a")], "a"),
        ({"output": {"text": ""}}, ""),
        ({"error": "a"}, None),
        ({"content": 3}, None),
        ({}, None),
        ([], None),
        (3, None),
        (iter([{"content": "a"}]), None),
    ],
)
def test_a_text_is_found_in_what_is_returned(returned, text):
    talker = Talker(lambda text: returned, "it")
    if text is not None:
        assert talker.answer("", TURNS) == text
    else:
        with pytest.raises(UserError, match="which is no text"):
            talker.answer("", TURNS)


class Runnable:
    """What LangChain's objects have, with the input's schema and what a graph keeps."""

    def __init__(self, schema, checkpointer=None):
        self.schema = schema
        self.checkpointer = checkpointer
        self.given = []

    def get_input_jsonschema(self):
        return self.schema

    def invoke(self, input, config=None, **more):
        self.given.append((input, config["configurable"]["thread_id"]))
        return {"messages": [Held("b"), Held("a")]}

    def __call__(self, *args):
        raise AssertionError("what is asked is invoke")


MESSAGES = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "hello"},
    {"role": "user", "content": "who are you?"},
]


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({}, MESSAGES),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, MESSAGES),
        ({"type": "string"}, "who are you?"),
        ({"type": "object", "properties": {"messages": {}}}, {"messages": MESSAGES}),
        ({"properties": {"question": {}}}, {"question": "who are you?"}),
        ({"properties": {"input": {}, "chat_history": {}}}, {"input": "who are you?", "chat_history": MESSAGES[:2]}),
    ],
)
def test_an_object_of_langchain_gets_what_its_input_is(schema, given):
    thing = Runnable(schema)
    check(thing, "it")
    assert Talker(thing, "it").answer("", TURNS, "7") == "a"
    assert thing.given == [(given, "7")]


def test_a_graph_that_remembers_is_told_what_is_new_alone():
    thing = Runnable({"properties": {"messages": {}}}, checkpointer=object())
    talker = Talker(thing, "it")
    talker.answer("", TURNS, "7")
    talker.answer("", (*TURNS, RememberedTurn("a", True), RememberedTurn("and?", False)), "7")
    assert [len(given["messages"]) for given, _ in thing.given] == [3, 1]
    assert thing.given[1][0]["messages"][0]["content"] == "and?"


def test_a_prompt_with_several_variables_is_named():
    with pytest.raises(UserError, match="it: its input has the variables topic, style"):
        Talker(Runnable({"properties": {"topic": {}, "style": {}}}), "it").answer("", TURNS)


class CodeAgent:
    """The method of smolagents' agents."""

    def run(self, task, stream=False, reset=True, max_steps=None):
        assert reset
        assert not stream
        self.task = task
        return 42

    def __call__(self, task, **more):
        raise AssertionError("what is asked is run")


def test_an_agent_of_smolagents_gets_the_conversation_as_its_task():
    agent = CodeAgent()
    check(agent, "it")
    assert Talker(agent, "it").answer("", TURNS) == "42"
    assert agent.task.endswith("Partner: hi\nYou: hello\nPartner: who are you?")
    assert Talker(agent, "it").answer("", TURNS[:1]) == "42"
    assert agent.task == "hi"
    assert Talker(agent, "it").answer("", ()) == "42"


class Both:
    """A class of one's own that has a method called as LangChain's, too."""

    def respond(self, text):
        return "mine"

    def invoke(self, input):
        return "theirs"


def test_a_method_of_ones_own_goes_first():
    assert Talker(Both, "it").answer("", TURNS) == "mine"
    assert Talker(Both(), "it").answer("", TURNS) == "mine"
