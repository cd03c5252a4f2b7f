"""The writer behind `causal_lm` and `smollm2` against a plain Hugging Face loop, on SmolLM2-135M and two cores.

All write turns of the same number of tokens after the same prompts, greedily. The plain loop is `model.generate`, one
conversation at a time, the prompt read again each turn. They take turns at the clock, so that what else runs on the
machine slows all alike.
"""

import time
from collections.abc import Callable, Iterator

import torch

from parlai_spotbot.models.choosing import Vocabulary, WritingRules
from parlai_spotbot.models.generation import BatchLimits, GenerationRequest, TurnWriter
from parlai_spotbot.models.prompt_layout import ChatLayout
from parlai_spotbot.models.remembered_turn import RememberedTurn
from parlai_spotbot.models.smollm2 import load_smollm2
from tests.bench.run import Row

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


def run() -> Iterator[Row]:
    print(f"{torch.get_num_threads()} threads; turns of {TOKENS} tokens, {TURNS} turns of ours in a conversation")
    for dtype in ("fp32", "bf16"):
        plain_model, tokenizer = load_smollm2(dtype)
        model, _ = load_smollm2(dtype)
        layout, vocabulary = ChatLayout(tokenizer, "smollm2"), Vocabulary(tokenizer)
        ways = {
            "batched, cache": (*ours(model, vocabulary, layout, CONVERSATIONS, 4 << 30), CONVERSATIONS),
            "plain": (plain_loop(plain_model, tokenizer), None, 1),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(2):
            for name, (answer, writer, conversations) in ways.items():
                if writer:
                    writer.store.clear()
                seconds[name].append(talk(layout, answer, conversations) / conversations)
        each = {name: min(spent) for name, spent in seconds.items()}
        rates = [TURNS * TOKENS / each[name] for name in ("batched, cache", "plain")]
        yield Row(f"{dtype}: batched, cache", *rates, "Hugging Face loop", "tokens/s")
