"""Log-likelihood of each candidate as the next turn, its end included, in nats.

Each context is read once: its keys and values (or encoder states) serve all candidates. Candidates are read in an order
that follows from their texts, so the order in which they are given changes nothing.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from parlai.core.torch_generator_agent import TorchGeneratorAgent
from torch.nn.functional import cross_entropy
from transformers import DynamicCache

from parlai_spotbot.agents.dialogue import Dialogue
from parlai_spotbot.agents.language import LanguageModelAgent
from parlai_spotbot.models.probe import plain_shape
from parlai_spotbot.models.prompt_layout import ChatLayout, EosLayout, PlainLayout, PromptLayout
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.surveys.nuc_questions import NucQuestion

TOKENS = 1024
"""Tokens of candidates that are read at once; their scores over the vocabulary take the memory."""

ROWS = 64
"""Candidates that are read at once; each has the states of its context."""

PADDING = -100
"""What stands for no token where `cross_entropy` is asked."""

Context = tuple[NucQuestion | None, Sequence[str]]
"""A question whose context is read, or None for no context, and the texts whose likelihood after it is wanted."""

SILENCE = "__SILENCE__"
"""The message that ParlAI's agents get in place of a first turn."""


class CausalLikelihood:
    """Our agents on language models (smollm2, causal_lm), with the prompt that they write from."""

    def __init__(self, agent: LanguageModelAgent):
        self.agent = agent
        self.model, self.layout = agent.language_model
        with torch.inference_mode():
            self._keeps = plain_shape(self.model)[0] is not None

    def prompt(self, question: NucQuestion | None) -> list[int]:
        """The tokens before the next turn."""
        if question is None:
            return self.agent.prompt(Dialogue())
        answering = question.speakers[-1]
        turns = zip(question.context, question.speakers[:-1], strict=True)
        return self.agent.prompt(
            Dialogue(turns=tuple(RememberedTurn(text, speaker == answering) for text, speaker in turns))
        )

    @torch.inference_mode()
    def log_likelihood(self, question: NucQuestion | None, texts: Sequence[str]) -> np.ndarray:
        """Return log p (len(texts),) of each text as the next turn after the context; of None, after nothing."""
        prompt = self.prompt(question)
        room = max(2, self._context - len(prompt))
        rows = [row[:room] for row in turn_tokens(self.layout, texts)]
        empty = np.empty(len(texts))
        after = partial(self._whole, prompt)
        if self._keeps:
            after = partial(self._after, self._read(prompt))
        for part in parts(rows, texts):
            empty[part] = after([rows[i] for i in part])
        return empty

    @property
    def _context(self) -> int:
        from parlai_spotbot.models.causal_lm import context_of

        return context_of(self.model)

    def _ids(self, rows: list[list[int]]) -> torch.Tensor:
        return torch.tensor(rows, device=self.model.device)

    def _read(self, prompt: list[int]) -> tuple[DynamicCache, torch.Tensor]:
        """The keys and values of the prompt, and the scores (1, vocabulary) of the next token."""
        cache = DynamicCache()
        output = self.model(input_ids=self._ids([prompt]), past_key_values=cache, use_cache=True)
        return cache, output.logits[:, -1:]

    def _after(self, state: tuple[DynamicCache, torch.Tensor], rows: list[list[int]]) -> np.ndarray:
        cache = copy.deepcopy(state[0])
        first = state[1].expand(len(rows), -1, -1)
        width = max(map(len, rows))
        ids = torch.full((len(rows), width), PADDING, device=self.model.device)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = self._ids(row)
        logits = first
        if width > 1:
            cache.batch_repeat_interleave(len(rows))
            before = ids[:, :-1].clamp(min=0)  # what pads is behind, where nothing looks
            after = self.model(input_ids=before, past_key_values=cache, use_cache=True).logits
            logits = torch.cat([first, after], dim=1)
        return _sums(logits, ids)

    def _whole(self, prompt: list[int], rows: list[list[int]]) -> np.ndarray:
        """One by one with the prompt read again, for models whose memory is of another kind."""
        sums = []
        for row in rows:
            logits = self.model(input_ids=self._ids([prompt + row]), use_cache=False).logits[:, len(prompt) - 1 : -1]
            sums.append(_sums(logits, self._ids([row]))[0])
        return np.array(sums)


def _sums(logits: torch.Tensor, ids: torch.Tensor) -> np.ndarray:
    """Return the sums (rows,) of log p of `ids` (rows, width) but `PADDING`, from scores before each."""
    losses = cross_entropy(logits.float().flatten(0, 1), ids.flatten(), reduction="none", ignore_index=PADDING)
    return -losses.double().view(ids.shape).sum(1).cpu().numpy()


