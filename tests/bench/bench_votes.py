"""A million votes of an arena: what their import, analysis and report take, in processes of their own, against limits.

CPU time, start-up included.
The file is made up by a seed: contestants of known strengths, 200,000 annotators of unequal activity, ties and votes
for both bad, times and languages, in the arena's columns. There are 30 and 1,000 contestants that are voted on equally
often, and 100,000 of which few are voted on often (Zipf's law).

The peer arena-rank is measured where it is installed (`pip install --no-deps arena-rank jax==0.8.1 jaxlib==0.8.1
jaxtyping optax absl-py ml_dtypes opt_einsum wadler_lindig`); it is in no extra, as its NumPy is older than ours.
"""

import importlib.util
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.bench.run import Row, alone, exponent, tell

MILLION = 1_000_000
PEOPLE = 200_000
MANY = 10_000
WORDS = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])
LIMITS = (
    (30, 1536.0, {"import": 30.0, "analyze": 60.0}),
    (1000, 4096.0, {"import": 60.0, "analyze": 60.0, "report": 60.0}),
    (100_000, 4096.0, {"import": 120.0, "analyze": 120.0, "report": 120.0}),
)
"""Contestants, MiB, and seconds of each command."""
STORED = (6.3, 845.0)
"""Seconds and MiB of arena-rank with a million votes on 30 contestants, on two cores, where it is not installed."""


def made_up(path: Path, votes: int, bots: int) -> None:
    """Write the file."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 0.7, bots)
    if bots < MANY:
        a = rng.integers(0, bots, votes)
        b = (a + rng.integers(1, bots, votes)) % bots
    else:
        popular = 1 / np.arange(1, bots + 1)
        a, b = rng.choice(bots, (2, votes), p=popular / popular.sum())
        a[:bots] = np.arange(bots)
        b = np.where(a == b, (a + 1) % bots, b)
    won = rng.random(votes) < 1 / (1 + np.exp(strength[b] - strength[a]))
    chance = rng.random(votes)
    word = WORDS[np.where(chance < 0.12, 2, np.where(chance < 0.26, 3, np.where(won, 0, 1)))]
    user = (PEOPLE * rng.random(votes) ** 2).astype(int)
    language = rng.choice(["English", "Chinese", "German", "French"], votes, p=[0.7, 0.15, 0.1, 0.05])
    at = 1.68e9 + np.sort(rng.random(votes)) * 3e7
    with path.open("w", encoding="utf-8") as out:
        out.write("question_id,model_a,model_b,winner,judge,turn,anony,language,tstamp\n")
        out.writelines(
            f"{number:032x},model-{i:03},model-{j:03},{said},arena_user_{who},1,True,{spoken},{when:.4f}\n"
            for number, (i, j, said, who, spoken, when) in enumerate(
                zip(a, b, word, user, language, at, strict=True), start=1
            )
        )


def run() -> Iterator[Row]:
    yield from ranked()
    for bots, mebibytes, limits in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            data, study = Path(folder, "votes.csv"), Path(folder, "study")
            made_up(data, MILLION, bots)
            for what, seconds in limits.items():
                words = ["--format", "votes", "--data", str(data)] if what == "import" else ["--survey", "votes"]
                spent, held = alone("tests.bench.command", what, *words, "--study", str(study))
                name = f"{what} of 1,000,000 votes on {bots:,} contestants"
                yield Row(name, spent, seconds, "limit", "s")
                yield Row(f"{name}, memory", held, mebibytes, "limit", "MiB")


def ranked() -> Iterator[Row]:
    """`sb.read_votes(…).rank()` beside arena-rank, which has neither clusters nor a model of ties."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for votes in (MILLION // 10, MILLION):
            data = Path(folder, "votes.csv")
            made_up(data, votes, 30)
            found.append(alone(__name__, "ours", str(data)))
        peer, name = STORED, "arena-rank (stored)"
        if importlib.util.find_spec("arena_rank"):
            peer, name = alone(__name__, "arena-rank", str(data)), "arena-rank"
    yield Row("read_votes and rank, 1,000,000 votes", found[1][0], peer[0], name, "CPU s")
    yield Row("read_votes and rank, memory", found[1][1], peer[1], name, "MiB")
    yield exponent("read_votes and rank", (1, 10), [spent for spent, _ in found], 1.05)


def _rank(who: str, path: str) -> None:
    """Rank votes as it is usual; then CPU seconds and the peak of memory."""
    if who == "ours":
        import parlai_spotbot

        parlai_spotbot.read_votes(path).rank()
    else:
        import pandas as pd
        from arena_rank.models.bradley_terry import BradleyTerry
        from arena_rank.utils.data_utils import PairDataset

        votes = PairDataset.from_pandas(pd.read_csv(path))
        BradleyTerry(n_competitors=len(votes.competitors)).compute_ratings_and_cis(votes)
    tell(time.process_time())


if __name__ == "__main__":
    _rank(*sys.argv[1:])
