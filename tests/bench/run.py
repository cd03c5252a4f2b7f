"""``make bench``: every claim of speed or memory, beside a peer or a limit measured in the same run.

Each benchmark is a module ``bench_NAME.py`` of this folder with a function ``run() -> Iterator[Row]``. Name some to run
just these.
"""

import importlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One comparison: `ours` and `peer` in `unit`; the ratio is ours / peer."""

    what: str
    ours: float
    peer: float
    peer_name: str
    unit: str


def least(work: Callable, runs: int = 5) -> float:
    """CPU seconds of the fastest of some runs."""
    spent = []
    for _ in range(runs):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def main(names: list[str]) -> None:
    here = Path(__file__).parent
    sys.path.insert(0, str(here))
    known = sorted(path.stem.removeprefix("bench_") for path in here.glob("bench_*.py"))
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name in names or known:
        print(f"\n== {name}", flush=True)
        for row in importlib.import_module(f"bench_{name}").run():
            ratio = row.ours / row.peer
            print(
                f"{row.what:42} {row.ours:10.2f} {row.unit:12} {row.peer_name}: {row.peer:.2f}   ratio {ratio:.3g}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
