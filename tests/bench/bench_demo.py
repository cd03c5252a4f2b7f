"""The first hour: `make demo` in a fresh clone with an empty cache, again, and a tournament of the pool `rules`.

Each line of theirs is printed with the second at which it came. What is promised is here alone; a test holds the
README's words against it. pip's cache is warm if it was filled before.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.run import Row

ROOT = Path(__file__).resolve().parents[2]
PROMISED = {
    "make demo": 240,
    "make demo STUDY=again": 120,
    ".venv/bin/spotbot tournament --pool rules --study rules": 45,
}
"""Seconds on two cores."""


def run() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", ROOT, f"{folder}/clone"], check=True)
        for command, seconds in PROMISED.items():
            timed = f'{command} | while read -r line; do echo "$SECONDS s: $line"; done'
            start, cache = time.monotonic(), {"SPOTBOT_CACHE": f"{folder}/cache"}
            subprocess.run(["bash", "-c", timed], cwd=f"{folder}/clone", env=os.environ | cache, check=True)
            yield Row(command, time.monotonic() - start, seconds, "promised", "s")
