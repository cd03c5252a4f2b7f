"""``make bench``: every claim of speed or memory, beside a peer or a limit measured in the same run.

Each benchmark is a module ``bench_NAME.py`` of this folder with a function ``run() -> Iterator[Row]``. Name some to run
just these.
"""

import importlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


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


def exponent(what: str, sizes: Sequence[float], measured: Sequence[float], limit: float) -> Row:
    """Return the power of the size with which a measure grows, from the first size to the last; 0 where it doesn't."""
    grown = max(measured[-1] / measured[0], 1) if measured[0] else 1
    power = math.log(grown) / math.log(sizes[-1] / sizes[0])
    return Row(f"{what}, exponent", power, limit, "limit", "")


def alone(module: str, *words: str) -> list[float]:
    """What `tell` prints of a module in a process of its own, of one thread."""
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", module, *words]
    said = subprocess.run(command, check=True, capture_output=True, text=True, env=env, cwd=HERE.parents[1]).stdout
    return [float(number) for number in said.split()[-2:]]


def tell(spent: float) -> None:
    """Print seconds and the process's peak of memory in MiB (VmHWM: `ru_maxrss` starts with the parent's)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    print(spent, int(status.split("VmHWM:")[1].split()[0]) / 1024)


def main(names: list[str]) -> None:
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name in names or known:
        print(f"\n== {name}", flush=True)
        for row in importlib.import_module(f"tests.bench.bench_{name}").run():
            ratio = row.ours / row.peer
            print(
                f"{row.what:42} {row.ours:10.2f} {row.unit:12} {row.peer_name}: {row.peer:.2f}   ratio {ratio:.3g}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
