"""The first hour: `make demo` in a fresh clone with an empty cache, again, and a tournament of the pool `rules`.

What is promised is here alone; a test holds the README's words against it. pip's cache is warm if it was filled before.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from run import Row

ROOT = Path(__file__).resolve().parents[2]
PROMISED = {
    "make demo": 240,
    "make demo STUDY=again": 75,
    ".venv/bin/spotbot tournament --pool rules --study rules": 45,
}
"""Seconds on two cores."""
FIRST = ("install: ", "to play: ", "domain ", "judge ", "analysis", "report")
"""What lines begin with at which a part begins."""


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", ROOT, f"{folder}/clone"], check=True)
        environment = {**os.environ, "SPOTBOT_CACHE": f"{folder}/cache"}
        for command, seconds in PROMISED.items():
            start = time.monotonic()
            with subprocess.Popen(
                command.split(), stdout=subprocess.PIPE, text=True, cwd=f"{folder}/clone", env=environment
            ) as process:
                for line in process.stdout:
                    if line.startswith(FIRST):
                        yield Row(f"  {line[:38].strip()}", time.monotonic() - start, seconds, "all of it", "s in")
            yield Row(command, time.monotonic() - start, seconds, "promised", "s")
