"""API keys: read from the environment when needed, and kept out of options, files, logs and errors.

A key lives in a `Key` alone, which neither prints nor pickles, and whatever a server sends passes `Key.hidden` before
anybody sees it: some servers quote the key in their errors.
"""

import base64
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from parlai_spotbot.errors import UserError
from parlai_spotbot.secrecy import FORM, MARK, is_mixed, is_named_secret, masked, named_values

OPENAI = "api.openai.com"
DEFAULT_VARIABLE = "OPENAI_API_KEY"

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
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
            coded = base64.b64encode(self._value.encode()).decode().rstrip("=")
            for form in (self._value, quote(self._value, safe=""), coded):
                data = data.replace(form, MARK)
            return data
        if isinstance(data, Mapping):
            return {self.hidden(key): self.hidden(value) for key, value in data.items()}
        if isinstance(data, list):
            return [self.hidden(item) for item in data]
        return data


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
    if not VARIABLE.fullmatch(variable) or (
        variable not in os.environ and (FORM.search(variable) or is_mixed(variable))
    ):
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


def refuse_keys(options: Mapping[str, Any], where: str, name_it: str = "openai_key_variable") -> None:
    """Raise `UserError` where an option of a pool entry holds a key; what it holds is never repeated.

    Looked for, however deep, are values that look like a service's key, options that are surely named like one, and
    what the environment variables hold whose names end in KEY or TOKEN.
    """
    secrets = [
        value.strip()
        for name, value in os.environ.items()
        if re.search(r"(KEY|TOKEN|SECRET)$", name.upper()) and len(value.strip()) >= 12
    ]
    for name, value in named_values(options):
        text = f"{name} {value}"
        if FORM.search(text) or is_named_secret(name, value, sure=True) or any(secret in text for secret in secrets):
            raise UserError(
                f"{where}: option '{masked(name)}' holds a key.",
                f"Keys are read from the environment alone: name the variable with '{name_it}', take the key "
                "out of the file, and replace it if others could read it.",
            )