def parts(rows: Sequence[Sequence[int]], texts: Sequence[Any]) -> Iterator[list[int]]:
    """Places of rows to be read together, up to `TOKENS` tokens: those of like length, then by text."""
    part: list[int] = []
    for place in sorted(range(len(rows)), key=lambda i: (len(rows[i]), texts[i])):
        if part and (len(part) == ROWS or (len(part) + 1) * len(rows[place]) > TOKENS):
            yield part
            part = []
        part.append(place)
    if part:
        yield part


def turn_tokens(layout: PromptLayout, texts: Sequence[str]) -> list[list[int]]:
    """The tokens of each text as a turn of the model's own, with what ends it."""
    tokenizer = layout.tokenizer
    if isinstance(layout, PlainLayout):
        return [_behind(tokenizer, f"{layout.own}:", f" {' '.join(text.split())}\n") for text in texts]
    if isinstance(layout, EosLayout):
        return [[*_behind(tokenizer, "", text), tokenizer.eos_token_id] for text in texts]
    end = end_of_turn(layout)
    return [_behind(tokenizer, "\n", text) + end for text in texts]


def end_of_turn(layout: ChatLayout) -> list[int]:
    """The token that the chat template puts behind a turn of the model; none where it puts none."""
    from parlai_spotbot.models.prompt_layout import MARK

    messages = layout.messages("", [RememberedTurn("b", False), RememberedTurn(MARK, True)])
    whole = layout.tokenizer.apply_chat_template(messages, tokenize=False, enable_thinking=False)
    behind = layout.tokenizer(whole.rpartition(MARK)[2], add_special_tokens=False)["input_ids"]
    ends = layout.ends()
    return next(([token] for token in behind[:2] if token in ends), [])


def _behind(tokenizer: Any, before: str, text: str) -> list[int]:
    """The tokens of `text` where it is behind `before`."""
    first, whole = tokenizer([before or " ", before + text], add_special_tokens=False)["input_ids"]
    if before and whole[: len(first)] == first and len(whole) > len(first):
        return whole[len(first) :]
    return tokenizer(text, add_special_tokens=False)["input_ids"]


class GeneratorLikelihood:
    """ParlAI's generators (TorchGeneratorAgent). Words unknown to the dictionary count as the one unknown word.

    Contexts are read together, unless that changes what `probes` get, as with models that take no padding.
    """

    def __init__(self, agent: TorchGeneratorAgent, observe: Callable[[NucQuestion], Any], probes: Sequence[Context]):
        self.agent = agent
        self._observe = observe
        agent.model.eval()
        self._together = False
        alone = list(self(probes))
        try:
            self._together = np.allclose(alone, self._read(probes), rtol=1e-4)
        except Exception:
            return

    def __call__(self, contexts: Sequence[Context]) -> Iterator[np.ndarray]:
        """Yield log p (len(texts),) of the texts of each context as the next turn."""
        groups = [[context] for context in contexts]
        if self._together:
            groups = [contexts]
        for group in groups:
            yield from self._read(group)

    @torch.inference_mode()
    def _read(self, contexts: Sequence[Context]) -> list[np.ndarray]:
        agent = self.agent
        batch = agent.batchify([self._observe(question).observation for question, _ in contexts])
        states = agent.model.encoder(*agent._encoder_input(batch))
        rows = torch.as_tensor(batch.valid_indices).argsort().tolist()  # some agents sort what they get
        text_rows = [(text, row) for (_, texts), row in zip(contexts, rows, strict=True) for text in texts]
        words = {"add_start": False, "add_end": True, "truncate": agent.label_truncate, "truncate_left": False}
        texts = {text for text, _ in text_rows}
        tokens = {text: agent._vectorize_text(text, **words) for text in texts}
        sums = np.empty(len(text_rows))
        for part in parts([tokens[text] for text, _ in text_rows], text_rows):
            labels = [tokens[text_rows[i][0]] for i in part]
            marks = [torch.full_like(label, agent.NULL_IDX + 1) for label in labels]  # a text may hold what pads
            ids, marked = (
                agent._pad_tensor(token_rows, is_label=True)[0].to(batch.text_vec.device)
                for token_rows in (labels, marks)
            )
            chosen = torch.tensor([text_rows[i][1] for i in part], device=ids.device)
            logits, _ = agent.model.decode_forced(agent.model.reorder_encoder_states(states, chosen), ids)
            sums[part] = _sums(logits[:, -ids.shape[1] :], ids.masked_fill(marked == agent.NULL_IDX, PADDING))
        return np.split(sums, np.cumsum([len(texts) for _, texts in contexts[:-1]]))
