"""What servers refuse of a request, and the change after which they take it: found by asking, once for each client."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from parlai_spotbot.models.chat.completion import ChatError

REFUSES = (
    r"(?is)(?=.*(?:support|only the default|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|deprecated|"
    r"extra.forbidden|must alternate))(?=.*(?:{}))"
)
"""Says that a field is not taken at all; one whose value is out of range is the user's to correct."""


def _without(field: str) -> Callable[[dict], dict]:
    return lambda body: {name: value for name, value in body.items() if name != field}


def _renamed(body: dict) -> dict:
    limit = {"max_completion_tokens": body["max_tokens"]} if "max_tokens" in body else {}
    return {**limit, **_without("max_tokens")(body)}


def _told_by_the_user(body: dict) -> dict:
    first, *rows = body["messages"]
    if first["role"] == "user":
        return body
    if rows and rows[0]["role"] == "user":
        first, *rows = {"content": f"{first['content']}\n\n{rows[0]['content']}"}, *rows[1:]
    return {**body, "messages": [{**first, "role": "user"}, *rows]}


def _without_schema(body: dict) -> dict:
    weaker = {"response_format": {"type": "json_object"}}
    return {**body, **(weaker if "json_schema" in str(body.get("response_format")) else {})}


CHANGES: dict[str, tuple[str, Callable[[dict], dict]]] = {
    "with 'max_completion_tokens' in place of 'max_tokens'": (REFUSES.format("max_tokens"), _renamed),
    "without 'temperature'": (REFUSES.format("temperature"), _without("temperature")),
    "without 'seed'": (REFUSES.format(r"\bseed\b"), _without("seed")),
    "without 'stream_options'": ("stream_options", _without("stream_options")),
    "by streams": (
        r"(?i)\bstream|non-?stream",
        lambda body: {**body, "stream": True, "stream_options": {"include_usage": True}},
    ),
    "with its instructions in the user's first text": (
        REFUSES.format(r"system|developer|\broles?\b"),
        _told_by_the_user,
    ),
    "for JSON without a schema": (r"(?i)response_format|json|schema|grammar|guided", _without_schema),
    "without 'response_format'": (r"(?i)response_format|json", _without("response_format")),
}
"""Change -> what a server says that refuses a request without it, and the function that makes it in a request."""


def changed(body: dict, names: Iterable[str]) -> dict:
    """Return the body of a request with the changes `names`."""
    for name in names:
        body = CHANGES[name][1](body)
    return body


def next_change(body: dict, error: ChatError, made: Sequence[str], met: bool) -> str:
    """Return the change that `error` calls for beside those that are `made`; "" where it calls for none.

    Until the server has answered (`met`), whatever it rejects may be the form of the answer, which some do not name.
    """
    form = not met and error.kind == "rejected" and "response_format" in body
    may_be_mended = error.kind == "rejected" or str(error).startswith(("HTTP 500", "HTTP 501"))
    for name, (said, change) in CHANGES.items() if may_be_mended else ():
        meant = re.search(said, str(error)) or (form and "response_format" in said)
        if meant and name not in made and change(body) != body:
            return name
    return ""
