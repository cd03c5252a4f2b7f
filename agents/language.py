"""Base class of agents on language models: from a conversation to a request and to a turn, and the options.

What such an agent says follows from its options, the conversation so far and that conversation's seed; not from the
batch that it is answered in (in fp32; in bf16 rounding depends on the batch), nor on what was played before.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from annotated_types import Ge
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from pydantic import NonNegativeInt, PositiveInt
from transformers import PreTrainedModel

from parlai_spotbot.agents.dialogue import SENTENCE_END, BatchedDialogueAgent, Dialogue, whole_sentences
from parlai_spotbot.models.choosing import WritingRules
from parlai_spotbot.models.generation import GenerationRequest, TurnWriter
from parlai_spotbot.models.prompt_layout import PromptLayout, fitting
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.options import add_options, described
from parlai_spotbot.user_files import read_options


@dataclass(frozen=True)
class LoadedLanguageModel:
    """A language model, and how turns are asked of it.

    `room` is the tokens that a prompt may have, `turns` how many of the last turns it has (0: all that fit), `about`
    what provenance keeps of the model.
    """

    writer: TurnWriter
    layout: PromptLayout
    rules: WritingRules
    given: GenerationOptions
    system: str
    room: int
    turns: int
    about: dict


class LanguageModelAgent(BatchedDialogueAgent):
    """Answers by a `LoadedLanguageModel`. A subclass defines `load` and `OPTIONS`, whose own fields have a prefix."""

    OPTIONS: type[GenerationOptions]
    PREFIX = ""

    @classmethod
    def option_names(cls) -> dict[str, str]:
        names = [option.name for option in fields(cls.OPTIONS)]
        return {name: f"{cls.PREFIX}_{name}" for name in names if name not in GENERATION}

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        add_options(parser.add_argument_group(cls.NAME), cls.OPTIONS, cls.option_names())
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if shared:
            self._loaded: LoadedLanguageModel = shared["language_model"]
        else:
            given = read_options(self.OPTIONS, opt, self.NAME, self.option_names(), {})
            self._loaded = self.load(given, bool(opt.get("no_cuda")))

    def load(self, given: Any, no_cuda: bool) -> LoadedLanguageModel:
        """Load the model that the options name."""
        raise NotImplementedError

    def share(self) -> dict:
        return {**super().share(), "language_model": self._loaded}

    def provenance(self) -> dict:
        """Record of this contestant for the study: the exact model and its whole system prompt."""
        options = {"generation": self._loaded.given.generation(), "system_prompt": self._loaded.system}
        return {**self._loaded.about, **options, **({"rehearses": True} if self._rehearses else {})}

    @property
    def _rehearses(self) -> bool:
        """Return True if cached keys and values round differently from those read again: in less than fp32."""
        writer = self._loaded.writer
        return writer.dtype.itemsize < 4 and not writer.plain and writer.store.limit > 0

    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        written = self._loaded.writer.write([self._request(dialogue) for dialogue in dialogues], self._loaded.rules)
        return [whole_sentences(a.text, a.finished, self._loaded.given.max_sentences) for a in written]

    @property
    def language_model(self) -> tuple[PreTrainedModel, PromptLayout]:
        """The model, and how conversations are laid out for it."""
        return self._loaded.writer.model, self._loaded.layout

    def prompt(self, dialogue: Dialogue) -> list[int]:
        """The tokens that stand before this agent's next turn."""
        system = f"{self._loaded.system}\n{dialogue.context}".strip()
        return fitting(self._loaded.layout, system, dialogue.turns[-self._loaded.turns :], self._loaded.room)

    def _request(self, dialogue: Dialogue) -> GenerationRequest:
        tokens = self.prompt(dialogue)
        spoken_tokens = said_tokens(self._loaded.layout, dialogue.turns) if self._loaded.rules.echo else ()
        return GenerationRequest(tokens, str(dialogue.play), dialogue.chance(), spoken_tokens)

    def _forget(self) -> None:
        if loaded := getattr(self, "_loaded", None):
            loaded.writer.store.drop(str(self._play))
        super()._forget()


def said_tokens(layout: PromptLayout, turns: Sequence[RememberedTurn]) -> list[list[int]]:
    """The tokens of every turn, as they are at the beginning of a text, and within one after a space."""
    texts = [before + turn.text for turn in turns for before in ("", " ")]
    return layout.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []


def enough_sentences(text: str, most: int) -> bool:
    """Return True if `text` has `most` sentences and begins the next one, which would be cut off."""
    return sum(match.end() < len(text) for match in SENTENCE_END.finditer(text)) >= most


@dataclass(frozen=True)
@described
class GenerationOptions:
    """Options of how a turn is written, named as in ParlAI's own generators."""

    inference: Literal["greedy", "sample"] = "sample"
    temperature: Annotated[float | int, Ge(0.01)] = 0.7
    topp: Annotated[float | int, Ge(0.01)] = 0.9
    topk: NonNegativeInt = 200
    max_new_tokens: PositiveInt = 48
    max_sentences: PositiveInt = 2
    echo_ngram: NonNegativeInt = 0

    def generation(self) -> dict:
        """These options alone, without those of a subclass."""
        return {name: getattr(self, name) for name in GENERATION}

    def rules(self, ends: frozenset[int], line: bool = False, min_new_tokens: int = 1) -> WritingRules:
        return WritingRules(
            ends=ends,
            max_new_tokens=self.max_new_tokens,
            min_new_tokens=min_new_tokens,
            temperature=0.0 if self.inference == "greedy" else self.temperature,
            top_p=self.topp,
            top_k=self.topk,
            echo=self.echo_ngram,
            line=line,
            enough=functools.partial(enough_sentences, most=self.max_sentences),
            marks=self.max_sentences,
        )


GENERATION = tuple(own.name for own in fields(GenerationOptions))
"""Options that all of these agents have."""
