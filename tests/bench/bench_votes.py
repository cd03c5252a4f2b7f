"""A million votes of an arena: what their import and analysis take, in processes of their own, against limits.

CPU time, start-up included.
The file is made up by a seed: 100 contestants of known strengths, 200,000 annotators of unequal activity, ties and
votes for both bad, times and languages, in the arena's columns.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from run import Row

MILLION = 1_000_000
BOTS, PEOPLE = 100, 200_000
WORDS = np.array(["model_a", "model_b", "tie", "tie (bothbad)"])
MEBIBYTES = 1536.0


def made_up(path: Path, votes: int = MILLION, bots: int = BOTS) -> None:
    """Write the file."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 0.7, bots)
    a = rng.integers(0, bots, votes)
    b = (a + rng.integers(1, bots, votes)) % bots
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
    with tempfile.TemporaryDirectory() as folder:
        data, study = Path(folder, "votes.csv"), Path(folder, "study")
        made_up(data)
        for what, seconds, words in (
            ("import", 30.0, ["--format", "votes", "--data", str(data)]),
            ("analyze", 60.0, ["--survey", "votes"]),
        ):
            command = [sys.executable, __file__, what, *words, "--study", str(study)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            spent, held = map(float, said.split()[-2:])
            name = f"{what} of 1,000,000 votes on {BOTS} contestants"
            yield Row(name, spent, seconds, "limit", "s")
            yield Row(f"{name}, memory", held, MEBIBYTES, "limit", "MiB")


def _command(what: str, words: list[str]) -> None:
    """One command; then its CPU seconds and its peak of memory in MiB (VmHWM; `ru_maxrss` starts with the parent's)."""
    if what == "import":
        from parlai_spotbot.scripts.spotbot_import import SpotbotImport as Own
    else:
        from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze as Own
    Own.main(*words)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(time.process_time(), int(status.split("VmHWM:")[1].split()[0]) / 1024)


if __name__ == "__main__":
    _command(sys.argv[1], sys.argv[2:])
