"""Requests below /api/: the addresses, what a body may be, and what an annotator is told of an error."""

from __future__ import annotations

import errno
import json
import math
import sqlite3
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.errors import UserError

POSTS = ("enter", "consent", "onboarding", "unit", "return", "submit", "open", "decide", "say", "chat", "rate", "leave")
ROUTES = {"session": "GET"} | dict.fromkeys(POSTS, "POST")
"""The method of each address."""

TEXTS = {
    400: "The request could not be read.",
    404: "There is nothing here.",
    405: "This address is not used that way.",
    413: "This is too much text to send at once. Please shorten what you wrote.",
    500: "Something went wrong here. Your answers on this page are kept; please try again.",
    503: "The study can't store anything at the moment. Please wait: the page tries again by itself.",
}
CODES = {400: "malformed", 404: "unknown", 405: "method", 413: "too_large", 500: "error", 503: "storage"}

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)

MOST_DIGITS = 25


def refusal(status: int) -> Refusal:
    """The refusal that goes with an HTTP status where nothing more is to be said."""
    return Refusal(status, CODES[status], TEXTS[status])


def as_refusal(error: Exception) -> Refusal:
    """Return what the annotator is told about an error: 503 where storing failed (the page retries), else 500."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, (sqlite3.OperationalError, UserError)):
        return refusal(503)
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return refusal(503)
    return refusal(500)


def parse(raw: bytes) -> dict:
    """A JSON object from a request's body; `Refusal` 400 for anything else.

    NaN, infinite numbers and numbers of absurd length are refused. Halves of surrogate pairs, which a page sends when a
    text field cuts an emoji in two, become U+FFFD: no annotator should lose a unit by that.
    """
    try:
        body = json.loads(
            raw.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite_number, parse_int=_short_integer
        )
        body = _mended(body)
    except (ValueError, RecursionError):
        raise refusal(400) from None
    if not isinstance(body, dict):
        raise refusal(400)
    return body


def _no_constant(text: str) -> float:
    raise ValueError(text)


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("too large a number")
    return number


def _short_integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("too large a number")
    return int(text)


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    return value
