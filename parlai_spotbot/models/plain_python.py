"""Plain Python functions and classes that answer: finding, checking and calling them.

Its one parameter says by its name what it gets: `text`, what the partner said last; `history`, all turns so far, the
partner's last; or `messages`, the same as an OpenAI-compatible server gets them, with `role` and `content`.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import RememberedTurn, chat_messages

TOLD = ("text", "history", "messages")
METHODS = ("respond", "reply")

SHAPE = (
    "Write for example 'def respond(text):', or 'def respond(history):'; or a class with such a method, of which each "
    "conversation gets an object."
)


_HERE: dict[str, Any] = {}
"""What this program has, and no module would give: functions of a notebook, or of another function."""


def keep(thing: Any) -> str:
    """The name, ``module:name``, by which `found` knows `thing` as long as this program runs."""
    name = f"{thing.__module__}:{thing.__qualname__}"
    _HERE[name] = thing
    return name


def found(name: str) -> Any:
    """Import ``module:name``; raises as importing does, AttributeError, or `UserError` for a function of a notebook."""
    module, _, inner = name.partition(":")
    if name in _HERE:
        return _HERE[name]
    if module == "__main__" or "<" in inner:
        raise UserError(
            f"{name} is a function of a program or notebook.", "Go on there, by parlai_spotbot.selfplay with the same."
        )
    return getattr(importlib.import_module(module), inner)


def check(thing: Any, name: str) -> None:
    """Raise `UserError` unless `thing`, which is called `name`, is a function or class that can answer."""
    if isinstance(thing, type):
        methods = [method for method in METHODS if callable(getattr(thing, method, None))]
        if not methods:
            raise UserError(f"{name} is a class without a method {' or '.join(METHODS)}.", SHAPE)
        _told(getattr(thing, methods[0]), f"{name}.{methods[0]}", method=True)
    elif callable(thing):
        _told(thing, name)
    else:
        raise UserError(f"{name} is a {type(thing).__name__}, no function and no class.", SHAPE)


def _told(call: Callable, name: str, method: bool = False) -> str:
    """Return the name of the parameter that a function expects."""
    parameters = list(inspect.signature(call).parameters.values())[int(method) :]
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    told_name = next((p.name for p in parameters if p.name in TOLD), None)
    if told_name is None or [name for name in needed if name != told_name]:
        raise UserError(
            f"{name}({', '.join(needed)}): expected one parameter, called {', '.join(TOLD[:-1])} or {TOLD[-1]}.", SHAPE
        )
    return told_name


class Talker:
    """One side of one conversation, which a function answers, or an object of a class: made for it alone, its `reset`
    called where it has one. Any of them may be async."""

    def __init__(self, thing: Any, name: str):
        self.name = name
        self.call = thing
        if isinstance(thing, type):
            instance = thing()
            if callable(getattr(instance, "reset", None)):
                _said(instance.reset())
            method = next(method for method in METHODS if callable(getattr(instance, method, None)))
            self.call, self.name = getattr(instance, method), f"{name}.{method}"
        self.told = _told(self.call, self.name)

    def answer(self, context: str, turns: Sequence[RememberedTurn]) -> str:
        """The next turn; what isn't text is a TypeError. `context` is its persona, for `messages`."""
        reply = _said(self.call(**{self.told: self._of(context, turns)}))
        if not isinstance(reply, str):
            raise TypeError(f"{self.name} returned {reply!r}, which is no text")
        return reply

    def _of(self, context: str, turns: Sequence[RememberedTurn]) -> Any:
        if self.told == "text":
            return next((turn.text for turn in reversed(turns) if not turn.mine), "")
        if self.told == "history":
            return [turn.text for turn in turns]
        return chat_messages(context, turns)


def _said(returned: Any) -> Any:
    """The returned value, awaited if it has to be."""
    if not inspect.isawaitable(returned):
        return returned
    answer = asyncio.run_coroutine_threadsafe(_awaited(returned), _loop())
    try:
        return answer.result()
    except BaseException:
        answer.cancel()
        raise


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
