"""SmolLM2-135M-Instruct as a ParlAI agent: a small language model that chats, batched over conversations.

Each turn continues the model's own chat template. Its chances come from one generator a conversation, so a text doesn't
depend on what else is in the batch (in fp32; in bf16 rounding depends on the batch's shape).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from parlai.core.opt import Opt
from parlai.core.params import ParlaiParser
from transformers import (
    LogitsProcessor,
    LogitsProcessorList,
    PreTrainedTokenizerBase,
    StoppingCriteria,
    StoppingCriteriaList,
)

from parlai_spotbot.agents.dialogue import SENTENCE_END, BatchedDialogueAgent, Dialogue, whole_sentences
from parlai_spotbot.errors import UserError
from parlai_spotbot.models.smollm2 import load_smollm2

PROMPT = (
    "You are Sam, chatting with a stranger. You work in a shop and like music, films and dogs. "
    "Answer briefly and casually, and often ask something back."
)

NUCLEUS_LIMIT = 200
"""No more of the likeliest tokens are ever drawn from; sorting all 49,152 would take longer than it changes."""


class EnoughSentences(StoppingCriteria):
    """Ends a row once it has `most` sentences and goes on to the next, which would be cut off anyway."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, prompt_length: int, most: int):
        self.tokenizer = tokenizer
        self.start = prompt_length
        self.most = most

    def __call__(self, input_ids: torch.LongTensor, scores: object, **kwargs: object) -> torch.BoolTensor:
        texts = self.tokenizer.batch_decode(input_ids[:, self.start :])
        whole = [sum(match.end() < len(text) for match in SENTENCE_END.finditer(text)) for text in texts]
        return torch.tensor([ends >= self.most for ends in whole], device=input_ids.device)


class ConversationChances(LogitsProcessor):
    """Turns the choice of the likeliest token into a draw, each row with a generator of its own.

    To the log-probabilities, tempered and cut to the nucleus `top_p` (Holtzman et al., 2020), Gumbel noise is added:
    the largest sum is distributed as a draw from them (Gumbel, 1954). Greedy search with this is sampling.
    """

    def __init__(self, seeds: Sequence[int], temperature: float, top_p: float):
        self.generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.temperature = temperature
        self.top_p = top_p

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        logp = torch.log_softmax(scores.float() / self.temperature, dim=-1)
        ordered, tokens = logp.topk(NUCLEUS_LIMIT, dim=-1)
        before = ordered.exp().cumsum(-1) - ordered.exp()
        ordered = ordered.masked_fill(before >= self.top_p, float("-inf"))
        uniform = torch.stack([torch.rand(logp.shape[-1], generator=g) for g in self.generators])
        noise = -torch.log(-torch.log(uniform.clamp(1e-20, 1 - 1e-7)))
        return torch.full_like(logp, float("-inf")).scatter(-1, tokens, ordered + noise.gather(-1, tokens))


class NoEcho(LogitsProcessor):
    """Forbids `size` tokens in a row that stand in the conversation already, whoever said them.

    Small models fall into loops: they say what was said. Padding and the prompt don't count.
    """

    def __init__(self, said: Sequence[list[list[int]]], prompt_length: int, size: int):
        self.start = prompt_length
        self.size = size
        self.next: list[dict[tuple[int, ...], set[int]]] = [{} for _ in said]
        for known, turns in zip(self.next, said, strict=True):
            for turn in turns:
                for i in range(len(turn) - size + 1):
                    known.setdefault(tuple(turn[i : i + size - 1]), set()).add(turn[i + size - 1])

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        scores = scores.clone()
        for row, known in enumerate(self.next):
            written = input_ids[row, self.start :].tolist()
            tail = tuple(written[len(written) - self.size + 1 :]) if len(written) >= self.size - 1 else None
            banned = set(known.get(tail, ()))
            for i in range(len(written) - self.size + 1):
                if tuple(written[i : i + self.size - 1]) == tail:
                    banned.add(written[i + self.size - 1])
            scores[row, sorted(banned)] = float("-inf")
        return scores


