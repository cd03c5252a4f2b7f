"""The ranking against plain loops over matches and against limits: TrueSkill, Davidson's model.

One thread, CPU time, the least of some runs. PersonaChat's released judgements serve where $SPOTBOT_SHARED has them,
else made up ones of that size.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import trueskill
from threadpoolctl import threadpool_limits

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import contrasts, trueskill_replicates
from tests.bench.run import Row, alone, exponent, least, tell

BOTS = ("BL", "LC", "KV", "HF", "BR", "DR")
MILLION = 1_000_000
SIZES = (130, 4300, 33_400)
REPLICATES = 100
"""Of each of these sizes, which are conversations a pair of six bots, with two matches each."""


def personachat() -> pd.DataFrame:
    """Matches of six bots: 675 conversations with about six judgements each, by 40 workers."""
    path = Path(os.environ.get("SPOTBOT_SHARED", ""), "data", "spot_the_bot_2020", "MongoDump.zip")
    if path.is_file():
        from parlai_spotbot.projects.spot_the_bot_2020.dump import read_dump, select

        return matches_frame(select(read_dump(path, "convai2"))).reset_index(drop=True)
    print("made-up judgements")
    return made_up(np.random.default_rng(0), BOTS, conversations=45, judgements=6, workers=40)


def made_up(rng: np.random.Generator, bots: tuple, conversations: int, judgements: int, workers: int) -> pd.DataFrame:
    pairs = np.array([(i, j) for i in range(len(bots)) for j in range(i + 1, len(bots))])
    pairs = np.repeat(pairs, conversations, axis=0)
    pairs[1::2] = pairs[1::2, ::-1]
    conversation = np.repeat(np.arange(len(pairs), dtype=np.int32), judgements)
    better = np.repeat((pairs[:, 1] - pairs[:, 0]) / len(bots), judgements)
    outcome = np.sign(np.round(rng.normal(0.4 * better, 0.48))).astype(np.int8)
    names = np.array(bots, dtype=object)  # so that equal names are one object
    return pd.DataFrame(
        {
            "a": names[np.repeat(pairs[:, 0], judgements)],
            "b": names[np.repeat(pairs[:, 1], judgements)],
            "outcome": outcome,
            "conversation_id": conversation,
            "worker_id": rng.integers(0, workers, len(conversation), dtype=np.int32),
        }
    )


def run() -> Iterator[Row]:
    matches = personachat()
    with threadpool_limits(limits=1):
        yield from skills(matches)
    yield from million()


def skills(matches: pd.DataFrame) -> Iterator[Row]:
    """Microseconds a match, with its share of the shuffling."""
    n, rng = len(matches), np.random.default_rng(0)
    games = list(zip(matches["a"], matches["b"], matches["outcome"], strict=True))
    by_package = 1e6 * least(lambda: one_by_one(games, rng), 2) / n
    weights = np.ones((1000, n), dtype=np.int32)
    ours = 1e6 * least(lambda: trueskill_replicates(matches, BOTS, weights, rng=rng), 3) / weights.size
    print(f"TrueSkill: {by_package / ours:,.0f} times the package")
    yield Row("TrueSkill, 1,000 replicates", ours, by_package, "trueskill", "µs a match")
    sizes = [conversations * 30 for conversations in SIZES]
    each = [grown(conversations) for conversations in SIZES]
    for number, spent in zip(sizes[1:], each[1:], strict=True):
        yield Row(f"TrueSkill, {number:,} matches", spent, each[0], f"{sizes[0]:,} matches", "µs a match")
    yield exponent("TrueSkill", sizes, np.multiply(sizes, each).tolist(), 1.05)


def grown(conversations: int) -> float:
    """Microseconds a match and replicate, of six bots with so many conversations a pair."""
    matches, rng = made_up(np.random.default_rng(0), BOTS, conversations, 2, 40), np.random.default_rng(0)
    weights = np.ones((REPLICATES, len(matches)), dtype=np.int32)
    return 1e6 * least(lambda: trueskill_replicates(matches, BOTS, weights, rng=rng), 1) / weights.size


def one_by_one(games: list, rng: np.random.Generator) -> dict:
    rating = {bot: trueskill.Rating() for bot in BOTS}
    for place in rng.permutation(len(games)):
        a, b, outcome = games[place]
        if outcome >= 0:
            rating[a], rating[b] = trueskill.rate_1vs1(rating[a], rating[b], drawn=outcome == 0)
        else:
            rating[b], rating[a] = trueskill.rate_1vs1(rating[b], rating[a])
    return rating


def million() -> Iterator[Row]:
    """In a process of its own, for its memory."""
    spent, held = alone(__name__)
    what = "1,000,000 judgements, 100 bots: sandwich, 4,950 contrasts"
    yield Row(what, spent, 2.0, "limit", "s")
    yield Row(f"{what}, memory", held, 500.0, "limit", "MB")


def _one_million() -> None:
    bots = tuple(f"bot{i:02}" for i in range(100))
    # 4,950 pairs × 40 conversations × 5 judgements are 990,000, and some more.
    matches = made_up(np.random.default_rng(0), bots, conversations=41, judgements=5, workers=2000)[:MILLION]
    start = time.process_time()
    found = contrasts(matches, bots)
    spent = time.process_time() - start
    assert np.isfinite(found.pairs["p_adjusted"]).all()
    tell(spent)


if __name__ == "__main__":
    _one_million()
