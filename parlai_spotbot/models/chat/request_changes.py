"""Changes of a request that a server refuses: found by asking, once for each client."""

import re
from collections.abc import Iterable

from parlai_spotbot.models.chat.completion import ChatError
from parlai_spotbot.reading import own_data

CHANGES = {row["asks"]: row for row in own_data(__file__)}
TOLD_BY_USER = "with its instructions in the user's first text"
BY_STREAMS = "by streams"
NO_STREAM_OPTIONS = "without 'stream_options'"
NOT_TAKEN = re.compile(
    "support|only the default|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|deprecated|extra.forbidden|"
    "must alternate",
    re.IGNORECASE,
)


def changed(body: dict, names: Iterable[str]) -> dict:
    """Return the body of a request with the changes `names`."""
    fields = dict(body)
    if NO_STREAM_OPTIONS not in names:
        fields |= {"stream_options": {"include_usage": True}} if BY_STREAMS in names else {}
    for name in names:
        row = CHANGES[name]
        if (field := row["field"]) in body:
            value = _told_by_user(body[field]) if name == TOLD_BY_USER else row["value"]
            fields = {row.get("kept", field): body[field], **fields, field: value}
    return {name: value for name, value in fields.items() if value is not None}


def _told_by_user(messages: list[dict]) -> list[dict]:
    """Return messages with the instructions in front of the user's first text."""
    rewritten: list[dict] = []
    for row in messages:
        role = "user"
        if row["role"] == "assistant":
            role = "assistant"
        if rewritten and rewritten[-1]["role"] == role:
            row = {"content": f"{rewritten.pop()['content']}\n\n{row['content']}"}
        rewritten.append({"role": role, "content": row["content"]})
    return rewritten


def next_change(body: dict, error: ChatError, made: list[str], met: bool) -> str:
    """Return the change that `error` calls for beside those that are `made`; "" where it calls for none.

    Until the server has answered (`met`), whatever it rejects may be the form of the answer, which some do not name.
    """
    words = str(error)
    now = changed(body, made)
    if error.kind != "rejected" and not words.startswith(("HTTP 500", "HTTP 501")):
        return ""
    for name, row in CHANGES.items():
        is_said = re.search(row["said"], words, re.IGNORECASE) and (NOT_TAKEN.search(words) or "any" in row)
        may_be_form = row["field"] == "response_format" and not met and error.kind == "rejected"
        if (is_said or may_be_form) and name not in made and changed(body, [*made, name]) != now:
            return name
    return ""
