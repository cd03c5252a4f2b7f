"""What the writer behind `causal_lm` makes of a GPU: tokens per second, its share of the memory's bandwidth, the ratio.

    python3 tests/bench/gpu_causal_lm.py --out gpu.json        # a few minutes; --device cpu --sizes tiny tries it out

Models have random weights and no tokenizer, so nothing is fetched and nothing but torch, transformers and numpy is
needed. Every turn continues a conversation that was kept (READ new tokens) by WRITE tokens. The peer is transformers'
own `generate`, one conversation at a time, the whole prompt read again. The limit of a step is the time in which the
weights and all kept keys and values can be read once, at the rate of a large copy on the same device.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

PROMPT, READ, WRITE, STEPS = 200, 40, 32, 32
SIZES = {
    # hidden, layers, heads, heads of keys, inner, vocabulary: the shapes of SmolLM2-135M, Llama-3.2-1B, Llama-3.1-8B
    "tiny": (64, 2, 4, 2, 128, 1000),
    "135M": (576, 30, 9, 3, 1536, 49152),
    "1B": (2048, 16, 32, 8, 8192, 128256),
    "8B": (4096, 32, 32, 8, 14336, 128256),
}


class Words:
    """A vocabulary without words: every token can be seen, none ends anything."""

    def __init__(self, size: int):
        self.size = size
        self.visible, self.marks, self.breaks = [True] * size, [0] * size, [False] * size
        self.tokenizer = self

    def decode(self, tokens: list[int], **options: object) -> str:
        return ""


def build(size: str, device: str, dtype):
    """A Llama of that size with random weights, made on the device."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    hidden, layers, heads, kv, inner, vocabulary = SIZES[size]
    config = LlamaConfig(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv,
        intermediate_size=inner,
        vocab_size=vocabulary,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    torch.set_default_dtype(dtype)
    with torch.device(device):
        model = LlamaForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
    return model


def seconds(work: Callable, device: str, runs: int = 3) -> float:
    """The median of some runs, the device's work included."""
    import torch

    spent = []
    for run in range(runs + 1):
        if device == "cuda":
            torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        if run:
            spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def copy_bandwidth(device: str) -> float:
    """Bytes per second of a large copy, read and written."""
    import torch

    source = torch.empty(2**31 if device == "cuda" else 2**27, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * source.numel() / seconds(lambda: target.copy_(source), device, 10)


def unbatched(model, device: str) -> float:
    """Tokens per second of the plain loop."""
    import torch

    ids = torch.randint(model.config.vocab_size, (1, PROMPT + READ), device=device)
    words = {"max_new_tokens": WRITE, "min_new_tokens": WRITE, "do_sample": False, "pad_token_id": 0}
    with torch.inference_mode():
        spent = seconds(lambda: model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **words), device)
    return WRITE / spent


def batched(model, device: str, rows: int, peak: float, peer: float) -> dict:
    """One size of batch: whole turns, and steps alone."""
    import numpy as np

    from parlai_spotbot.models.choosing import WritingRules
    from parlai_spotbot.models.generation import BatchLimits, GenerationRequest, TurnWriter

    vocabulary = model.config.vocab_size
    writer = TurnWriter(model, Words(vocabulary), BatchLimits(rows, 40 << 30, 4096, 65536))
    chance = np.random.default_rng(0)
    before = chance.integers(vocabulary, size=(rows, PROMPT))
    new = chance.integers(vocabulary, size=(rows, READ))
    kept = [GenerationRequest(tokens.tolist(), str(i)) for i, tokens in enumerate(before)]
    whole = [
        GenerationRequest([*b.tolist(), *n.tolist()], str(i)) for i, (b, n) in enumerate(zip(before, new, strict=True))
    ]
    draw = {"temperature": 0.7, "top_p": 0.9, "top_k": 200}

    def turn(tokens: int, requests: list) -> float:
        spent = []
        for run in range(4):
            writer.write(kept, WritingRules(frozenset(), max_new_tokens=1, **draw))  # so that just the prompt is kept
            spent.append(once(writer, requests, tokens, draw, device))
            if not run:
                spent.clear()
        return statistics.median(spent)

    short, long = turn(2, whole), turn(2 + STEPS, whole)
    step = (long - short) / STEPS
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    keys = rows * (PROMPT + READ + STEPS / 2) * writer.workspace.bytes_per_token
    rate = rows * WRITE / turn(WRITE, whole)
    return {
        "batch": rows,
        "tokens_per_second": round(rate, 1),
        "ratio_to_unbatched": round(rate / peer, 1),
        "turns_per_second": round(rate / WRITE, 2),
        "step_ms": round(1e3 * step, 2),
        "step_tokens_per_second": round(rows / step, 1),
        "weights_gb": round(weights / 1e9, 3),
        "keys_values_gb": round(keys / 1e9, 3),
        "share_of_bandwidth": round((weights + keys) / step / peak, 4),
        "batched": not writer.plain,
    }


def once(writer, requests: list, tokens: int, draw: dict, device: str) -> float:
    import torch

    from parlai_spotbot.models.choosing import WritingRules

    start = time.perf_counter()
    writer.write(requests, WritingRules(frozenset(), max_new_tokens=tokens, **draw))
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - start


def same_greedy(model, device: str) -> dict:
    """How many of 45 greedy conversations are the same at batch 1, 7 and 45, with and without what was kept."""
    import numpy as np

    from parlai_spotbot.models.choosing import WritingRules
    from parlai_spotbot.models.generation import BatchLimits, GenerationRequest, TurnWriter

    chance = np.random.default_rng(1)
    prompts = [chance.integers(model.config.vocab_size, size=chance.integers(20, 90)).tolist() for _ in range(45)]
    said = {}
    for cache in (0, 8 << 30):
        for rows in (1, 7, 45):
            writer = TurnWriter(model, Words(model.config.vocab_size), BatchLimits(rows, cache))
            first = writer.write(
                [GenerationRequest(p, str(i)) for i, p in enumerate(prompts)], WritingRules(frozenset(), 8)
            )
            more = [[*p, *a.tokens, 5, 6, 7] for p, a in zip(prompts, first, strict=True)]
            second = writer.write(
                [GenerationRequest(p, str(i)) for i, p in enumerate(more)], WritingRules(frozenset(), 8)
            )
            said[f"batch {rows}, {'kept' if cache else 'again'}"] = [
                (a.tokens, b.tokens) for a, b in zip(first, second, strict=True)
            ]
    alone = said["batch 1, again"]
    return {name: sum(a == b for a, b in zip(alone, turns, strict=True)) for name, turns in said.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--sizes", default="135M,1B,8B")
    parser.add_argument("--batches", default="1,8,32,128,512")
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    try:
        import torch
        import transformers
    except ImportError as err:
        print(json.dumps({"error": f"{err}: this needs torch, transformers and numpy"}))
        return 2
    if given.device == "cuda" and not torch.cuda.is_available():
        print(json.dumps({"error": "torch sees no GPU here; try it out with --device cpu --sizes tiny --batches 1,8"}))
        return 2
    name = torch.cuda.get_device_name() if given.device == "cuda" else "cpu"
    dtype = torch.bfloat16 if given.device == "cuda" else torch.float32
    peak = copy_bandwidth(given.device)
    found = {
        "device": name,
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "dtype": str(dtype),
        "copy_bytes_per_second": peak,
        "prompt_kept": PROMPT,
        "read": READ,
        "written": WRITE,
        "models": {},
    }
    for size in given.sizes.split(","):
        model = build(size, given.device, dtype)
        peer = unbatched(model, given.device)
        rows = found["models"][size] = {"unbatched_tokens_per_second": round(peer, 1), "batches": []}
        for batch in map(int, given.batches.split(",")):
            try:
                rows["batches"].append(batched(model, given.device, batch, peak, peer))
            except (RuntimeError, MemoryError) as err:
                rows["batches"].append({"batch": batch, "error": " ".join(str(err).split())[:300]})
            print(size, json.dumps(rows["batches"][-1]), file=sys.stderr, flush=True)
        del model
        if given.device == "cuda":
            torch.cuda.empty_cache()
    if "135M" in given.sizes or given.device == "cpu":
        found["greedy_fp32_same_of_45"] = same_greedy(
            build(given.sizes.split(",")[0], given.device, torch.float32), given.device
        )
    text = json.dumps(found, indent=1)
    if given.out:
        Path(given.out).write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
