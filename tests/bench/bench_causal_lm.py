"""The writer behind `causal_lm` and `smollm2` against a plain Hugging Face loop, on SmolLM2-135M and two cores.

All write turns of the same number of tokens after the same prompts, greedily. The plain loop is `model.generate`, one
conversation at a time, the prompt read again each turn. They take turns at the clock, so that what else runs on the
machine slows all alike. What bounds ours is the processor's rate of multiplying, measured beside.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch
from run import Row

from parlai_spotbot.models.choosing import Vocabulary, WritingRules
from parlai_spotbot.models.generation import BatchLimits, GenerationRequest, TurnWriter
from parlai_spotbot.models.linear import PackedLinear
from parlai_spotbot.models.prompt_layout import ChatLayout
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.models.smollm2 import load_smollm2

CONVERSATIONS = 45
TURNS = 3
TOKENS = 20
SYSTEM = "You are Sam, chatting with a stranger. You work in a shop and like music, films and dogs. Answer briefly."
HEARD = (
    "hey, how are you doing today? Do you have any plans for the weekend?",
    "I just got back from work, quite tired to be honest.",
    "That sounds like fun! Do you have any pets?",
    "I mainly listen to rock and some hip hop. What about you?",
    "Yeah I love making pasta, but my wife is better at it than I am.",
)


def talk(layout: ChatLayout, answer: Callable[[list[list[int]], int], list[str]], conversations: int) -> float:
    """The seconds that `conversations` take; ``answer(prompts, turn)`` gives their texts."""
    said: list[list[RememberedTurn]] = [[] for _ in range(conversations)]
    start = time.perf_counter()
    for turn in range(TURNS):
        for i, turns in enumerate(said):
            turns.append(RememberedTurn(f"{HEARD[(turn + i) % len(HEARD)]} {i}", False))
        texts = answer(layout.tokens([(SYSTEM, turns) for turns in said]), turn)
        for turns, text in zip(said, texts, strict=True):
            turns.append(RememberedTurn(text, True))
    return time.perf_counter() - start


def ours(model, vocabulary: Vocabulary, layout: ChatLayout, batchsize: int, cache: int) -> tuple[Callable, TurnWriter]:
    writer = TurnWriter(model, vocabulary, BatchLimits(cache_bytes=cache))
    rules = WritingRules(frozenset(), max_new_tokens=TOKENS)

    def answer(prompts: list[list[int]], turn: int) -> list[str]:
        texts = []
        for start in range(0, len(prompts), batchsize):
            part = enumerate(prompts[start : start + batchsize], start)
            texts += [a.text for a in writer.write([GenerationRequest(tokens, str(i)) for i, tokens in part], rules)]
        return texts

    return answer, writer


def plain_loop(model, tokenizer) -> Callable:
    @torch.inference_mode()
    def answer(prompts: list[list[int]], turn: int) -> list[str]:
        texts = []
        for tokens in prompts:
            ids = torch.tensor([tokens])
            words = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False, "pad_token_id": 0}
            written = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **words)
            texts.append(tokenizer.decode(written[0, len(tokens) :], skip_special_tokens=True))
        return texts

    return answer


def multiplications(dtype: torch.dtype) -> float:
    """The processor's rate in GFLOP/s, from products of a large layer."""
    a, b = torch.randn(1024, 1536).to(dtype), torch.randn(1536, 1536).to(dtype)
    spent = []
    for _ in range(10):
        start = time.perf_counter()
        torch.nn.functional.linear(a, b)
        spent.append(time.perf_counter() - start)
    return 2 * a.numel() * len(b) / min(spent) / 1e9


def run() -> Iterator[Row]:
    print(f"{torch.get_num_threads()} threads; turns of {TOKENS} tokens, {TURNS} turns of ours in a conversation")
    for dtype in ("fp32", "bf16"):
        plain_model, tokenizer = load_smollm2(dtype)
        model, _ = load_smollm2(dtype)
        layout, vocabulary = ChatLayout(tokenizer, "smollm2"), Vocabulary(tokenizer)
        ways = {
            "batched, cache": (*ours(model, vocabulary, layout, CONVERSATIONS, 4 << 30), CONVERSATIONS),
            "batched, no cache": (*ours(model, vocabulary, layout, CONVERSATIONS, 0), CONVERSATIONS),
            "one by one, cache": (*ours(model, vocabulary, layout, 1, 4 << 30), 1),
            "plain": (plain_loop(plain_model, tokenizer), None, 1),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(2):
            for name, (answer, writer, conversations) in ways.items():
                if name == "batched, no cache" and seconds[name]:
                    continue  # it takes longest
                if writer:
                    writer.store.clear()
                seconds[name].append(talk(layout, answer, conversations) / conversations)
        each = {name: min(spent) for name, spent in seconds.items()}
        for name in ("batched, cache", "batched, no cache", "one by one, cache"):
            rates = [TURNS * TOKENS / each[key] for key in (name, "plain")]
            yield Row(f"{dtype}: {name}", *rates, "Hugging Face loop", "tokens/s")
        yield Row(
            f"{dtype}: batched, cache",
            TURNS / each["batched, cache"],
            TURNS / each["plain"],
            "Hugging Face loop",
            "turns/s",
        )
        yield bound(dtype, ways["batched, cache"][1], each["batched, cache"])


def bound(dtype: str, writer: TurnWriter, seconds: float) -> Row:
    """How fast ours multiplies, against the processor's rate; the output layer counts for what is written only."""
    layers = [m for m in writer.model.model.modules() if isinstance(m, (PackedLinear, torch.nn.Linear))]
    inner = sum(layer.in_features * layer.out_features for layer in layers)
    head = writer.vocabulary.size * writer.model.config.hidden_size
    runs = 2 * CONVERSATIONS  # two runs of all conversations
    work = 2 * (inner * (writer.count.read + writer.count.written) + head * writer.count.written) / runs
    rate = multiplications(torch.float32 if dtype == "fp32" else torch.bfloat16)
    return Row(f"{dtype}: multiplying", work / seconds / 1e9, rate, "one large product", "GFLOP/s")
