"""Replies of OpenAI-compatible chat servers: a chat completion, or the reason why there is none."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from parlai_spotbot.models.chat.keys import Key
from parlai_spotbot.outside import bounded, cleaned
from parlai_spotbot.reading import own_data

UNPAID = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
TOO_LONG = (
    *("context_length_exceeded", "exceed_context_size", "context window", "context length", "context size"),
    *("prompt is too long", "too many tokens", "maximum context"),
)
BUSY = (408, 409, 429)

REMEDIES = own_data(__file__)
"""Kind of an error -> what to do; {} is what the names of options begin with."""


class ChatError(RuntimeError):
    """Reason why there is no usable reply. `kind` decides the remedy; the message never contains the key.

    Kinds: unreachable, timeout, busy (408, 409, 429, 5xx), unpaid, key (401, 403), unknown (404), rejected (other
    4xx), too_long (for the model's context), redirected, malformed, endless, empty, filtered.
    """

    def __init__(self, kind: str, message: str):
        self.kind = kind
        super().__init__(message)


@dataclass(frozen=True)
class Completion:
    """First choice of a chat completion. `counted` are the tokens read and written, None if the server is silent."""

    text: str
    refusal: str
    finish_reason: str
    model: str
    fingerprint: str
    date: str
    counted: tuple[int, int] | None


Reply = Completion | ChatError

STREAM = re.compile(rb"\A\s*(?:data|event|id|retry)?:")
"""How a body begins that holds events; no JSON does."""


def parsed(raw: bytes, key: Key) -> Any:
    """Parse a body, JSON or a stream of events, with marks in place of the key; None if it is neither."""
    try:
        return key.hidden(_joined(raw) if STREAM.match(raw) else json.loads(raw))
    except (ValueError, RecursionError, AttributeError, TypeError):
        return None


def _joined(raw: bytes) -> dict:
    """Return the completion, or the error, that the events of a stream make up; `ValueError` for one that is cut."""
    whole = {}
    text = ""
    finish = None
    for line in raw.splitlines():
        if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
            event = json.loads(line[5:])
            whole |= {name: value for name, value in event.items() if value}
            finish = _at(event, "choices", 0, "finish_reason") or finish
            text += _text(_at(event, "choices", 0, "delta", "content"))
    if not finish and "error" not in whole:
        raise ValueError("cut")
    return {**whole, "choices": [{"message": {"content": text}, "finish_reason": finish}] if finish else []}


def _at(data: Any, *path: str | int) -> Any:
    """Return what stands at a path of keys in JSON; None where there is nothing."""
    try:
        for key in path:
            data = data[key]
    except (LookupError, TypeError):
        return None
    return data


def _word(data: Any, *path: str | int) -> str:
    return cleaned(str(_at(data, *path) or ""), 200)


def _text(content: Any) -> str:
    """The text of a message's content: a string, or parts as some servers give them."""
    parts = [_at(part, "text") or part for part in content] if isinstance(content, list) else [content]
    return cleaned("".join(part for part in parts if isinstance(part, str)))


def completion(data: Any, headers: Mapping[str, str], size: int) -> Completion:
    """Read a parsed body of `size` bytes; raise `ChatError` if it is no chat completion."""
    message = _at(data, "choices", 0, "message")
    if not isinstance(message, dict):
        kind = cleaned(str(headers.get("content-type", "no content type")).split(";")[0], 60)
        what = f"no valid JSON ({kind}, {size} bytes)"
        if data is not None:
            what = "JSON, but no chat completion"
        if _at(data, "error"):
            what = f"an error: {_error_words(data)[0]}"
        raise ChatError("malformed", f"the answer is {what}")
    read, written = (bounded(_at(data, "usage", name)) for name in ("prompt_tokens", "completion_tokens"))
    return Completion(
        text=_text(message.get("content")),
        refusal=_text(message.get("refusal")).strip(),
        finish_reason=_word(data, "choices", 0, "finish_reason") or "stop",
        model=_word(data, "model") or "not named",
        fingerprint=_word(data, "system_fingerprint"),
        date=datetime.now(UTC).replace(microsecond=0).isoformat(),
        counted=None if read is None or written is None else (int(read), int(written)),
    )


def failure(status: int, headers: Mapping[str, str], data: Any, key: Key) -> ChatError:
    """The error that an HTTP status means, with the server's own words where there are any."""
    if 300 <= status < 400:
        location = cleaned(key.hidden(str(headers.get("location", "elsewhere"))), 200)
        return ChatError("redirected", f"HTTP {status}: the server sends on to {location}")
    words, code = _error_words(data)
    text = f"HTTP {status}" + (f": {words}" if words else "")
    if status in (401, 403):
        # What servers say about a wrong key shows parts of it.
        return ChatError("key", f"HTTP {status}" + (f" ({code})" if code else ""))
    if code in UNPAID:
        return ChatError("unpaid", text)
    if status in BUSY or status >= 500:
        return ChatError("busy", text)
    if any(sign in f"{code} {words}".lower() for sign in TOO_LONG):
        return ChatError("too_long", text)
    if code in ("content_filter", "content_policy_violation"):
        return ChatError("filtered", text)
    return ChatError("unknown" if status == 404 or code == "model_not_found" else "rejected", text)


def _error_words(data: Any) -> tuple[str, str]:
    """A server's message, in one line of at most 300 characters, with the parameter that it names, and its code in
    words where there is one."""
    error = _at(data, "error") or data
    words = _at(error, "message") or _at(error, "detail") or (error if isinstance(error, str) else "")
    words = " ".join(cleaned(str(words), 1000).split())[:300]
    named = _word(error, "param")
    if named and named not in words:
        words = f"{words} ({named})".strip()
    codes = [_word(error, "code"), _word(error, "type")]
    return words, next((code for code in codes if code and not code.isdigit()), codes[0])


def add_served(served: dict[str, dict], reply: Any) -> None:
    """Count a reply under the exact model that the server named, with its fingerprints."""
    model = served.setdefault(reply.model, {"replies": 0, "system_fingerprints": []})
    model["replies"] += 1
    fingerprints = model["system_fingerprints"]
    if reply.fingerprint and reply.fingerprint not in fingerprints:
        fingerprints.append(reply.fingerprint)


class ChatAccount:
    """Requests, replies and tokens of a client; only tokens that the server counted are included."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter(
            requests=0, replies=0, prompt_tokens=0, completion_tokens=0, replies_without_count=0
        )
        self.served: dict[str, dict] = {}

    def add(self, reply: Completion) -> None:
        read, written = reply.counted or (0, 0)
        self.counts.update(replies=1, prompt_tokens=read, completion_tokens=written)
        self.counts["replies_without_count"] += reply.counted is None
        add_served(self.served, reply)