class Smollm2Agent(BatchedDialogueAgent):
    """SmolLM2-135M-Instruct from its wheel, on the CPU."""

    NAME = "smollm2"

    @classmethod
    def add_cmdline_args(cls, parser: ParlaiParser, partial_opt: Opt | None = None) -> ParlaiParser:
        super().add_cmdline_args(parser, partial_opt)
        group = parser.add_argument_group("smollm2 generation")
        group.add_argument("--smollm2-dtype", default="fp32", choices=["fp32", "bf16"], help="precision of the weights")
        group.add_argument("--smollm2-prompt", default=PROMPT, help="what the model is told about itself")
        group.add_argument("--smollm2-turns", type=int, default=6, help="how many of the last turns it remembers")
        group.add_argument("--inference", default="sample", choices=["greedy", "sample"], help="how tokens are chosen")
        group.add_argument("--temperature", type=float, default=0.7, help="with --inference sample; lower is safer")
        group.add_argument("--topp", type=float, default=0.9, help="with --inference sample: the nucleus to draw from")
        group.add_argument("--max-new-tokens", type=int, default=36, help="the longest turn, before it is cut")
        group.add_argument("--max-sentences", type=int, default=2, help="the most sentences of a turn")
        group.add_argument("--echo-ngram", type=int, default=4, help="so many tokens are never said again; 0: they may")
        return parser

    def __init__(self, opt: Opt, shared: dict | None = None):
        super().__init__(opt, shared)
        self._prompt = opt.get("smollm2_prompt") or PROMPT
        self._turns_kept = _at_least(1, opt, "smollm2_turns", 6)
        self._inference = _one_of(("greedy", "sample"), opt, "inference", "sample")
        self._temperature = _at_least(0.01, opt, "temperature", 0.7)
        self._top_p = _at_least(0.01, opt, "topp", 0.9)
        self._max_new_tokens = _at_least(1, opt, "max_new_tokens", 36)
        self._sentences = _at_least(1, opt, "max_sentences", 2)
        self._echo = _at_least(0, opt, "echo_ngram", 4)
        dtype = _one_of(("fp32", "bf16"), opt, "smollm2_dtype", "fp32")
        self._model, self._tokenizer = shared["model"] if shared else load_smollm2(dtype)

    def share(self) -> dict:
        return {**super().share(), "model": (self._model, self._tokenizer)}

    def _chat(self, dialogue: Dialogue) -> str:
        system = f"{self._prompt}\n{dialogue.context}".strip()
        turns = dialogue.turns[-self._turns_kept :]
        messages = [{"role": "assistant" if t.mine else "user", "content": t.text} for t in turns]
        chat = [{"role": "system", "content": system}, *messages]
        return self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)

    def _processors(self, dialogues: Sequence[Dialogue], prompt_length: int) -> LogitsProcessorList:
        processors = LogitsProcessorList()
        if self._echo:
            # A word within a sentence begins with a space, which is part of its first token.
            said = [
                [self._tokenizer(before + t.text)["input_ids"] for t in d.turns for before in ("", " ")]
                for d in dialogues
            ]
            processors.append(NoEcho(said, prompt_length, self._echo))
        if self._inference == "sample":
            seeds = [dialogue.chance() for dialogue in dialogues]
            processors.append(ConversationChances(seeds, self._temperature, self._top_p))
        return processors

    @torch.inference_mode()
    def answers(self, dialogues: Sequence[Dialogue]) -> list[str]:
        chats = [self._chat(dialogue) for dialogue in dialogues]
        batch = self._tokenizer(chats, padding=True, return_tensors="pt")
        start = batch["input_ids"].shape[1]
        end = self._tokenizer.eos_token_id
        written = self._model.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            do_sample=False,
            min_new_tokens=2,
            max_new_tokens=self._max_new_tokens,
            logits_processor=self._processors(dialogues, start),
            stopping_criteria=StoppingCriteriaList([EnoughSentences(self._tokenizer, start, self._sentences)]),
            eos_token_id=end,
            pad_token_id=end,
        )[:, start:]
        texts = self._tokenizer.batch_decode(written, skip_special_tokens=True)
        return [
            whole_sentences(text, end in row, self._sentences)
            for text, row in zip(texts, written.tolist(), strict=True)
        ]


def _at_least(low: float, opt: Opt, name: str, default: float) -> float:
    value = default if opt.get(name) is None else opt[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < low:
        raise UserError(f"smollm2: option '{name}' is {value!r}, expected a number from {low} up.", "Correct it.")
    return value


def _one_of(known: tuple[str, ...], opt: Opt, name: str, default: str) -> str:
    value = opt.get(name) or default
    if value not in known:
        raise UserError(f"smollm2: option '{name}' is {value!r}, expected {' or '.join(known)}.", "Correct it.")
    return value
