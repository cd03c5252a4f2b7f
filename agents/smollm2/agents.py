"""SmolLM2-135M-Instruct as a ParlAI agent: a small language model that chats, batched over conversations.

Each turn continues the model's own chat template. Its chances come from one generator a conversation, so a text doesn't
depend on what else is in the batch (in fp32; in bf16 rounding depends on the batch's shape).
"""

from __future__ import annotations

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser

from parlai_spotbot.agents.language import (
    LanguageModelAgent,
    LoadedLanguageModel,
    add_generation_args,
    generation_options,
    number,
    one_of,
    rules,
)
from parlai_spotbot.models.causal_lm import EMBEDDED, load
from parlai_spotbot.models.choosing import Vocabulary
from parlai_spotbot.models.generation import TurnWriter
from parlai_spotbot.models.prompt_layout import ChatLayout

PROMPT = (
    "You are Sam, chatting with a stranger. You work in a shop and like music, films and dogs. "
    "Answer briefly and casually, and often ask something back."
)

DEFAULTS = {"tokens": 36, "echo": 4}
"""Its turns are short, and four tokens in a row are not said twice: it would fall into loops."""


class Smollm2Agent(LanguageModelAgent):
    """SmolLM2-135M-Instruct from its wheel, on the CPU."""

    NAME = "smollm2"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("smollm2 generation")
        group.add_argument(
            "--smollm2-dtype", default="fp32", choices=["fp32", "bf16"], help="bf16 where the CPU has it"
        )
        group.add_argument("--smollm2-prompt", default=PROMPT, help="what the model is told about itself")
        group.add_argument("--smollm2-turns", type=int, default=6, help="how many of the last turns it remembers")
        add_generation_args(parser, **DEFAULTS)
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if not shared:
            self._load(opt)

    def _load(self, opt: Opt) -> None:
        given = generation_options(opt, self.NAME, **DEFAULTS)
        turns = number(opt, "smollm2_turns", 6, 1, self.NAME)
        loaded = load(EMBEDDED, dtype=one_of(("fp32", "bf16"), opt, "smollm2_dtype", "fp32", self.NAME), device="cpu")
        form = ChatLayout(loaded.tokenizer, self.NAME)
        self._loaded = LoadedLanguageModel(
            writer=TurnWriter(loaded.model, Vocabulary(loaded.tokenizer)),
            layout=form,
            rules=rules(given, frozenset(form.ends()), min_new_tokens=2),
            given=given,
            system=opt.get("smollm2_prompt") or PROMPT,
            room=loaded.context - given["max_new_tokens"],
            turns=turns,
            about=loaded.about,
        )
