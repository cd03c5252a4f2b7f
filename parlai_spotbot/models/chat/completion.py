"""Replies of OpenAI-compatible chat servers: a chat completion, or the reason why there is none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from parlai_spotbot.models.chat.keys import Key

UNPAID = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
TOO_LONG = ("context_length_exceeded", "context window", "context length", "prompt is too long", "too many tokens")
BUSY = (408, 409, 429)


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


def parsed(raw: bytes, key: Key) -> Any:
    """Parse a JSON body, with marks in place of the key and of unpaired surrogates; None if it is not JSON."""
    try:
        text = json.dumps(json.loads(raw), ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        return key.hidden(json.loads(text))
    except (ValueError, RecursionError):
        return None


def completion(data: Any, headers: Mapping[str, str], size: int) -> Completion:
    """Read a parsed body of `size` bytes; raise `ChatError` if it is no chat completion."""
    choices = data.get("choices") if isinstance(data, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        kind = str(headers.get("content-type", "no content type")).split(";")[0][:60]
        what = "JSON, but no chat completion" if data is not None else f"no valid JSON ({kind}, {size} bytes)"
        raise ChatError("malformed", f"the answer is {what}")
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):  # parts, as some servers give them
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(str(part.get("text") or "") for part in parts)
    usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
    is_counted = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts)
    return Completion(
        text=content if isinstance(content, str) else "",
        refusal=refusal.strip() if isinstance(refusal, str) else "",
        finish_reason=str(choice.get("finish_reason") or "stop"),
        model=str(data.get("model") or "not named")[:200],
        fingerprint=str(data.get("system_fingerprint") or "")[:200],
        date=datetime.now(UTC).replace(microsecond=0).isoformat(),
        counted=counts if is_counted else None,
    )


def failure(status: int, headers: Mapping[str, str], data: Any, key: Key) -> ChatError:
    """The error that an HTTP status means, with the server's own words where there are any."""
    if 300 <= status < 400:
        location = key.hidden(str(headers.get("location", "elsewhere")))[:200]
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
    """A server's message, in one line of at most 300 characters, and its code."""
    error = data.get("error", data) if isinstance(data, dict) else {}
    error = error if isinstance(error, dict) else {"message": error}
    words = str(error.get("message") or error.get("detail") or "")
    return " ".join(words.split())[:300], str(error.get("code") or error.get("type") or "")[:60]


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
