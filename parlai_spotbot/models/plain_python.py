"""Plain Python that answers (functions, classes, objects): finding, checking and calling it.

Its parameters say by their names what they get: `text` or `message`, what the partner said last; `history`, all turns
so far, beside `message` the messages before it, as Gradio has it; `messages`, the same as an OpenAI-compatible server
gets them, with `role` and `content`; `conversation_id`, or what else `IDS` has, a name of the conversation.
"""

import asyncio
import functools
import importlib
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models import agent_objects
from parlai_spotbot.models.remembered_turn import RememberedTurn, chat_messages
from parlai_spotbot.models.replies import text_in
from parlai_spotbot.outside import MOST_OF_A_TURN

TOLD = ("text", "message", "history", "messages")
IDS = ("conversation_id", "session_id", "thread_id")
METHODS = ("respond", "reply", "__call__")

SHAPE = (
    "Write for example 'def respond(text):', or 'def respond(history):'; or a class with such a method, of which each "
    "conversation gets an object. It returns a text, or a dictionary with one, or yields the pieces of one."
)


_HERE: dict[str, Any] = {}
"""What this program has, and no module would give: functions of a notebook, or of another function."""


def name_of(thing: Any, contestant: str) -> str:
    """Return ``module:name`` of a function or class; an object is called by its kind and its contestant."""
    if inspect.isfunction(thing) or isinstance(thing, type):
        return f"{thing.__module__}:{thing.__qualname__}"
    return f"{type(thing).__module__}:<{type(thing).__name__} {contestant}>"


def keep(thing: Any, name: str) -> None:
    """Let `found` know `thing` by its name as long as this program runs."""
    _HERE[name] = thing


def imported(name: str) -> Any:
    """Import ``module:name``; raises as importing does, AttributeError, or `UserError` for a function of a notebook."""
    module, _, inner = name.partition(":")
    if name in _HERE:
        return _HERE[name]
    if module == "__main__" or "<" in inner:
        raise UserError(
            f"{name} belongs to a program or notebook.", "Go on there, by parlai_spotbot.selfplay with the same."
        )
    return getattr(importlib.import_module(module), inner)


def check(thing: Any, name: str) -> None:
    """Raise `UserError` unless `thing`, which is called `name`, is a function or class that can answer."""
    method = method_of(thing)
    if isinstance(thing, type):
        if not method:
            raise UserError(f"{name} is a class without a method {' or '.join(METHODS)}.", SHAPE)
        if method in METHODS:
            _parameter_names(getattr(thing, method), f"{name}.{method}", method=True)
    elif method:
        _parameter_names(_call_of(thing, name), name)
    else:
        raise UserError(f"{name} is a {type(thing).__name__}, no function and no class.", SHAPE)


def method_of(thing: Any) -> str:
    """Return the method by which an object, or the objects of a class, answer; "" if they can't."""
    names = {name for kind in thing.__mro__ for name in vars(kind)} if isinstance(thing, type) else dir(thing)
    methods = [method for method in METHODS if method in names and callable(getattr(thing, method))]
    if methods and methods[0] != "__call__":
        return methods[0]
    return agent_objects.method_of(thing) or next(iter(methods), "")


def _call_of(thing: Any, name: str) -> Callable:
    """Return the function by which an object answers."""
    method = method_of(thing)
    if method in agent_objects.METHODS:
        return agent_objects.answering(thing, name)
    return getattr(thing, method)


def _parameter_names(call: Callable, name: str, method: bool = False) -> list[str]:
    """Return the names of the parameters that a function expects."""
    if getattr(call, "__name__", "") == "__call__":
        call = getattr(call, "__self__", call)
    parameters = list(inspect.signature(call).parameters.values())[int(method) :]
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    keywords = [p.name for p in parameters if p.name in (*TOLD, *IDS)]
    if not set(keywords) & set(TOLD) or set(needed) - set(keywords):
        raise UserError(
            f"{name}({', '.join(needed)}): expected parameters called {', '.join(TOLD[:-1])} or {TOLD[-1]}; beside "
            f"these {IDS[0]}.",
            SHAPE,
        )
    return keywords


class Talker:
    """One side of one conversation, which a function answers, or an object of a class: made for it alone, its `reset`
    called where it has one. Any of them may be async."""

    def __init__(self, thing: Any, name: str):
        self.name = name
        if isinstance(thing, type):
            thing = thing()
            if callable(getattr(thing, "reset", None)):
                _settled_value(thing.reset())
        self.call = _call_of(thing, name)
        self.told = _parameter_names(self.call, name)

    def answer(self, context: str, turns: Sequence[RememberedTurn], conversation_id: str = "") -> str:
        """The next turn; what holds no text is a `UserError`. `context` is its persona, for `messages`."""
        last = next((turn.text for turn in reversed(turns) if not turn.mine), "")
        messages = chat_messages(context, turns)
        given: dict[str, Any] = dict.fromkeys(("text", "message"), last) | dict.fromkeys(IDS, conversation_id)
        given |= {"messages": messages, "history": [turn.text for turn in turns]}
        grows = {"message", "history"} <= set(self.told)
        if grows:
            given["history"] = messages[:-1]
        reply = _settled_value(self.call(**{name: given[name] for name in self.told}))
        text = text_in(reply)
        if isinstance(reply, Iterator):
            text = _joined(reply, grows)
        if text is None:
            raise UserError(f"{self.name} returned {repr(reply)[:200]}, which is no text")
        return text


def _settled_value(returned: Any) -> Any:
    """The returned value, awaited if it has to be; pieces that come one by one as an iterator."""
    if isinstance(returned, AsyncIterator):
        return _as_they_come(returned)
    if not inspect.isawaitable(returned):
        return returned
    answer = asyncio.run_coroutine_threadsafe(_awaited(returned), _loop())
    try:
        return answer.result()
    except BaseException:
        answer.cancel()
        raise


def _as_they_come(pieces: AsyncIterator) -> Iterator:
    while True:
        try:
            yield _settled_value(anext(pieces))
        except StopAsyncIteration:
            return


def _joined(pieces: Iterator, grows: bool) -> str | None:
    """Join the pieces of a turn, as far as one is kept; None where one isn't text.

    Of functions of Gradio's form a piece `grows`: it repeats what came before.
    """
    text = ""
    for piece in pieces:
        if not issubclass(type(piece), str):
            return None
        if grows and piece.startswith(text):
            text = ""
        text = str.__add__(text, piece)
        if len(text) > MOST_OF_A_TURN:
            break
    return text


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for the whole process: a client that is kept between turns belongs to the loop it was made in.

    It runs in a thread of its own, since a notebook's loop already runs in this one.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="async contestants", daemon=True).start()
    return loop


async def _awaited(reply: Any) -> Any:
    return await reply
