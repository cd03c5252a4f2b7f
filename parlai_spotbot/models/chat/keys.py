"""API keys: read from the environment when needed, and kept out of options, files, logs and errors.

A key lives in a `Key` alone, which neither prints nor pickles, and whatever a server sends passes `Key.hidden` before
anybody sees it: some servers quote the key in their errors.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from parlai_spotbot.errors import UserError

OPENAI = "api.openai.com"
DEFAULT_VARIABLE = "OPENAI_API_KEY"
MARK = "[key]"

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LIKELY = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-|sk_|gsk_|csk-|hf_|xai-|pplx-|nvapi-|r8_|tgp_)(?=[A-Za-z0-9_-]{0,80}\d)[A-Za-z0-9_-]{16,}"
    r"|AIza[0-9A-Za-z_-]{30,}|\b[Bb]earer\s+[^\s<$]{8,}"
)
"""How the keys of the known services look, and what an Authorization header says."""

NAMES = re.compile(
    r"(?:^|[_. -])(?:api[_-]?key|(?:openai|anthropic|azure|access|private|subscription|secret|service|auth)[_-]?key|"
    r"secret|passw(?:or)?d|passwd|authorization|(?:access|auth|api|bearer|hf)[_-]?token|bearer|credentials?|cookie)$",
    re.IGNORECASE,
)
"""What options and headers are called that people would put a key in."""

HIDDEN = re.compile(
    r"secret|passw|api[_-]?key|(?:^|[_-])key$|access[_-]?token|bearer|authorization|credential|cookie", re.IGNORECASE
)
"""Names of options whose values are not shown."""

NOT_SHOWN = "(not shown)"

LEAST = 8
"""A shorter value of a variable is no key that could be looked for: it would be found in plain words."""


class Key:
    """A key and the name of the environment variable that it was read from; an empty one where there is none."""

    __slots__ = ("_value", "variable")

    def __init__(self, value: str = "", variable: str = ""):
        self._value = value
        self.variable = variable

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> tuple:
        raise TypeError("a key is never written anywhere")

    def headers(self, header: str = "Authorization") -> dict[str, str]:
        """The header that carries the key."""
        if not self:
            return {}
        return {header: f"Bearer {self._value}" if header.lower() == "authorization" else self._value}

    def hidden(self, data: Any) -> Any:
        """`data`, a text or JSON, with a mark wherever the key is in it."""
        if not self:
            return data
        if isinstance(data, str):
            for form in self._forms():
                data = data.replace(form, MARK)
            return data
        if isinstance(data, Mapping):
            return {self.hidden(key): self.hidden(value) for key, value in data.items()}
        return [self.hidden(item) for item in data] if isinstance(data, list) else data

    def _forms(self) -> tuple[str, ...]:
        return self._value, quote(self._value, safe=""), base64.b64encode(self._value.encode()).decode().rstrip("=")


def read_key(variable: str, host: str, where: str, option: str = "openai_key_variable") -> Key:
    """The key in the environment variable `variable`; without a name, OpenAI's own server gets OpenAI's variable.

    Any other server gets none unless it is named: a key must not go to whoever answers. `option` is what names it.

    Raises
    ------
    UserError
        Where the variable's name is none (a key is in its place), it isn't set, or what it holds can't be a key.
    """
    if not variable:
        if host != OPENAI:
            return Key()
        variable = DEFAULT_VARIABLE
    if not VARIABLE.fullmatch(variable) or (variable not in os.environ and _like_a_key(variable)):
        raise UserError(
            f"{where}: option '{option}' holds no name of an environment variable; it looks like a key.",
            "Put the key into an environment variable, write that variable's name here, and replace the key: it has "
            "stood in a file.",
        )
    value = os.environ.get(variable, "").strip()
    if not value:
        raise UserError(
            f"{where}: its key is to be read from the environment variable {variable}, which is not set.",
            f"Set it (export {variable}=…) on every machine that plays, or name another with '{option}'.",
        )
    if len(value) < LEAST or not value.isascii() or not value.isprintable() or " " in value:
        raise UserError(
            f"{where}: the environment variable {variable} holds no key: expected at least {LEAST} printable ASCII "
            "characters without spaces.",
            "Set it to the key alone, without quotes or line breaks.",
        )
    return Key(value, variable)


def _like_a_key(word: str) -> bool:
    mixed = any(c.islower() for c in word) and any(c.isupper() for c in word) and any(c.isdigit() for c in word)
    return bool(LIKELY.search(word)) or (len(word) >= 20 and mixed)


def refuse_keys(options: Mapping[str, Any], where: str, name_it: str = "openai_key_variable") -> None:
    """Raise `UserError` where an option of a pool entry holds a key; what it holds is never repeated.

    Looked for, however deep, are values that look like a service's key, options named like one, and what the
    environment variables hold whose names end in KEY or TOKEN.
    """
    secrets = [
        value.strip()
        for name, value in os.environ.items()
        if re.search(r"(KEY|TOKEN|SECRET)$", name.upper()) and len(value.strip()) >= 12
    ]
    for name, value in _named_values(options):
        text = f"{name} {value}"
        if LIKELY.search(text) or (NAMES.search(name) and value) or any(secret in text for secret in secrets):
            shown = LIKELY.sub(MARK, name)
            raise UserError(
                f"{where}: option '{shown}' holds a key.",
                f"Keys are read from the environment alone: name the variable with '{name_it}', take the key "
                "out of the file, and replace it if others could read it.",
            )


def _named_values(data: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Each single value of options, with the names that lead to it: ``extra.headers.Authorization``."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            yield from _named_values(value, f"{above}.{name}" if above else str(name))
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _named_values(value, above)
    else:
        yield above, data


def shown(options: Any) -> Any:
    """Options as they may be shown and written: what is called like a key, or looks like one, is not repeated."""
    if isinstance(options, Mapping):
        return {
            LIKELY.sub(MARK, name) if isinstance(name, str) else name: NOT_SHOWN
            if value and HIDDEN.search(str(name))
            else shown(value)
            for name, value in options.items()
        }
    if isinstance(options, (list, tuple)):
        return [shown(value) for value in options]
    return LIKELY.sub(MARK, options) if isinstance(options, str) else options
