"""What bounds SmolLM2 in self-play: reading prompts gains nothing from batching, writing tokens does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch
from run import Row

from parlai_spotbot.models.smollm2 import load_smollm2

BATCH = 16
PROMPT = 180  # tokens: the system prompt and six turns
TOKENS = 10


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The shortest of a few runs."""
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


@torch.inference_mode()
def run() -> Iterator[Row]:
    for dtype in ("fp32", "bf16"):
        model, _ = load_smollm2(dtype)

        def read(rows: int, model=model):
            return model(torch.full((rows, PROMPT), 100), use_cache=True, logits_to_keep=1)

        def write(state, rows: int, model=model) -> None:
            for _ in range(TOKENS):
                model(torch.full((rows, 1), 100), past_key_values=state.past_key_values, use_cache=True)

        alone, together = read(1), read(BATCH)
        name = f"{BATCH} times one alone"
        yield Row(
            f"{dtype}: reading {BATCH} prompts at once",
            seconds(lambda: read(BATCH)),
            BATCH * seconds(lambda: read(1)),
            name,
            "s",
        )
        yield Row(
            f"{dtype}: writing a token for {BATCH} at once",
            seconds(lambda state=together: write(state, BATCH), 1) / TOKENS * 1000,
            BATCH * seconds(lambda state=alone: write(state, 1), 1) / TOKENS * 1000,
            name,
            "ms",
        )
