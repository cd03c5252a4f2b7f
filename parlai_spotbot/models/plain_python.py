"""A plain Python function, or class, that answers: how it is found, and what it is to be told.

Its one parameter says by its name what it gets: `text`, what the partner said last; `history`, all turns so far, the
partner's last; or `messages`, the same as an OpenAI-compatible server gets them, with `role` and `content`.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import RememberedTurn

TOLD = ("text", "history", "messages")
METHODS = ("respond", "reply")

SHAPE = (
    "Write for example 'def respond(text):', or 'def respond(history):'; or a class with such a method, of which each "
    "conversation gets an object."
)


def found(name: str) -> Any:
    """What ``module:name`` is; raises as importing does, or AttributeError."""
    module, _, inner = name.partition(":")
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
    """The name of what a function wants to be told."""
    wanted = list(inspect.signature(call).parameters.values())[int(method) :]
    needed = [p.name for p in wanted if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    own = next((p.name for p in wanted if p.name in TOLD), None)
    if own is None or [name for name in needed if name != own]:
        raise UserError(
            f"{name}({', '.join(needed)}): expected one parameter, called {', '.join(TOLD[:-1])} or {TOLD[-1]}.", SHAPE
        )
    return own


class Talker:
    """One side of one conversation, which a function answers, or an object of a class: made for it alone, its `reset`
    called where it has one."""

    def __init__(self, thing: Any, name: str):
        self.name = name
        self.call = thing
        if isinstance(thing, type):
            own = thing()
            if callable(getattr(own, "reset", None)):
                own.reset()
            method = next(method for method in METHODS if callable(getattr(own, method, None)))
            self.call, self.name = getattr(own, method), f"{name}.{method}"
        self.told = _told(self.call, self.name)

    def answer(self, context: str, turns: Sequence[RememberedTurn]) -> str:
        """The next turn; what isn't text is a TypeError. `context` is what it is told of itself, for `messages`."""
        said = self.call(**{self.told: self._of(context, turns)})
        if inspect.isawaitable(said):
            said = asyncio.run(_awaited(said))
        if not isinstance(said, str):
            raise TypeError(f"{self.name} returned {said!r}, which is no text")
        return said

    def _of(self, context: str, turns: Sequence[RememberedTurn]) -> Any:
        if self.told == "text":
            return next((turn.text for turn in reversed(turns) if not turn.mine), "")
        if self.told == "history":
            return [turn.text for turn in turns]
        system = [{"role": "system", "content": context}] if context else []
        return system + [{"role": "assistant" if t.mine else "user", "content": t.text} for t in turns]


async def _awaited(said: Any) -> Any:
    return await said
