"""Options of a model behind a chat server, for contestants and judges alike, checked by pydantic."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlsplit

from annotated_types import Ge, Gt, Le
from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveInt
from pydantic_core import PydanticCustomError

from parlai_spotbot.models.chat.keys import Key, read_key
from parlai_spotbot.options import described
from parlai_spotbot.secrecy import is_named_secret

OURS = ("model", "messages", "stream", "n")
"""Fields of a request that a user's `extra` may not set."""

EXAMPLE = "http://127.0.0.1:8000/v1"
REQUIRED = {"url": f"Write for example {EXAMPLE}.", "model": "Name the model as the server knows it."}


def parse_if_json(value: Any) -> Any:
    """Parse a value that a command line gives as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            raise ValueError("input should be valid JSON") from None
    return value


def _fields(value: Any) -> Any:
    value = parse_if_json(value or {})
    if isinstance(value, dict) and any(name in OURS for name in value):
        raise ValueError(f"input should be fields without {', '.join(OURS)}")
    return value


def _address(text: str) -> str:
    url = urlsplit(text.strip())
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("input should be an address that begins with http:// or https://")
    if url.username or url.password or any(is_named_secret(*field) for field in parse_qsl(url.query)):
        raise PydanticCustomError("secret", "Put it into an environment variable, and name that in 'key_variable'.")
    if url.path.rstrip("/").endswith("/chat/completions"):
        raise ValueError("input should be the address without /chat/completions")
    return text.strip()


@dataclass(frozen=True)
@described
class ServerOptions:
    """A model behind a chat server and how it is asked; None leaves a field of the request to the server.

    Prices are for a million tokens.
    """

    url: Annotated[str, AfterValidator(_address)] = ""
    model: str = ""
    key_variable: str = ""
    key_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$")] = "Authorization"
    timeout: Annotated[float, Ge(0.1)] = 60.0
    retries: NonNegativeInt = 5
    concurrency: PositiveInt = 8
    price_prompt: NonNegativeFloat = 0.0
    price_completion: NonNegativeFloat = 0.0
    currency: str = "USD"
    system_role: Literal["system", "developer", "user"] = "system"
    temperature: Annotated[float | int, Ge(0), Le(5)] | None = None
    topp: Annotated[float | int, Gt(0), Le(1)] | None = None
    max_new_tokens: PositiveInt = 100
    seed: Annotated[str, BeforeValidator(str), Field(pattern=r"^(each|none|\d+)$")] = "each"
    extra: Annotated[dict[str, Any], BeforeValidator(_fields)] = field(default_factory=dict)

    @property
    def priced(self) -> bool:
        return bool(self.price_prompt or self.price_completion)

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Price of these tokens."""
        return (prompt_tokens * self.price_prompt + completion_tokens * self.price_completion) / 1e6

    def costs(self, prompt_tokens: float, completion_tokens: float) -> dict:
        """Cost of these tokens, for a file; {} without prices."""
        cost = {"cost": round(self.cost(prompt_tokens, completion_tokens), 9), "currency": self.currency}
        if self.priced:
            return cost
        return {}

    def request(self, seed: int | None = None, **ours: Any) -> dict:
        """Fields of a request, but for its messages; `seed` is the request's own, used if `self.seed` is "each"."""
        if self.seed == "each" and seed is None:
            sent = "each"
        elif self.seed == "each":
            sent = seed
        elif self.seed == "none":
            sent = None
        else:
            sent = int(self.seed)
        fields = {
            "max_tokens": self.max_new_tokens,
            "temperature": self.temperature,
            "top_p": self.topp,
            "seed": sent,
            **ours,
            **self.extra,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def body(self, messages: list[dict], seed: int, **ours: Any) -> dict:
        """A whole request; `ours` are fields in place of the usual ones."""
        return {"model": self.model, "messages": messages, "stream": False, **self.request(seed, **ours)}

    def key(self, where: str, option: str = "key_variable") -> Key:
        """Read the key from the environment; `UserError` if it is not there."""
        return read_key(self.key_variable, urlsplit(self.url).hostname or "", where, option)
