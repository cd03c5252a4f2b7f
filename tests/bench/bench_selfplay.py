"""Self-play's turns per second and memory against ``parlai self_chat``, for the same bots in the same run.

Both are whole commands. Each is run with few and with more conversations, and the rate is the difference of turns over
the difference of times, so that imports and loading don't count. At the end: what these figures mean on paper for a
hundred contestants.
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
    # contestants with themselves: as above, and conversations of ours (few, more)
    "eliza": (*POOL["eliza"], (100, 600)),
    "smollm2 fp32": (("-m", "spotbot:smollm2"), "smollm2_dtype=fp32", (1, 4), (32, 64)),
    "smollm2 bf16": (("-m", "spotbot:smollm2"), "smollm2_dtype=bf16", (1, 5), (32, 96)),
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


def self_chat(bot: tuple[str, str], options: str, out: str) -> Callable[[int], tuple[list[str], str]]:
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
            str(1 + EXCHANGES),
            "--outfile",
            path,
        ],
        f"{path}.jsonl",
    )


def ours(what: list[str], out: str) -> Callable[[int], tuple[list[str], str]]:
    length = ["--exchanges", str(EXCHANGES), "--segments", str(EXCHANGES), "--human-conversations", "0"]
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
        for name, (bot, options, theirs, counts) in ALONE.items():
            peer = rate(self_chat(bot, options, out), theirs)
            what = ",".join(filter(None, (f"bot={bot[1]}", options)))
            own = rate(ours(["--contestant", what, "--self"], out), counts)
            yield Row(f"{name} with itself, batch {BATCH}", own, peer, "parlai self_chat", "turns/s")
        # Each contestant gives as many turns as any other, so unbatched the pool's pace is the harmonic mean of theirs.
        alone = {n: rate(self_chat(bot, options, out), theirs) for n, (bot, options, theirs) in POOL.items()}
        peer = len(alone) / sum(1 / pace for pace in alone.values())
        own = rate(ours(["--pool", "embedded"], out), WHOLE)
        yield Row(f"the pool embedded as a whole, batch {BATCH}", own, peer, "parlai self_chat", "turns/s")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        yield Row("largest process of all of them", peak, 24.0, "a machine of 24 GiB", "GiB")
        print(bound(alone, own), "\n", on_paper(own, peak), sep="", flush=True)


def bound(alone: dict[str, float], own: float) -> str:
    """Who takes the time, unbatched, and so what bounds the pool."""
    total = sum(1 / pace for pace in alone.values())
    shares = ", ".join(f"{name} {1 / pace / total:.0%}" for name, pace in sorted(alone.items(), key=lambda a: a[1]))
    return (
        f"time of one turn of each, unbatched: {shares}. What bounds the pool is the first: of the pool's {own:.1f} "
        f"turns/s it gives {own / len(alone):.1f}; on a CPU its batches gain where it writes, not where it reads."
    )


def on_paper(own: float, peak: float, contestants: int = 100, per_pair: int = 45, exchanges: int = 5) -> str:
    """What the measured pace means for a large study; `own` in turns per second, `peak` in GiB."""
    pairs = contestants * (contestants - 1) // 2
    turns = pairs * per_pair * 2 * exchanges
    each, hours = turns / contestants, turns / own / 3600
    return "\n".join(
        [
            f"on paper, {contestants} contestants x {pairs} pairs x {per_pair} conversations x {exchanges} exchanges = "
            f"{turns} turns, {each:.0f} of each contestant:",
            f"  at the pool's pace here, {own:.1f} turns/s: {hours:.0f} hours on this machine of {os.cpu_count()} "
            "cores, "
            f"{hours / 50:.1f} on fifty of them (--engine ray), where no contestant is slower than the others",
            f"  no study is faster than its slowest contestant, divided by its copies: one that gives 10 turns/s in "
            f"batches ends after {each / 10 / 3600:.1f} hours, one that gives 1 turn/s after {each / 3600:.1f}",
            *(memory(contestants, per_pair, peak, most) for most in (contestants, 10)),
        ]
    )


def memory(contestants: int, per_pair: int, peak: float, most: int) -> str:
    """How often models are loaded, and what they need at most, where `most` may be loaded at once."""
    from parlai_spotbot.records import Contestant
    from parlai_spotbot.selfplay.grouping import groups
    from parlai_spotbot.study_plan import Plan

    pool = {name: Contestant(name, model="m") for name in (f"c{i:03d}" for i in range(contestants))}
    plan = Plan("made-up", pool, conversations_per_pair=per_pair, max_loaded=most)
    games = [pair if n % 2 else pair[::-1] for pair in plan.all_pairs() for n in range(per_pair)]
    needs: dict[int, set[str]] = {}
    for group, entities in zip(groups(plan, games), games, strict=True):
        needs.setdefault(group, set()).update(entities)
    loads, there = 0, set()
    for _, names in sorted(needs.items()):
        loads += len(names - there)
        there = names if len(names | there) > most else names | there
    return (
        f"  --max-loaded {most}: {len(needs)} groups of {len(games) // len(needs)} conversations on average, {loads} "
        f"times a model is loaded; {most * peak:.0f} GiB, were each as large as the largest process here"
    )
