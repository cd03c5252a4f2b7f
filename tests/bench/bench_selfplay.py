"""Self-play's turns per second and memory against ``parlai self_chat``, for the same pair in the same run.

Both are whole commands. Each is run with few and with more conversations, and the rate is the difference of turns over
the difference of times, so that imports and loading don't count.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from run import Row

EXCHANGES = 3
PARLAI = str(Path(sys.executable).parent / "parlai")
PAIRS = (
    # contestant, its agent and options, conversations (few, more) of self_chat and of ours, our batch size
    ("eliza", "spotbot:eliza", "", (100, 1100), (100, 600), 32),
    ("smollm2 fp32", "spotbot:smollm2", "smollm2_dtype=fp32", (1, 4), (16, 32), 16),
    ("smollm2 bf16", "spotbot:smollm2", "smollm2_dtype=bf16", (1, 4), (16, 48), 16),
)


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def turns(path: str) -> int:
    """The turns in a Conversations file, without what was there before the bots began."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    return sum(sum(map(len, row["dialog"])) - 2 * row.get("seed_exchanges", 0) for row in rows)


def rate(command: Callable[[int], tuple[list[str], str]], counts: tuple[int, int]) -> float:
    """Turns per second between two sizes of a command; ``command(conversations)`` gives its words and its output."""
    spent, said = [], []
    for count in counts:
        words, path = command(count)
        spent.append(seconds(words))
        said.append(turns(path))
    return (said[1] - said[0]) / (spent[1] - spent[0])


def self_chat(model: str, options: str, out: str) -> Callable[[int], tuple[list[str], str]]:
    flags = [word for part in filter(None, options.split(",")) for word in ("--" + part.replace("_", "-")).split("=")]
    path = os.path.join(out, "peer")
    return lambda count: ([
        PARLAI, "self_chat", "-m", model, *flags, "--num-self-chats", str(count), "--display-examples", "false",
        "--selfchat-max-turns", str(1 + EXCHANGES), "--outfile", path,
    ], f"{path}.jsonl")  # fmt: skip


def ours(model: str, options: str, batchsize: int, out: str) -> Callable[[int], tuple[list[str], str]]:
    length = ["--exchanges", str(EXCHANGES), "--segments", str(EXCHANGES), "--human-conversations", "0"]
    study = os.path.join(out, f"ours-{batchsize}-{options}")
    return lambda count: ([
        PARLAI, "spotbot_selfchat", "--study", f"{study}-{count}", "-m", model, "--model-opt", options,
        "--conversations-per-pair", str(count), "--batchsize", str(batchsize), *length,
    ], f"{study}-{count}/conversations.jsonl")  # fmt: skip


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as out:
        for name, model, options, theirs, counts, batchsize in PAIRS:
            peer = rate(self_chat(model, options, out), theirs)
            own = rate(ours(model, options, batchsize, out), counts)
            yield Row(f"{name} with itself, batch {batchsize}", own, peer, "parlai self_chat", "turns/s")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    yield Row("largest process of all of them", peak, 24.0, "a machine of 24 GiB", "GiB")
