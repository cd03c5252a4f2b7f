"""What a command takes to start: help and errors, in CPU seconds of a process of its own, the least of some runs."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.run import Row

SPOTBOT = Path(sys.executable).parent / "spotbot"
LIMIT = 0.35
RUNS = 7
WORDS = (
    "--help",
    "judge --help",
    "crowdsource --help-all",
    "pack --surve acute_eval",
    "jugde",
    "report --study nowhere",
    "pack --study nowhere",
    "check nowhere",
    "import --format votes --data nowhere.csv --study new",
    "selfchat --pool nowhere.yaml",
    "tournament --pool nowhere.yaml",
    "compare nowhere/a nowhere/b",
)


def run() -> Iterator[Row]:
    for words in WORDS:
        yield Row(f"spotbot {words}", min(_spent(words.split()) for _ in range(RUNS)), LIMIT, "promised", "CPU s")


def _spent(words: list[str]) -> float:
    """User and system seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([SPOTBOT, *words], capture_output=True, check=False, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
