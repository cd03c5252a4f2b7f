"""Reads the options that say how a chat server is asked, each checked: an error names the option and what is right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import httpx2

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_json

OURS = ("model", "messages", "stream", "n")
"""Fields of a request that nobody's own fields may change."""


class OptionReader:
    """Takes options out of `opt`, one kind at a time. Errors begin with `where`.

    What says how a server is reached is named with `prefix` before it: "openai_url" of a contestant, "url" of a judge.
    `ours` are fields of a request that "extra" must not change.
    """

    def __init__(self, opt: Mapping[str, Any], where: str, prefix: str = "", ours: Sequence[str] = OURS):
        self.opt, self.where, self.prefix, self.ours = opt, where, prefix, ours

    def fail(self, name: str, expected: str, remedy: str = "Correct it.") -> None:
        value = repr(self.opt.get(name))
        value = value if len(value) <= 80 else value[:80] + "…"
        raise UserError(f"{self.where}: option '{name}' is {value}, expected {expected}.", remedy)

    def text(self, name: str, default: str = "", needed: str = "") -> str:
        value = default if self.opt.get(name) is None else self.opt[name]
        if not isinstance(value, str):
            self.fail(name, "text", "Put it in quotes.")
        if needed and not value.strip():
            raise UserError(f"{self.where}: option '{name}' is missing.", needed)
        return value

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        value = self.opt.get(name) or known[0]
        if value not in known:
            self.fail(name, " or ".join(known))
        return value

    def number(self, name: str, default: float | None, low: float, high: float = math.inf) -> float | None:
        value = default if self.opt.get(name) is None else self.opt[name]
        if value is None:
            return None
        good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not good or not low <= value <= high:
            self.fail(name, f"a number from {low:g}" + (f" to {high:g}" if high < math.inf else " up"))
        return value

    def whole(self, name: str, default: int, low: int) -> int:
        value = self.number(name, default, low)
        if not isinstance(value, int):
            self.fail(name, f"a whole number from {low} up")
        return value

    def url(self) -> str:
        example = f"Write for example {self.prefix}url: http://127.0.0.1:8000/v1."
        text = self.text(self.prefix + "url", needed=example).strip()
        try:
            url = httpx2.URL(text)
        except httpx2.InvalidURL:
            self.fail(self.prefix + "url", "a server's address", example)
        if url.userinfo or any(_secret(name) for name, _ in parse_qsl(url.query.decode("ascii", "replace"))):
            raise UserError(
                f"{self.where}: option '{self.prefix}url' holds a key or a password.",
                f"Take it out, put it into an environment variable, and name that in '{self.prefix}key_variable'; "
                f"'{self.prefix}key_header' says where the server looks for it.",
            )
        if url.scheme not in ("http", "https") or not url.host:
            self.fail(self.prefix + "url", "an address that begins with http:// or https://", example)
        if url.path.rstrip("/").endswith("/chat/completions"):
            self.fail(self.prefix + "url", "the address without /chat/completions at its end", example)
        return text

    def header(self) -> str:
        name = self.text(self.prefix + "key_header", "Authorization")
        if not name or not all(c.isascii() and (c.isalnum() or c in "-_") for c in name):
            self.fail(self.prefix + "key_header", "the name of a header, such as Authorization or api-key")
        return name

    def seed(self, name: str = "seed") -> str:
        value = self.opt.get(self.prefix + name)
        value = "each" if value is None else str(value).strip()
        if value not in ("each", "none") and not value.isdecimal():
            self.fail(self.prefix + name, "each, none or a whole number")
        return value

    def stop(self) -> tuple[str, ...]:
        value = self.opt.get(self.prefix + "stop") or ()
        if isinstance(value, str):
            value = self._json(self.prefix + "stop", "a list of texts") if value.lstrip().startswith("[") else [value]
        if not isinstance(value, (list, tuple)) or not all(isinstance(text, str) and text for text in value):
            self.fail(self.prefix + "stop", "a text or a list of texts")
        return tuple(value)

    def extra(self) -> dict:
        value = self.opt.get(self.prefix + "extra") or {}
        if isinstance(value, str):
            value = self._json(self.prefix + "extra", "a JSON object")
        if not isinstance(value, dict) or any(name in self.ours for name in value):
            self.fail(self.prefix + "extra", f"a JSON object without {', '.join(self.ours)}")
        return value

    def _json(self, name: str, expected: str) -> Any:
        try:
            return parse_json(self.opt[name])
        except Malformed:
            self.fail(name, expected, 'For example: \'{"reasoning_effort": "low"}\' or \'["a", "b"]\'.')


def _secret(name: str) -> bool:
    return any(word in name.lower() for word in ("key", "token", "secret", "password", "sig"))
