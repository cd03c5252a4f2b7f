"""Options of a language model that judges: which model, by transformers or behind a server, and how it is asked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from pydantic import Field

from parlai_spotbot import user_files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.chat.keys import refuse_keys
from parlai_spotbot.models.chat.server_options import REQUIRED, ServerOptions
from parlai_spotbot.secrecy import shown

LOCAL = "A judge's model is behind a server: serve it (such as by 'transformers serve') and name its address as 'url'."


@dataclass(frozen=True)
class LanguageModelOptions(ServerOptions):
    """One judge; everything is asked once in each order."""

    one_request: Annotated[bool, Field(strict=False)] | None = None
    """All questions about an item at once; unset: yes, unless it began otherwise."""

    def deciding(self, together: bool) -> dict:
        """Return the options that answers depend on; the others may change from one run to the next."""
        # Options of earlier versions keep their default values, so that answers which were paid for are found again.
        options: dict = {name: shown(getattr(self, name), name) for name in DECIDING}
        options |= EARLIER
        options["request_seed"] = self.seed
        if together:
            options["one_request"] = True
        return options

    def identity(self, together: bool) -> str:
        return json.dumps(self.deciding(together), sort_keys=True)


DECIDING = ("model", "url", "temperature", "topp", "extra", "system_role", "max_new_tokens")
EARLIER = {"orders": "both", "samples": 1, "free_text": True, "context": 8192}
NAMES = {"seed": "request_seed"}
KEYS = tuple(NAMES.get(own.name, own.name) for own in fields(LanguageModelOptions))


def read_options(given: Mapping[str, Any], where: str) -> LanguageModelOptions:
    """Check the options in `given`.

    Raises
    ------
    UserError
        With `where`, the key, its value and what is expected; if an option holds a key, without repeating it.
    """
    for name in given:
        if name not in KEYS:
            raise UserError(f"{where}: unknown key '{name}'.", nearest(name, ("kind", *KEYS)))
    refuse_keys({name: value for name, value in given.items() if name != "key_variable"}, where, "key_variable")
    return user_files.read_options(
        LanguageModelOptions, given, where, NAMES, {"url": LOCAL, "model": REQUIRED["model"]}
    )
