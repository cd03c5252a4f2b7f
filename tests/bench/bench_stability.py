"""The stability experiment of section 5.2 in full, and as `analyze --stability` has it, against limits: CPU seconds.

43 sizes x 1,000 repetitions x 1,000 replicates of 5,000 draws: Dailydialog, Empathetic Dialogues, PersonaChat and
PersonaChat without each of its bots; on all processors. The data are the released ones where $SPOTBOT_SHARED has them,
else made up, as many and about as far apart.
"""

import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.stability import conversation_matches, first_stable, stability
from tests.bench.run import Row, exponent

MADE_UP = {
    "dailydialog": {"GPT": 1.0, "BR": 0.5, "S2": -0.5, "DR": -1.0},
    "empathetic": {"BL": 1.5, "BR": 0.3, "GPT": 0.2, "S2": -0.6, "DR": -1.4},
    "convai2": {"BL": 1.0, "LC": 0.7, "KV": 0.6, "HF": -0.1, "BR": -0.6, "DR": -1.6},
}
SIZES = range(3, 46)
BOTS, A_PAIR = 8, 10
REPETITIONS = {"paper": 1000, "model": 500}
"""Those of `analyze --stability`."""


def pool_of(bots: int, conversations: int) -> tuple[pd.DataFrame, list[str]]:
    """So many conversations of each pair of bots whose strengths are evenly spaced, and the bots."""
    names = [f"bot{number}" for number in range(bots)]
    strength = dict(zip(names, np.linspace(1, -1, bots), strict=True))
    rng, rows = np.random.default_rng(0), []
    for a, b in itertools.combinations(names, 2):
        gap = strength[a] - strength[b]
        worth = np.exp([gap / 2, -0.2, -gap / 2])
        rows += [(a, b, int(o)) for o in rng.choice([1, 0, -1], conversations, p=worth / worth.sum())]
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    return frame.assign(conversation_id=[f"c{i}" for i in range(len(frame))]), names


def conversations(domain: str) -> tuple[pd.DataFrame, list[str]]:
    """One match a conversation, 45 a pair, and the bots."""
    path = Path(os.environ.get("SPOTBOT_SHARED", ""), "data", "spot_the_bot_2020", "MongoDump.zip")
    if path.is_file():
        from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump, select

        dump = read_dump(path, domain)
        return conversation_matches(select(dump)), list(dump.domain.bots)
    rng, rows = np.random.default_rng(0), []
    for (a, x), (b, y) in itertools.combinations(MADE_UP[domain].items(), 2):
        worth = np.exp([(x - y) / 2, -0.5, (y - x) / 2])
        rows += [(a, b, int(o)) for o in rng.choice([1, 0, -1], 45, p=worth / worth.sum())]
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    return frame.assign(conversation_id=[f"c{i}" for i in range(len(frame))]), list(MADE_UP[domain])


def run() -> Iterator[Row]:
    spent, work = {}, {domain: conversations(domain) for domain in MADE_UP}
    start = time.perf_counter()
    stability(*work["dailydialog"], sizes=[3], repetitions=1, replicates=1)
    print(f"compiling, or reading what was compiled: {time.perf_counter() - start:.1f} s")
    cpu = time.process_time()
    for domain, (matches, bots) in work.items():
        began = time.process_time()
        found = stability(matches, bots, sizes=SIZES, leave_one_out=domain == "convai2")
        spent[domain] = time.process_time() - began
        print(f"{domain}: {spent[domain]:.1f} s; stable from {first_stable(found[found['removed'] == ''])}", flush=True)
    yield Row("stability, 9 pools x 43 sizes x 1,000", time.process_time() - cpu, 90.0, "limit", "CPU s")
    numbers, seconds = (A_PAIR // 2, A_PAIR), []
    for number in numbers:
        matches, bots = pool_of(BOTS, number)
        cpu = time.process_time()
        for variant, times in REPETITIONS.items():
            stability(matches, bots, variant=variant, repetitions=times, replicates=times, leave_one_out=True)
        seconds.append(time.process_time() - cpu)
        yield Row(f"analyze --stability, {BOTS} bots x {number}", seconds[-1], 120.0, "60 s of 2", "CPU s")
    yield exponent("analyze --stability, conversations a pair", numbers, seconds, 2.0)
