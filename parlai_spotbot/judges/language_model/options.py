"""Options of a language model that judges: which model, by transformers or behind a server, and how it is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.chat.keys import refuse_keys
from parlai_spotbot.models.chat.server_options import ServerOptions
from parlai_spotbot.models.chat.server_options import read_options as read_server_options

EMBEDDED = "smollm2"
LOCAL = ("revision", "dtype", "device")
SERVED = tuple(set(ServerOptions.model_fields) - {"url", "model", "max_new_tokens"} | {"samples", "attempts"})
"""Options that only a model behind a server has."""


class LanguageModelOptions(ServerOptions):
    """One judge; `url` "" is a model of this machine.

    Everything is asked `samples` times in each order. A bad answer is asked for again, in all `attempts` times.
    """

    removed: ClassVar = ServerOptions.removed | {
        "answer_format": "Leave it out: the judge finds out which form the server takes.",
        "context": "Leave it out.",
    }

    model: str = EMBEDDED
    orders: Literal["both", "first"] = "both"
    samples: int = Field(1, ge=1)
    attempts: int = Field(3, ge=1)
    free_text: bool = True
    revision: str = ""
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    device: str = "auto"

    @property
    def order_numbers(self) -> tuple[int, ...]:
        return (0, 1) if self.orders == "both" else (0,)

    def deciding(self) -> dict:
        """Return the options that answers depend on; the others may change from one run to the next."""
        shared = {"model": self.model, "orders": self.orders, "max_new_tokens": self.max_new_tokens}
        shared["free_text"] = self.free_text
        if not self.url:
            return {**shared, "revision": self.revision, "dtype": self.dtype}
        names = ("url", "samples", "temperature", "topp", "extra", "system_role")
        # The context is that of earlier versions, so that answers which were paid for are found again.
        served = {"request_seed": self.seed, "context": 8192}
        return {**shared, **served, **{name: getattr(self, name) for name in names}}

    def identity(self) -> str:
        return json.dumps(self.deciding(), sort_keys=True)


NAMES = {"seed": "request_seed"}
KEYS = tuple(NAMES.get(field, field) for field in LanguageModelOptions.model_fields)


def read_options(given: Mapping[str, Any], where: str) -> LanguageModelOptions:
    """Check the options in `given`.

    Raises
    ------
    UserError
        With `where`, the key, its value and what is expected; if an option holds a key, without repeating it.
    """
    for name in given:
        if name not in (*KEYS, *LanguageModelOptions.removed):
            raise UserError(f"{where}: unknown key '{name}'.", nearest(name, ("kind", *KEYS)))
    refuse_keys({name: value for name, value in given.items() if name != "key_variable"}, where, "key_variable")
    url = given.get("url")
    for field in SERVED if not url else LOCAL:
        if NAMES.get(field, field) in given:
            other = "only a model behind a server ('url') has it" if not url else "a model behind a server has none"
            raise UserError(f"{where}: option '{NAMES.get(field, field)}': {other}.", "Take it out, or correct 'url'.")
    found = read_server_options(LanguageModelOptions, given, where, NAMES, ("model",) if url else ())
    if found.samples > 1 and found.temperature == 0:
        raise UserError(
            f"{where}: option 'temperature' is 0: samples at 0 are all the same.", "Raise it, or take one sample."
        )
    return found
