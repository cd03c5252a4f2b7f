"""Options of `openai_chat`: those of its server, and how a conversation becomes a request and a reply a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from annotated_types import Ge
from pydantic import BeforeValidator, Field, NonNegativeInt

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.chat.keys import refuse_keys
from parlai_spotbot.models.chat.message_text import tokens
from parlai_spotbot.models.chat.server_options import REQUIRED, ServerOptions, parse_if_json
from parlai_spotbot.options import described
from parlai_spotbot.user_files import read_options

SYSTEM = "You are chatting with a stranger. Answer briefly and casually, like a person, and often ask something back."

AS_IN_PARLAI = ("temperature", "topp", "max_new_tokens", "max_sentences")
"""Options named as in ParlAI's own generators; all others begin with "openai_"."""


def _texts(value: Any) -> Any:
    value = parse_if_json(value)
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
@described
class ChatServerOptions(ServerOptions):
    """A contestant behind a chat server, as a pool entry describes it."""

    system: str = SYSTEM
    persona: Literal["told", "ignored"] = "told"
    max_sentences: NonNegativeInt = 2
    context: Annotated[int, Ge(64)] = 4096
    stop: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_texts)] = ()

    @property
    def room(self) -> int:
        """Tokens that a prompt may have."""
        return self.context - self.max_new_tokens

    def request(self, seed: int | None = None, **ours: Any) -> dict:
        return super().request(seed, stop=list(self.stop) or None, **ours)

    def generation(self) -> dict:
        """Fields of each request and limits of turns, for the provenance."""
        return {**self.request(), "max_sentences": self.max_sentences, "context": self.context}


FIELDS = [own.name for own in fields(ChatServerOptions)]
NAMES = {name: f"openai_{name}" for name in FIELDS if name not in AS_IN_PARLAI}


def options(opt: Mapping[str, Any], agent: str) -> ChatServerOptions:
    """Check the options in `opt`; `UserError` names the option, and never repeats a key that it holds."""
    held = {name: opt[name] for name in opt if str(name).startswith("openai_") or name == "api_key"}
    refuse_keys({name: value for name, value in held.items() if name != "openai_key_variable"}, agent)
    given = read_options(ChatServerOptions, opt, agent, NAMES, REQUIRED)
    if given.room < tokens(given.system) + 32:
        raise UserError(
            f"{agent}: option 'openai_context' is {given.context}: system text and reply leave no room for a "
            "conversation.",
            "Raise it.",
        )
    return given
