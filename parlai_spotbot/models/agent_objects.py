"""Objects of LangChain, LangGraph and smolagents as functions that answer, known by their methods alone.

None of these libraries is imported: whatever has their method with their parameters is asked as they are.
"""

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parlai_spotbot.errors import UserError

METHODS = {"invoke": {"input"}, "run": {"task", "reset"}}
"""LangChain's method and that of smolagents, and the parameters by which they are known."""

BEFORE = ("history", "chat_history", "message_history")
"""Variables of a prompt that take the messages before the partner's last."""

TASK = "Answer with your next turn in this conversation, and nothing else.\n\n"
ROLES = {"user": "Partner", "assistant": "You", "system": "About you"}

NOTHING = ({"role": "user", "content": ""},)
"""Messages of a conversation that has not begun."""

Messages = Sequence[dict[str, str]]
Answering = Callable[[Messages, str], Any]
"""A function of the messages so far and the conversation's id."""


def method_of(thing: Any) -> str:
    """Return the method of `METHODS` that an object has, or a class, with its parameters; "" if none."""
    for method, parameters in METHODS.items():
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            if parameters <= set(inspect.signature(getattr(thing, method)).parameters):
                return method
    return ""


def answering(thing: Any, name: str) -> Answering:
    """Return the function that asks an object; `name` is the contestant's, for errors."""
    if method_of(thing) == "run":
        return lambda messages, conversation_id: str(thing.run(task_of(messages), reset=True))
    takes_config = "config" in inspect.signature(thing.invoke).parameters
    remembers = bool(getattr(thing, "checkpointer", None)) or hasattr(thing, "get_session_history")
    met: set[str] = set()

    def ask(messages: Messages, conversation_id: str) -> Any:
        new = messages or NOTHING
        if remembers and conversation_id in met:
            new = messages[-1:]
        met.add(conversation_id)
        given = input_of(thing, new, name)
        if not takes_config:
            return thing.invoke(given)
        ids = dict.fromkeys(("session_id", "thread_id"), conversation_id)
        return thing.invoke(given, config={"configurable": ids})

    return ask


def task_of(messages: Messages) -> str:
    """Return a conversation as a task: its only message, or all of them as lines."""
    if not messages:
        return TASK
    if len(messages) == 1:
        return messages[0]["content"]
    return TASK + "\n".join(f"{ROLES[row['role']]}: {row['content']}" for row in messages)


def input_of(thing: Any, messages: Messages, name: str) -> Any:
    """Return what an object of LangChain takes by its schema: messages, a text, or the variables of a prompt."""
    schema = _schema(thing)
    if schema.get("type") == "string":
        return messages[-1]["content"]
    variables = list(schema.get("properties", {}))
    if not variables:
        return list(messages)
    if "messages" in variables:
        return {"messages": list(messages)}
    texts = [variable for variable in variables if variable not in BEFORE]
    if len(texts) != 1:
        raise UserError(
            f"{name}: its input has the variables {', '.join(variables)}.",
            f"Leave one for what the partner said, beside {', '.join(BEFORE)}; or write a function around it.",
        )
    given: dict[str, Any] = {variable: list(messages[:-1]) for variable in variables}
    given[texts[0]] = messages[-1]["content"]
    return given


def _schema(thing: Any) -> Mapping:
    """Return the JSON schema of an object's input; {} where it has none."""
    with contextlib.suppress(Exception):
        return thing.get_input_jsonschema()
    return {}
