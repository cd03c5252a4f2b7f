"""The parts of a large JSON file one after another, so that no more than one of them is held as objects at a time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, json_value_at

OPEN, TAKE, SKIP = "open", "take", "skip"
"""What is to become of a member: its own members one by one, the member whole, or nothing."""

BLANK = re.compile(r"[ \t\r\n]*")

Keys = tuple[str, ...]


def parts(path: Path | str, want: Callable[[Keys], str], remedy: str = "") -> Iterator[tuple[Keys, Any]]:
    """Each member that `want` takes, with the keys that lead to it, in the order of the file.

    `want` is asked for every member that is come to: `OPEN` goes into it where it is an object (else it is taken),
    `TAKE` yields it, `SKIP` passes over it. What is no JSON object is a `UserError` with line and column.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file.", remedy) from None
    except (OSError, UnicodeDecodeError) as err:
        raise UserError(f"{path}: cannot be read: {err}.", remedy) from None
    try:
        start = _blank(text, 0)
        if text[start : start + 1] != "{":
            raise json.JSONDecodeError("expected an object in braces", text, start)
        end = _blank(text, (yield from _members(text, start, (), want)))
        if end != len(text):
            raise json.JSONDecodeError("something follows the end", text, end)
    except (json.JSONDecodeError, Malformed) as err:
        raise UserError(f"{path}: not a valid JSON file: {err}.", remedy) from None


def _blank(text: str, at: int) -> int:
    return BLANK.match(text, at).end()  # type: ignore[union-attr]


def _members(text: str, at: int, keys: Keys, want: Callable[[Keys], str]) -> Iterator[tuple[Keys, Any]]:
    """The members of the object that begins at `at`; returns where it ends."""
    at = _blank(text, at + 1)
    if text[at : at + 1] == "}":
        return at + 1
    while True:
        key, at = json_value_at(text, at)
        if not isinstance(key, str):
            raise json.JSONDecodeError("expected a key in double quotes", text, at)
        at = _blank(text, at)
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("expected ':'", text, at)
        at, here = _blank(text, at + 1), (*keys, key)
        how = want(here)
        if how == OPEN and text[at : at + 1] == "{":
            at = yield from _members(text, at, here, want)
        else:
            value, at = json_value_at(text, at)
            if how != SKIP:
                yield here, value
        at = _blank(text, at)
        if text[at : at + 1] == "}":
            return at + 1
        if text[at : at + 1] != ",":
            raise json.JSONDecodeError("expected ',' or '}'", text, at)
        at = _blank(text, at + 1)
