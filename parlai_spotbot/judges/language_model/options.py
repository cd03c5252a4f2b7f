"""The options of a language model that judges: which model, by transformers or behind a server, and how it is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import httpx2

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.chat.client import Endpoint
from parlai_spotbot.models.chat.keys import read_key, refuse_keys
from parlai_spotbot.models.chat.option_reader import OURS, OptionReader

EMBEDDED = "smollm2"
ORDERS = ("both", "first")
FORMATS = ("auto", "json_schema", "json_object", "text")
ROLES = ("system", "developer", "user")
DTYPES = ("auto", "fp32", "bf16", "fp16")

SECONDS_A_REQUEST = 2.0
"""So long a server is taken to think about a question, until it is known."""

LOCAL = ("revision", "dtype", "device")
SERVED = (
    "key_variable",
    "key_header",
    "timeout",
    "retries",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "price_prompt",
    "price_completion",
    "currency",
    "temperature",
    "topp",
    "request_seed",
    "extra",
    "answer_format",
    "system_role",
    "samples",
    "attempts",
    "context",
)
"""What only a model behind a server has."""

DECIDING = (
    "model",
    "url",
    "revision",
    "dtype",
    "orders",
    "samples",
    "temperature",
    "topp",
    "request_seed",
    "extra",
    "system_role",
    "max_new_tokens",
    "free_text",
    "context",
)
"""The options that answers depend on; the others may change from one run to the next."""


@dataclass(frozen=True)
class LanguageModelOptions:
    """All that is said of one judge. `url` "" is a model of this machine. None leaves it to the server.

    `orders` "both" asks everything in both orders, `samples` so often in each. A bad answer is asked for again until
    there were `attempts`. Prices are for a million tokens, `max_cost` for all that this judge ever asks in the study.
    """

    model: str = EMBEDDED
    url: str = ""
    orders: str = "both"
    samples: int = 1
    attempts: int = 3
    free_text: bool = True
    max_new_tokens: int = 100
    revision: str = ""
    dtype: str = "auto"
    device: str = "auto"
    key_variable: str = ""
    key_header: str = "Authorization"
    timeout: float = 60.0
    retries: int = 5
    concurrency: int = 8
    requests_per_minute: float = 0
    tokens_per_minute: float = 0
    price_prompt: float = 0
    price_completion: float = 0
    currency: str = "USD"
    temperature: float | None = None
    topp: float | None = None
    request_seed: str = "each"
    extra: dict = field(default_factory=dict)
    answer_format: str = "auto"
    system_role: str = "system"
    context: int = 8192
    max_cost: float | None = None

    @property
    def order_numbers(self) -> tuple[int, ...]:
        return (0, 1) if self.orders == "both" else (0,)

    @property
    def priced(self) -> bool:
        return bool(self.price_prompt or self.price_completion)

    @property
    def heat(self) -> float | None:
        """The temperature that is sent: 0 where there is one sample, the server's own where there are several."""
        return 0.0 if self.temperature is None and self.samples == 1 else self.temperature

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        return (prompt_tokens * self.price_prompt + completion_tokens * self.price_completion) / 1e6

    def minutes(self, requests: int, tokens: int) -> float:
        """About how long a server takes: at `SECONDS_A_REQUEST`, `concurrency` at once, and never above the limits."""
        bounds = [requests * SECONDS_A_REQUEST / self.concurrency / 60]
        bounds += [requests / self.requests_per_minute] if self.requests_per_minute else []
        bounds += [tokens / self.tokens_per_minute] if self.tokens_per_minute else []
        return max(bounds)

    def deciding(self) -> dict:
        """What answers depend on, without what this kind of model doesn't have."""
        names = [name for name in DECIDING if name not in (SERVED if not self.url else LOCAL)]
        return {name: getattr(self, name) for name in names if name != "url" or self.url}

    def identity(self) -> str:
        return json.dumps(self.deciding(), sort_keys=True)

    def endpoint(self, where: str) -> Endpoint:
        """The server as the client takes it, with the key from the environment; `UserError` where that isn't there."""
        key = read_key(self.key_variable, httpx2.URL(self.url).host, where, "key_variable")
        return Endpoint(
            self.url,
            self.model,
            key,
            self.key_header,
            self.timeout,
            self.retries,
            self.concurrency,
            self.requests_per_minute,
            self.tokens_per_minute,
        )


KEYS = tuple(f.name for f in fields(LanguageModelOptions) if f.name != "max_cost")


def read_options(given: Mapping[str, Any], where: str) -> LanguageModelOptions:
    """The options in `given`, checked.

    Raises
    ------
    UserError
        Naming `where`, the key, its value and what is right; and where an option holds a key, without repeating it.
    """
    for name in given:
        if name not in KEYS:
            raise UserError(f"{where}: unknown key '{name}'.", nearest(name, ("kind", *KEYS)))
    refuse_keys({name: value for name, value in given.items() if name != "key_variable"}, where, "key_variable")
    reader = _Reader(given, where, "", (*OURS, "response_format", "max_tokens"))
    url = reader.url() if given.get("url") else ""
    for name in SERVED if not url else LOCAL:
        if name in given:
            other = "only a model behind a server ('url') has it" if not url else "a model behind a server has none"
            raise UserError(f"{where}: option '{name}': {other}.", "Take it out, or correct 'url'.")
    plain = LanguageModelOptions()
    found = LanguageModelOptions(
        model=reader.text("model", "" if url else EMBEDDED, needed="Name the model as the server knows it."),
        url=url,
        orders=reader.one_of("orders", ORDERS),
        samples=reader.whole("samples", 1, 1),
        attempts=reader.whole("attempts", plain.attempts, 1),
        free_text=reader.boolean("free_text", True),
        max_new_tokens=reader.whole("max_new_tokens", plain.max_new_tokens, 1),
        revision=reader.text("revision"),
        dtype=reader.one_of("dtype", DTYPES),
        device=reader.text("device", "auto"),
        key_variable=reader.text("key_variable"),
        key_header=reader.header(),
        timeout=reader.number("timeout", plain.timeout, 0.1),
        retries=reader.whole("retries", plain.retries, 0),
        concurrency=reader.whole("concurrency", plain.concurrency, 1),
        requests_per_minute=reader.number("requests_per_minute", 0, 0),
        tokens_per_minute=reader.number("tokens_per_minute", 0, 0),
        price_prompt=reader.number("price_prompt", 0, 0),
        price_completion=reader.number("price_completion", 0, 0),
        currency=reader.text("currency", plain.currency),
        temperature=reader.number("temperature", None, 0, 5),
        topp=reader.number("topp", None, 0.000001, 1),
        request_seed=reader.seed("request_seed"),
        extra=reader.extra(),
        answer_format=reader.one_of("answer_format", FORMATS),
        system_role=reader.one_of("system_role", ROLES),
        context=reader.whole("context", plain.context, 256),
    )
    if found.samples > 1 and found.temperature == 0:
        reader.fail("temperature", "more than 0: samples at 0 are all the same", "Raise it, or take one sample.")
    return found


class _Reader(OptionReader):
    def boolean(self, name: str, default: bool) -> bool:
        value = self.opt.get(name, default)
        if not isinstance(value, bool):
            self.fail(name, "true or false")
        return value
