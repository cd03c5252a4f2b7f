"""How likely a causal language model takes each of a few labels to come next, for prompts that begin alike.

What prompts have in common is read once, its keys and values serve all of them. Probabilities are those of the labels
alone: the model can answer nothing else (constrained decoding of one token).
"""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedTokenizerBase

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.causal_lm import LanguageModel
from parlai_spotbot.models.chat.message_text import without
from parlai_spotbot.models.kv_cache import common
from parlai_spotbot.models.probe import plain_shape
from parlai_spotbot.models.prompt_layout import PlainLayout, layout
from parlai_spotbot.models.remembered_turn import RememberedTurn

SPEAKERS = ("Question", "Answer")
"""Who speaks in a prompt for a model without a chat template."""

TAG = ("<", "[")

MOST_STARTS = 4
"""So many beginnings are kept: one for each system text that is in use."""


@dataclass(frozen=True)
class LabelProbabilities:
    """The probabilities of the labels, which add up to 1; `mass` is what they have together among all tokens.

    `tokens` is the prompt's length. `probabilities` is empty where the prompt is longer than the model's context.
    """

    probabilities: tuple[float, ...]
    mass: float
    tokens: int


def special_tokens(tokenizer: PreTrainedTokenizerBase) -> re.Pattern:
    """Finds, as `SPECIAL_TOKEN` does, every token of `tokenizer` that is no text, or was added and looks like a tag."""
    added = [t.content for t in tokenizer.added_tokens_decoder.values() if t.special or t.content.startswith(TAG)]
    found = sorted({token.strip() for token in (*added, *tokenizer.all_special_tokens)}, key=len, reverse=True)
    either = "|".join(re.escape(token) for token in found if len(token) > 1)
    return re.compile(f"(?=({either}))(?s:.)" if either else "(?!)")


