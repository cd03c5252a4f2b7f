"""What our agents on language models share: how a conversation becomes a request, how a turn is cut, and the options.

What such an agent says follows from its options, the conversation so far and that conversation's seed; not from the
batch that it is answered in (in fp32; in bf16 rounding depends on the batch), nor on what was played before.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from transformers import PreTrainedModel

from parlai_spotbot.agents.dialogue import SENTENCE_END, BatchedDialogueAgent, Dialogue, whole_sentences
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.choosing import WritingRules
from parlai_spotbot.models.generation import GenerationRequest, TurnWriter
from parlai_spotbot.models.prompt_layout import PromptLayout, fitting
from parlai_spotbot.models.remembered_turn import RememberedTurn


@dataclass(frozen=True)
class LoadedLanguageModel:
    """A language model, and how turns are asked of it.

    ``given`` is what `generation_options` returned, `room` the tokens that a prompt may have, `turns` how many of the
    last turns it has (0: all that fit), `about` what provenance keeps of the model.
    """

    writer: TurnWriter
    layout: PromptLayout
    rules: WritingRules
    given: dict
    system: str
    room: int
    turns: int
    about: dict


class LanguageModelAgent(BatchedDialogueAgent):
    """Answers by a `LoadedLanguageModel`. A subclass sets `_loaded`, or leaves that to `shared`."""

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        if shared:
            self._loaded: LoadedLanguageModel = shared["language_model"]

    def share(self) -> dict:
        return {**super().share(), "language_model": self._loaded}

    def provenance(self) -> dict:
        """What a study keeps of this contestant: the exact model, and every word that it is told beforehand."""
        told = {"generation": self._loaded.given, "system_prompt": self._loaded.system}
        return {**self._loaded.about, **told, **({"rehearses": True} if self._rehearses else {})}

    @property
    def _rehearses(self) -> bool:
        """Whether what was kept of earlier turns rounds otherwise than what is read anew: in less than fp32."""
        writer = self._loaded.writer
        return writer.dtype.itemsize < 4 and not writer.plain and writer.store.limit > 0

    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        written = self._loaded.writer.write([self._request(dialogue) for dialogue in dialogues], self._loaded.rules)
        return [whole_sentences(a.text, a.finished, self._loaded.given["max_sentences"]) for a in written]

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
        said = said_tokens(self._loaded.layout, dialogue.turns) if self._loaded.rules.echo else ()
        return GenerationRequest(tokens, str(dialogue.play), dialogue.chance(), said)

    def _forget(self) -> None:
        if loaded := getattr(self, "_loaded", None):
            loaded.writer.store.drop(str(self._play))
        super()._forget()


def said_tokens(layout: PromptLayout, turns: Sequence[RememberedTurn]) -> list[list[int]]:
    """The tokens of every turn, as they are at the beginning of a text, and within one after a space."""
    texts = [before + turn.text for turn in turns for before in ("", " ")]
    return layout.tokenizer(texts, add_special_tokens=False)["input_ids"] if texts else []


def enough_sentences(text: str, most: int) -> bool:
    """Whether `text` has `most` sentences and goes on to the next, which would be cut off anyway."""
    return sum(match.end() < len(text) for match in SENTENCE_END.finditer(text)) >= most


def rules(given: dict, ends: frozenset[int], line: bool = False, min_new_tokens: int = 1) -> WritingRules:
    """How turns are written, from what `generation_options` returned."""
    return WritingRules(
        ends=ends,
        max_new_tokens=given["max_new_tokens"],
        min_new_tokens=min_new_tokens,
        temperature=0.0 if given["inference"] == "greedy" else given["temperature"],
        top_p=given["topp"],
        top_k=given["topk"],
        echo=given["echo_ngram"],
        line=line,
        enough=functools.partial(enough_sentences, most=given["max_sentences"]),
        marks=given["max_sentences"],
    )


def add_generation_args(parser: ParlaiParser, tokens: int = 48, echo: int = 0) -> None:
    """The options of how a turn is written, named as in ParlAI's own generators, with the agent's own defaults."""
    group = parser.add_argument_group("generation")
    group.add_argument("--inference", default="sample", choices=["greedy", "sample"], help="how tokens are chosen")
    group.add_argument("--temperature", type=float, default=0.7, help="with --inference sample; lower is safer")
    group.add_argument("--topp", type=float, default=0.9, help="with --inference sample: the nucleus to draw from")
    group.add_argument("--topk", type=int, default=200, help="with --inference sample: of so many tokens; 0: of all")
    group.add_argument("--max-new-tokens", type=int, default=tokens, help="the longest turn, before it is cut")
    group.add_argument("--max-sentences", type=int, default=2, help="the most sentences of a turn")
    group.add_argument("--echo-ngram", type=int, default=echo, help="so many tokens are never said again; 0: they may")


def generation_options(opt: Opt, agent: str, tokens: int = 48, echo: int = 0) -> dict:
    """The options of `add_generation_args`, checked; `tokens` and `echo` are the agent's own defaults."""
    return {
        "inference": one_of(("greedy", "sample"), opt, "inference", "sample", agent),
        "temperature": number(opt, "temperature", 0.7, 0.01, agent),
        "topp": number(opt, "topp", 0.9, 0.01, agent),
        "topk": number(opt, "topk", 200, 0, agent),
        "max_new_tokens": number(opt, "max_new_tokens", tokens, 1, agent),
        "max_sentences": number(opt, "max_sentences", 2, 1, agent),
        "echo_ngram": number(opt, "echo_ngram", echo, 0, agent),
    }


def number(opt: Opt, name: str, default: float, low: float, agent: str) -> float:
    """Option `name`, a number of the default's kind from `low` up."""
    value = default if opt.get(name) is None else opt[name]
    kinds = (int,) if isinstance(default, int) else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or value < low:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UserError(f"{agent}: option '{name}' is {value!r}, expected {kind} from {low} up.", "Correct it.")
    return value


def one_of(known: Sequence[str], opt: Opt, name: str, default: str, agent: str) -> str:
    """Option `name`, one of those `known`."""
    value = opt.get(name) or default
    if value not in known:
        raise UserError(f"{agent}: option '{name}' is {value!r}, expected {' or '.join(known)}.", "Correct it.")
    return value
