"""Self-play's turns per second and memory against ``parlai self_chat``, for the same bots in the same run.

Both are whole commands. Each is run with few and with more conversations, and the rate is the difference of turns over
the difference of times, so that imports and loading don't count.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.run import Row

EXCHANGES = 3
BATCH = 32
PARLAI = str(Path(sys.executable).parent / "parlai")
# contestant of the pool "embedded": agent or model file, its options, conversations of self_chat (few, more)
POOL = {
    "smollm2": (("-m", "spotbot:smollm2"), "smollm2_dtype=bf16", (1, 5)),
    "minilm": (("-m", "spotbot:minilm"), "", (2, 22)),
    "tfidf": (("-m", "spotbot:tfidf"), "", (5, 105)),
    "alice": (("-m", "spotbot:alice"), "", (10, 310)),
    "eliza": (("-m", "spotbot:eliza"), "", (100, 1100)),
    "dr": (("-mf", "zoo:spotbot/dr/model"), "", (5, 55)),
}
ALONE = {
    # contestants with themselves: as above, conversations of ours (few, more), and exchanges of each
    "eliza": (*POOL["eliza"], (100, 600), 30),
    "smollm2 fp32": (("-m", "spotbot:smollm2"), "smollm2_dtype=fp32", (1, 4), (32, 64), EXCHANGES),
    "smollm2 bf16": (("-m", "spotbot:smollm2"), "smollm2_dtype=bf16", (1, 5), (32, 96), EXCHANGES),
}
WHOLE = (5, 45)  # conversations per pair of the whole pool


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


def self_chat(
    bot: tuple[str, str], options: str, out: str, exchanges: int = EXCHANGES
) -> Callable[[int], tuple[list[str], str]]:
    flags = [word for part in filter(None, options.split(",")) for word in ("--" + part.replace("_", "-")).split("=")]
    path = os.path.join(out, "peer")
    return lambda count: (
        [
            PARLAI,
            "self_chat",
            *bot,
            *flags,
            "--num-self-chats",
            str(count),
            "--display-examples",
            "false",
            "--selfchat-max-turns",
            str(1 + exchanges),
            "--outfile",
            path,
        ],
        f"{path}.jsonl",
    )


def ours(what: list[str], out: str, exchanges: int = EXCHANGES) -> Callable[[int], tuple[list[str], str]]:
    length = ["--exchanges", str(exchanges), "--segments", str(exchanges), "--human-conversations", "0"]
    study = os.path.join(out, "ours" + "".join(what).replace("/", "_"))
    return lambda count: (
        [
            PARLAI,
            "spotbot_selfchat",
            "--study",
            f"{study}-{count}",
            *what,
            "--conversations-per-pair",
            str(count),
            "--batchsize",
            str(BATCH),
            *length,
        ],
        f"{study}-{count}/conversations.jsonl",
    )


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as out:
        for name, (bot, options, theirs, counts, exchanges) in ALONE.items():
            peer = rate(self_chat(bot, options, out, exchanges), theirs)
            what = ",".join(filter(None, (f"bot={bot[1]}", options)))
            own = rate(ours(["--contestant", what, "--self"], out, exchanges), counts)
            yield Row(f"{name} with itself, batch {BATCH}", own, peer, "parlai self_chat", "turns/s")
        # Each contestant gives as many turns as any other, so unbatched the pool's pace is the harmonic mean of theirs.
        alone = {n: rate(self_chat(bot, options, out), theirs) for n, (bot, options, theirs) in POOL.items()}
        peer = len(alone) / sum(1 / pace for pace in alone.values())
        own = rate(ours(["--pool", "embedded"], out), WHOLE)
        yield Row(f"the pool embedded as a whole, batch {BATCH}", own, peer, "parlai self_chat", "turns/s")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        yield Row("largest process of all of them", peak, 24.0, "a machine of 24 GiB", "GiB")
