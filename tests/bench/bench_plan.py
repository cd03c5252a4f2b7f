"""`spotbot plan` for few and many bots: seconds from the command to its end, beside what a user waits for."""

import time
from collections.abc import Iterator

from tests.bench.run import Row, alone

SIZES = (3, 8, 30)
LIMIT = 15.0


def run() -> Iterator[Row]:
    for bots in SIZES:
        start = time.perf_counter()
        alone("tests.bench.command", "plan", "--bots", str(bots))
        yield Row(f"plan --bots {bots}", time.perf_counter() - start, LIMIT, "limit", "s")
