"""The options of `openai_chat`, checked, and the fields of a request that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.openai_chat.messages import ROLES
from parlai_spotbot.models.chat.keys import refuse_keys
from parlai_spotbot.models.chat.message_text import tokens
from parlai_spotbot.models.chat.option_reader import OptionReader

SYSTEM = "You are chatting with a stranger. Answer briefly and casually, like a person, and often ask something back."
CONTEXT = 4096


@dataclass(frozen=True)
class ChatServerOptions:
    """All that a pool entry says of a contestant behind a chat server; None and 0 leave it to the server."""

    url: str
    model: str
    system: str = SYSTEM
    system_role: str = "system"
    persona: str = "told"
    temperature: float | None = None
    topp: float | None = None
    max_new_tokens: int = 100
    max_sentences: int = 2
    context: int = CONTEXT
    seed: str = "each"
    stop: tuple[str, ...] = ()
    extra: dict = field(default_factory=dict)
    timeout: float = 60.0
    retries: int = 5
    concurrency: int = 8
    requests_per_minute: float = 0
    tokens_per_minute: float = 0
    price_prompt: float = 0
    price_completion: float = 0
    currency: str = "USD"
    key_variable: str = ""
    key_header: str = "Authorization"

    @property
    def room(self) -> int:
        """Tokens that a prompt may have."""
        return self.context - self.max_new_tokens

    def generation(self) -> dict:
        """The fields of each request that say how a turn is written, but for the seed of each turn."""
        fields = {
            "max_tokens": self.max_new_tokens,
            "temperature": self.temperature,
            "top_p": self.topp,
            "stop": list(self.stop) or None,
            "seed": self.seed if self.seed == "each" else None if self.seed == "none" else int(self.seed),
            **self.extra,
        }
        sent = {name: value for name, value in fields.items() if value is not None}
        return {**sent, "max_sentences": self.max_sentences, "context": self.context}

    def body(self, rows: list[dict], chance: int) -> dict:
        """A request: the messages `rows`, and `chance` as the turn's seed where each has its own."""
        fields = self.generation()
        for name in ("max_sentences", "context"):
            fields.pop(name)
        if fields.get("seed") == "each":
            fields["seed"] = chance
        return {"model": self.model, "messages": rows, "stream": False, **fields}


def add_args(parser: ParlaiParser) -> None:
    """The options, with those of how a turn is written named as in ParlAI's own generators."""
    group = parser.add_argument_group("openai_chat server")
    group.add_argument("--openai-url", default="", help="the server's address, such as http://127.0.0.1:8000/v1")
    group.add_argument("--openai-model", default="", help="the model's name, as the server knows it")
    group.add_argument("--openai-key-variable", default="", help="the environment variable that holds the key")
    group.add_argument("--openai-key-header", default="Authorization", help="the header that carries the key")
    group.add_argument("--openai-timeout", type=float, default=60.0, help="seconds for one request, all in all")
    group.add_argument("--openai-retries", type=int, default=5, help="further attempts where that may help")
    group.add_argument("--openai-concurrency", type=int, default=8, help="the most requests at once")
    group.add_argument("--openai-requests-per-minute", type=float, default=0, help="the server's limit; 0: none")
    group.add_argument("--openai-tokens-per-minute", type=float, default=0, help="the server's limit; 0: none")
    group.add_argument("--openai-price-prompt", type=float, default=0, help="for a million tokens that it reads")
    group.add_argument("--openai-price-completion", type=float, default=0, help="for a million tokens that it writes")
    group.add_argument("--openai-currency", default="USD", help="what the prices are in")
    group = parser.add_argument_group("openai_chat prompt")
    group.add_argument("--openai-system", default=SYSTEM, help="what the model is told at first; '' for nothing")
    group.add_argument("--openai-system-role", default="system", choices=ROLES, help="user: where it knows no other")
    group.add_argument("--openai-persona", default="told", choices=["told", "ignored"], help="a conversation's persona")
    group.add_argument("--openai-context", type=int, default=CONTEXT, help="tokens that it is given at most, estimated")
    group = parser.add_argument_group("openai_chat generation")
    group.add_argument("--temperature", type=float, default=None, help="unset: the server's own")
    group.add_argument("--topp", type=float, default=None, help="the nucleus to draw from; unset: the server's own")
    group.add_argument("--max-new-tokens", type=int, default=100, help="the longest turn, before it is cut")
    group.add_argument("--max-sentences", type=int, default=2, help="the most sentences of a turn; 0: all")
    group.add_argument("--openai-seed", default="each", help="each: one a turn; none; or a number, for every turn")
    group.add_argument("--openai-stop", default="", help='text that ends a turn, or several: ["a", "b"]')
    group.add_argument("--openai-extra", default="", help="further fields of a request, as JSON; null leaves one out")


def options(opt: Mapping[str, Any], agent: str) -> ChatServerOptions:
    """The options in `opt`, checked.

    Raises
    ------
    UserError
        Naming the option, its value and what is right; and where an option holds a key, without repeating it.
    """
    ours = {name: opt[name] for name in opt if str(name).startswith("openai_") or name == "api_key"}
    refuse_keys({name: value for name, value in ours.items() if name != "openai_key_variable"}, agent)
    reader = OptionReader(opt, agent, "openai_")
    given = ChatServerOptions(
        url=reader.url(),
        model=reader.text("openai_model", needed="Name the model as the server knows it."),
        system=reader.text("openai_system", SYSTEM),
        system_role=reader.one_of("openai_system_role", ROLES),
        persona=reader.one_of("openai_persona", ("told", "ignored")),
        temperature=reader.number("temperature", None, 0, 5),
        topp=reader.number("topp", None, 0.000001, 1),
        max_new_tokens=reader.whole("max_new_tokens", 100, 1),
        max_sentences=reader.whole("max_sentences", 2, 0),
        context=reader.whole("openai_context", CONTEXT, 64),
        seed=reader.seed(),
        stop=reader.stop(),
        extra=reader.extra(),
        timeout=reader.number("openai_timeout", 60.0, 0.1),
        retries=reader.whole("openai_retries", 5, 0),
        concurrency=reader.whole("openai_concurrency", 8, 1),
        requests_per_minute=reader.number("openai_requests_per_minute", 0, 0),
        tokens_per_minute=reader.number("openai_tokens_per_minute", 0, 0),
        price_prompt=reader.number("openai_price_prompt", 0, 0),
        price_completion=reader.number("openai_price_completion", 0, 0),
        currency=reader.text("openai_currency", "USD"),
        key_variable=reader.text("openai_key_variable", ""),
        key_header=reader.header(),
    )
    if given.room < tokens(given.system) + 32:
        reader.fail("openai_context", "more: system text and reply leave no room for a conversation", "Raise it.")
    return given
