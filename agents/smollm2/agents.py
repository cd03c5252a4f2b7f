"""SmolLM2-135M-Instruct as a ParlAI agent: a small language model that chats, batched over conversations.

Each turn continues the model's own chat template. Its chances come from one generator a conversation, so a text doesn't
depend on what else is in the batch (in fp32; in bf16 rounding depends on the batch's shape).
"""

from __future__ import annotations

from typing import Literal

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from pydantic import Field

from parlai_spotbot.agents.language import GenerationOptions, LanguageModelAgent, LoadedLanguageModel
from parlai_spotbot.models.causal_lm import EMBEDDED, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import TurnWriter
from parlai_spotbot.models.option_fields import add_arguments, read_options
from parlai_spotbot.models.prompt_layout import ChatLayout

PROMPT = (
    "You are Sam, chatting with a stranger. You work in a shop and like music, films and dogs. "
    "Answer briefly and casually, and often ask something back."
)


class Smollm2Options(GenerationOptions):
    """Its turns are short, and four tokens in a row are not said twice: it would fall into loops."""

    max_new_tokens: int = Field(36, ge=1, description="the longest turn, before it is cut")
    echo_ngram: int = Field(4, ge=0, description="length of token sequences that are never repeated; 0: they may be")
    dtype: Literal["fp32", "bf16"] = Field("fp32", description="bf16 where the CPU has it")
    prompt: str = Field(PROMPT, description="instructions about itself")
    turns: int = Field(6, ge=1, description="how many of the last turns it remembers")


NAMES = {name: f"smollm2_{name}" for name in ("dtype", "prompt", "turns")}


class Smollm2Agent(LanguageModelAgent):
    """SmolLM2-135M-Instruct from its wheel, on the CPU."""

    NAME = "smollm2"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        add_arguments(parser, Smollm2Options, NAMES, cls.NAME)
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if not shared:
            self._load(opt)

    def _load(self, opt: Opt) -> None:
        given = read_options(Smollm2Options, opt, self.NAME, NAMES)
        loaded = load(EMBEDDED, dtype=given.dtype, device="cpu")
        form = ChatLayout(loaded.tokenizer, self.NAME)
        self._loaded = LoadedLanguageModel(
            writer=TurnWriter(loaded.model, Vocabulary(loaded.tokenizer)),
            layout=form,
            rules=given.rules(frozenset(form.ends()), min_new_tokens=2),
            given=given,
            system=given.prompt or PROMPT,
            room=loaded.context - given.max_new_tokens,
            turns=given.turns,
            about=loaded.about,
        )