class LabelScorer:
    """A language model that is asked for labels. Every label must be one token of the model; checked when asked."""

    def __init__(self, model: LanguageModel):
        self.about, self.context = model.about, model.context
        self.model, self.tokenizer, self.ends = model.model, model.tokenizer, model.ends()
        self.layout = layout(model.tokenizer, "auto", SPEAKERS, model.name)
        self.name = model.name
        self.special = special_tokens(model.tokenizer)
        with torch.inference_mode():
            self._keeps = plain_shape(model.model)[0] is not None
        accepted = inspect.signature(model.model.forward).parameters
        self._few = "logits_to_keep" in accepted
        self._starts: dict[str, tuple[list[int], DynamicCache]] = {}
        self._labels: dict[str, int] = {}

    # -- labels --------------------------------------------------------------------------------------------------------
    @torch.inference_mode()
    def score(self, system: str, texts: Sequence[str], labels: Sequence[Sequence[str]]) -> list[LabelProbabilities]:
        """How likely each label is to follow its text, a list of labels for every text.

        Call it with the texts that share most of their beginning.
        """
        rows = [self._tokens(system, text) for text in texts]
        fitting = [i for i, row in enumerate(rows) if len(row) < self.context]
        found = [LabelProbabilities((), 0.0, len(row)) for row in rows]
        if not fitting:
            return found
        logits = self._last([rows[i] for i in fitting], system)
        chances = torch.log_softmax(logits.double(), dim=-1)
        for place, i in enumerate(fitting):
            own = chances[place, [self._label(label) for label in labels[i]]]
            share = torch.softmax(own, dim=-1)
            found[i] = LabelProbabilities(tuple(share.tolist()), float(own.exp().sum()), len(rows[i]))
        return found

    def _label(self, label: str) -> int:
        if label not in self._labels:
            for text in (label, f" {label}")[:: -1 if isinstance(self.layout, PlainLayout) else 1]:
                ids = self.tokenizer(text, add_special_tokens=False)["input_ids"]
                # Some tokenizers put a token for the space before any text.
                shown = [i for i in ids if self.tokenizer.decode([i]).strip()]
                if len(shown) == 1:
                    self._labels[label] = shown[0]
                    break
            else:
                raise UserError(
                    f"model {self.name}: its tokenizer has no single token for the label {label!r}.",
                    "Choose another model, or serve this one and name its server.",
                )
        return self._labels[label]

    # -- texts ---------------------------------------------------------------------------------------------------------
    @torch.inference_mode()
    def write(self, system: str, text: str, most: int) -> tuple[str, int, int]:
        """The likeliest continuation, of at most `most` tokens: its text, the prompt's tokens, and its own."""
        row = self._tokens(system, text)
        if len(row) + most > self.context:
            return "", len(row), 0
        ids = torch.tensor([row], device=self.model.device)
        ends = sorted(self.ends | self.layout.ends())
        words = {"do_sample": False, "num_beams": 1, "max_new_tokens": most, "eos_token_id": ends or None}
        whole = self.model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), pad_token_id=0, **words)
        written = whole[0, len(row) :].tolist()
        said = self.tokenizer.decode(written, skip_special_tokens=True)
        return " ".join(said.split()), len(row), len(written)

    # -- reading -------------------------------------------------------------------------------------------------------
    def _tokens(self, system: str, text: str) -> list[int]:
        # What others said must not hold a token that controls this very model.
        (row,) = self.layout.tokens([(system, [RememberedTurn(without(self.special, text), False)])])
        return row

    def _last(self, rows: list[list[int]], system: str) -> torch.Tensor:
        """The scores (rows, vocabulary) of what follows each row."""
        if not self._keeps:
            return torch.cat([self._forward(torch.tensor([row]), None, [len(row) - 1])[:, -1] for row in rows])
        tokens, cache = self._start(system)
        known = common(tokens, rows[0]) if tokens else 0
        shared = min([common(rows[0], row) for row in rows] + [len(row) - 1 for row in rows])
        cache = copy.deepcopy(cache) if known == len(tokens) and known <= shared else DynamicCache()
        known = cache.get_seq_length()
        if shared > known:
            self._forward(torch.tensor([rows[0][known:shared]]), cache, [shared - known - 1])
        if len(rows) > 1 and shared:
            cache.batch_repeat_interleave(len(rows))
        lengths = [len(row) - shared for row in rows]
        ids = np.zeros((len(rows), max(lengths)), dtype=np.int64)  # what pads stands behind, where nothing looks
        for place, row in enumerate(rows):
            ids[place, : lengths[place]] = row[shared:]
        keep = sorted({length - 1 for length in lengths})
        logits = self._forward(torch.from_numpy(ids), cache, keep)
        return torch.stack([logits[place, keep.index(length - 1)] for place, length in enumerate(lengths)])

    def _start(self, system: str) -> tuple[list[int], DynamicCache]:
        """The tokens with which every prompt with this system text begins, and what the model made of them."""
        if system not in self._starts:
            one, two = self._tokens(system, "1"), self._tokens(system, "The")
            tokens = one[: max(0, min(common(one, two), len(one) - 1, self.context - 1))]
            cache = DynamicCache()
            if tokens:
                self._forward(torch.tensor([tokens]), cache, [len(tokens) - 1])
            while len(self._starts) >= MOST_STARTS:
                self._starts.pop(next(iter(self._starts)))
            self._starts[system] = (tokens, cache)
        return self._starts[system]

    def _forward(self, ids: torch.Tensor, cache: DynamicCache | None, keep: list[int]) -> torch.Tensor:
        """The scores (rows, len(keep), vocabulary) after the columns `keep` of `ids`."""
        few = {"logits_to_keep": torch.tensor(keep, device=self.model.device)} if self._few else {}
        words = {} if cache is None else {"past_key_values": cache}
        ids = ids.to(self.model.device)
        logits = self.model(input_ids=ids, use_cache=cache is not None, **words, **few).logits
        return logits if few else logits[:, keep]
