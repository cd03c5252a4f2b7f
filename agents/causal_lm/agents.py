"""Any causal language model of transformers as a ParlAI agent, batched, with what it read kept between turns."""

from typing import Literal

from pydantic import Field

from parlai_spotbot.agents.language import GenerationOptions, LanguageModelAgent, LoadedLanguageModel
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.causal_lm import LanguageModel, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import BatchLimits, TurnWriter
from parlai_spotbot.models.prompt_layout import fitting, layout

SYSTEM = "You are chatting with a stranger. Answer briefly and casually, like a person, and often ask something back."
MOST_CONTEXT = 4096
"""Conversations are short: a model that could see more is not given more unless it is asked for."""


class CausalLmOptions(GenerationOptions):
    """Model, prompt and batches."""

    model: str = Field("", description="a folder, a name on the Hugging Face hub, or smollm2")
    revision: str = Field("", description="commit, branch or tag of the hub's model")
    system: str = Field(SYSTEM, description="instructions before the conversation; '' for none")
    format: Literal["auto", "chat", "plain", "eos"] = Field("auto", description="how the conversation is laid out")
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = Field("auto", description="auto: bf16 on a GPU, else fp32")
    device: str = Field("auto", description="auto, cpu, cuda, cuda:1; auto: a GPU if any")
    context: int = Field(0, ge=0, description="tokens it sees; 0: its own limit, up to 4096")
    batch: int = Field(0, ge=0, description="the most conversations at once; 0: 64, on a GPU 512")
    cache: float | int = Field(2.0, ge=0, description="GiB of keys and values kept between turns; 0: none")


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
