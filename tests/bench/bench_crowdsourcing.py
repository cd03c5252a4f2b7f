"""Annotators in a burst, and annotators who think, against a real operator: throughput, waiting time and memory.

The limits are what a hardened prototype of the task reached on two cores, and what annotators should not wait longer
for. How fast the disk takes a durable write is measured in the same run: an annotator's first unit costs seven of them.
"""

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.run import Row

ANNOTATORS = 200
WRITES = 7
"""Of the ledger: a unit is handed out, assigned, submitted, told; an annotator agrees, practises, is told."""


def run() -> Iterator[Row]:
    from tests.crowdsourcing.annotators import busiest
    from tests.crowdsourcing.crowdsource_process import CrowdsourceProcess, make_study, verify

    with tempfile.TemporaryDirectory() as scratch:
        study = make_study(Path(scratch) / "burst", units=360, items=20)
        with CrowdsourceProcess(study, ANNOTATORS, minutes=60) as operated:
            record = operated.run(think=(0.0, 0.0), arrive=0.0, kills=0, kinds=_without_idlers())
        verify(study, record)
        disk = _durable_writes(Path(scratch)) / WRITES
        burst = record.waits["registration"]
        submissions, handouts = busiest(record.moments["submission"]), busiest(record.moments["hand-out"])
        yield Row("submissions in a burst of 200 annotators", submissions, 35, "limit", "per s")
        yield Row("hand-outs in that burst", handouts, disk, f"{WRITES} writes on this disk", "per s")
        yield Row("registration in that burst, p95", _p95(burst), 15, "limit", "s")
        yield Row("registration in that burst, slowest", max(burst), 15, "limit", "s")
        yield Row("memory of the operator", operated.peak, 410, "limit", "MB")
    with tempfile.TemporaryDirectory() as scratch:
        study = make_study(Path(scratch) / "thinking", units=ANNOTATORS + 40, items=20)
        with CrowdsourceProcess(study, ANNOTATORS, minutes=60) as operated:
            record = operated.run(think=(4.0, 12.0), arrive=12.0, kills=0, kinds=["plain"] * ANNOTATORS)
        verify(study, record)
        calm = record.waits["registration"]
        for name, what in (("submit", "a submission"), ("unit", "a hand-out")):
            yield Row(f"{what} with pauses of 4 to 12 s, p95", _p95(record.waits[name]), 1, "limit", "s")
        yield Row("registration with pauses of 4 to 12 s, p95", _p95(calm), 1, "limit", "s")
        yield Row("registration with pauses, slowest", max(calm), 1, "limit", "s")


def _without_idlers() -> list[str]:
    """All kinds but those who leave units open until their time is over."""
    from tests.crowdsourcing.annotators import kinds_of

    return ["plain" if kind == "vanishing" else kind for kind in kinds_of(ANNOTATORS)]


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20, method="inclusive")[18]


def _durable_writes(folder: Path) -> float:
    """Transactions a second that SQLite makes durable, as the ledger asks for."""
    database = sqlite3.connect(folder / "disk.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE t (x)")
    start = time.perf_counter()
    for _ in range(300):
        database.execute("INSERT INTO t VALUES (zeroblob(2000))")
    database.close()
    return 300 / (time.perf_counter() - start)
