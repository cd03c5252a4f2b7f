"""Any causal language model of transformers as a ParlAI agent, batched, with what it read kept between turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge
from pydantic import NonNegativeInt

from parlai_spotbot.agents.language import GenerationOptions, LanguageModelAgent, LoadedLanguageModel
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.causal_lm import LanguageModel, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import BatchLimits, TurnWriter
from parlai_spotbot.models.prompt_layout import fitting, layout
from parlai_spotbot.options import described

SYSTEM = "You are chatting with a stranger. Answer briefly and casually, like a person, and often ask something back."
MOST_CONTEXT = 4096
"""Conversations are short: a model that could see more is not given more unless it is asked for."""


@dataclass(frozen=True)
@described
class CausalLmOptions(GenerationOptions):
    """Model, prompt and batches."""

    model: str = ""
    revision: str = ""
    system: str = SYSTEM
    format: Literal["auto", "chat", "plain", "eos"] = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    device: str = "auto"
    context: NonNegativeInt = 0
    batch: NonNegativeInt = 0
    cache: Annotated[float | int, Ge(0)] = 2.0


class CausalLmAgent(LanguageModelAgent):
    """A language model with options ``--lm-…`` for what it is and those of ParlAI's generators for how it writes."""

    NAME = "causal_lm"

    OPTIONS = CausalLmOptions
    PREFIX = "lm"

    def load(self, given: CausalLmOptions, no_cuda: bool) -> LoadedLanguageModel:
        loaded = load(given.model, given.revision, given.dtype, given.device, no_cuda)
        form = layout(loaded.tokenizer, given.format, f"--lm-model {loaded.name}")
        system = given.system
        room = _room(loaded, given.context, given.max_new_tokens)
        fitting(form, system, [], room)
        writer = TurnWriter(loaded.model, Vocabulary(loaded.tokenizer), limits(loaded, given.batch, given.cache))
        kind = type(form).__name__.removesuffix("Layout").lower()
        about = {**loaded.about, "prompt_format": kind, "one_by_one": writer.plain}
        rules = given.rules(frozenset(form.ends() | loaded.ends()), form.line)
        if writer.plain:
            print(f"{self.NAME}: {loaded.name} answers one conversation at a time: {writer.plain}.", flush=True)
        return LoadedLanguageModel(writer, form, rules, given, system, room, 0, about)


def limits(loaded: LanguageModel, rows: int, cache: float) -> BatchLimits:
    """Sizes of batches that suit the device; 0 rows chooses them."""
    gpu = loaded.model.device.type != "cpu"
    enough, most = (4096, 65536) if gpu else (256, 8192)
    return BatchLimits(rows or (512 if gpu else 64), int(cache * 2**30), enough, most)


def _room(loaded: LanguageModel, context_limit: int, new: int) -> int:
    context = min(loaded.context, context_limit or MOST_CONTEXT)
    if context_limit > loaded.context:
        raise UserError(
            f"option 'lm_context' is {context_limit}, but {loaded.name} sees {loaded.context} tokens.", "Ask for fewer."
        )
    if context - new < 32:
        raise UserError(
            f"option 'max_new_tokens' is {new}, which leaves no room for a prompt in a context of {context} tokens.",
            "Lower it, or raise --lm-context.",
        )
    return context - new
