"""Plain Python that answers (functions, classes, objects): finding, checking and calling it.

Its one parameter says by its name what it gets: `text`, what the partner said last; `history`, all turns so far, the
partner's last; or `messages`, the same as an OpenAI-compatible server gets them, with `role` and `content`.
"""

import asyncio
import functools
import importlib
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import RememberedTurn, chat_messages
from parlai_spotbot.outside import MOST_OF_A_TURN

TOLD = ("text", "history", "messages")
METHODS = ("respond", "reply", "__call__")

SHAPE = (
    "Write for example 'def respond(text):', or 'def respond(history):'; or a class with such a method, of which each "
    "conversation gets an object. It returns a text, or yields the pieces of one."
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


def found(name: str) -> Any:
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
        _told(getattr(thing, method), f"{name}.{method}", method=True)
    elif method:
        _told(getattr(thing, method), name)
    else:
        raise UserError(f"{name} is a {type(thing).__name__}, no function and no class.", SHAPE)


def method_of(thing: Any) -> str:
    """Return the method by which an object, or the objects of a class, answer; "" if they can't."""
    own = {name for kind in thing.__mro__ for name in vars(kind)} if isinstance(thing, type) else dir(thing)
    return next((method for method in METHODS if method in own and callable(getattr(thing, method))), "")


def _told(call: Callable, name: str, method: bool = False) -> str:
    """Return the name of the parameter that a function expects."""
    if getattr(call, "__name__", "") == "__call__":
        call = getattr(call, "__self__", call)
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
        if isinstance(thing, type):
            thing = thing()
            if callable(getattr(thing, "reset", None)):
                _said(thing.reset())
        self.call = getattr(thing, method_of(thing))
        self.told = _told(self.call, name)

    def answer(self, context: str, turns: Sequence[RememberedTurn]) -> str:
        """The next turn; what isn't text is a `UserError`. `context` is its persona, for `messages`."""
        reply = _said(self.call(**{self.told: self._of(context, turns)}))
        if isinstance(reply, Iterator):
            reply = _joined(reply)
        if not issubclass(type(reply), str):
            raise UserError(f"{self.name} returned {repr(reply)[:200]}, which is no text")
        return reply

    def _of(self, context: str, turns: Sequence[RememberedTurn]) -> Any:
        if self.told == "text":
            return next((turn.text for turn in reversed(turns) if not turn.mine), "")
        if self.told == "history":
            return [turn.text for turn in turns]
        return chat_messages(context, turns)


def _said(returned: Any) -> Any:
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
            yield _said(anext(pieces))
        except StopAsyncIteration:
            return


def _joined(pieces: Iterator) -> Any:
    """Join the pieces of a turn, as far as one is kept; a piece that isn't text is returned alone."""
    text = ""
    for piece in pieces:
        if not isinstance(piece, str):
            return piece
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
