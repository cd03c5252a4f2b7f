"""Requests below /api/: their addresses and bodies, and the errors that an annotator reads."""

import errno
import json
import sqlite3

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.errors import UserError

POSTS = ("enter", "consent", "onboarding", "unit", "return", "submit", "open", "decide", "say", "chat", "rate", "leave")
ROUTES = {"session": "GET"} | dict.fromkeys(POSTS, "POST")
"""The method of each address."""

ERRORS = {
    400: ("malformed", "The request could not be read."),
    404: ("unknown", "There is nothing here."),
    405: ("method", "This address does not accept this method."),
    500: ("error", "Something went wrong here. Your answers on this page are kept; please try again."),
    503: ("storage", "The study can't store anything at the moment. Please wait: the page tries again."),
}
"""Code and sentence of each HTTP status."""

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def refusal(status: int) -> Refusal:
    """Return the refusal that goes with an HTTP status; an unlisted one counts as 400 or 500."""
    status = status if status in ERRORS else 400 if status < 500 else 500
    return Refusal(status, *ERRORS[status])


def as_refusal(error: Exception) -> Refusal:
    """Return the refusal for an error: 503 where storing failed (the page retries), else 500."""
    if isinstance(error, Refusal):
        return error
    storage = isinstance(error, (sqlite3.OperationalError, UserError))
    return refusal(503 if storage or (isinstance(error, OSError) and error.errno in NO_ROOM) else 500)


def parse(raw: bytes) -> dict:
    """Return the JSON object of a request's body; raise `Refusal` 400 for anything else.

    Halves of surrogate pairs, which a page sends when a text field cuts an emoji in two, become U+FFFD.
    """
    try:
        text = json.dumps(json.loads(raw), ensure_ascii=False, allow_nan=False)
        body = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except (ValueError, RecursionError):
        raise refusal(400) from None
    if not isinstance(body, dict):
        raise refusal(400)
    return body
