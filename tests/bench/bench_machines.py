"""Work on a Ray cluster that is warm, of two nodes on this machine, beside the same work without it: what it costs.

Both use the same processors, so the ratio is the price of distribution; nodes on machines of their own share the work.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from parlai_spotbot import engine
from tests.bench.run import Row

CONVERSATIONS = 500
"""Of each of three pairs."""
BOTS, CONVERSATIONS_A_PAIR, REPETITIONS = 8, 10, 100


def run() -> Iterator[Row]:
    from tests.ray_nodes import nodes

    with nodes(2) as cluster, tempfile.TemporaryDirectory() as folder:
        remote = engine.Cluster(cluster.address)
        remote.connect()
        work: dict[str, Callable[[str], object]] = {
            f"self-play of {3 * CONVERSATIONS:,} conversations": lambda name: play(Path(folder) / name, CONVERSATIONS),
            f"stability, {BOTS} bots, {REPETITIONS} repetitions": lambda name: stability_of_pool(),
            "simulated studies of a plan": lambda name: simulated(),
        }
        play(Path(folder) / "compiled", 1)
        stability_of_pool(2)
        warm = Warm(remote)
        for what, one in work.items():
            alone = seconds(one, f"{what} alone")
            with engine.used(warm):
                one(f"{what} before")  # nodes have imported what it takes
                yield Row(f"{what}, on a warm cluster", seconds(one, what), alone, "here", "s")


class Warm(engine.Cluster):
    """A cluster that stays when the work is done."""

    def __init__(self, cluster: engine.Cluster):
        vars(self).update(vars(cluster))

    def close(self) -> None:
        """Leave it as it is."""


def seconds(work: Callable[[str], object], name: str) -> float:
    start = time.perf_counter()
    work(name)
    return time.perf_counter() - start


def play(folder: Path, conversations: int) -> None:
    from parlai_spotbot.records import Contestant
    from parlai_spotbot.scripts.play_options import engine_in_use
    from parlai_spotbot.selfplay.plan import SelfPlayRequest
    from parlai_spotbot.selfplay.play import claimed
    from parlai_spotbot.selfplay.play import play as play_study

    contestants = {name: Contestant(name, model="spotbot:eliza") for name in "abc"}
    request = SelfPlayRequest(contestants, conversations_per_pair=conversations, human_conversations=0)
    with claimed(folder, "bench") as path:
        play_study(path, request, progress=False, say=lambda line: None, engine=engine_in_use())


def stability_of_pool(repetitions: int = REPETITIONS) -> None:
    from parlai_spotbot.analysis.stability import stability
    from tests.bench.bench_stability import pool_of

    matches, names = pool_of(BOTS, CONVERSATIONS_A_PAIR)
    for variant in ("paper", "model"):
        options = {"repetitions": repetitions, "replicates": repetitions, "leave_one_out": True}
        stability(matches, names, variant=variant, **options)


def simulated() -> None:
    from parlai_spotbot.analysis.planning import Design, calibrated

    calibrated(Design(BOTS), 0.6, (20, 20))
