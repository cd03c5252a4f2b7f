"""A million votes of an arena: what their import, analysis and report take, in processes of their own, against limits.

CPU time, start-up included.
The file is made up by a seed: contestants of known strengths, 200,000 annotators of unequal activity, ties and votes
for both bad, times and languages, in the arena's columns. There are 30 and 1,000 contestants that are voted on equally
often, and 100,000 of which few are voted on often (Zipf's law).
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.bench.run import Row, alone, tell

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
    for bots, mebibytes, limits in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            data, study = Path(folder, "votes.csv"), Path(folder, "study")
            made_up(data, MILLION, bots)
            for what, seconds in limits.items():
                words = ["--format", "votes", "--data", str(data)] if what == "import" else ["--survey", "votes"]
                spent, held = alone(__name__, what, *words, "--study", str(study))
                name = f"{what} of 1,000,000 votes on {bots:,} contestants"
                yield Row(name, spent, seconds, "limit", "s")
                yield Row(f"{name}, memory", held, mebibytes, "limit", "MiB")


def _command(what: str, words: list[str]) -> None:
    """One command; then its CPU seconds and its peak of memory."""
    if what == "import":
        from parlai_spotbot.scripts.spotbot_import import SpotbotImport as Own
    elif what == "analyze":
        from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze as Own
    else:
        from parlai_spotbot.scripts.spotbot_report import SpotbotReport as Own
    Own.main(*words)
    tell(time.process_time())


if __name__ == "__main__":
    _command(sys.argv[1], sys.argv[2:])
