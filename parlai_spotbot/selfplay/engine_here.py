"""Contestants that live in the program itself: functions of a notebook, which no other process could import.

They are asked as those in processes are, through a connection, but by a thread; one at a time, since all share the
program's chances (`random`, `numpy`, `torch`), which are afterwards as they were before.
"""

import contextlib
import multiprocessing
import random
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.agent_server import AgentServer, answer
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle
from parlai_spotbot.selfplay.contestants import LocalEngine
from parlai_spotbot.selfplay.process import ContestantProcess

_ALONE = threading.RLock()


class HereEngine(LocalEngine):
    """The contestants `here`, by name, in this program; all others in processes of their own."""

    def __init__(self, here: Collection[str]):
        self.here = here

    def start(self, contestant: Contestant, log: Path, threads: int) -> ContestantHandle:
        kind = ContestantHere if contestant.name in self.here else ContestantProcess
        return kind(contestant, log, threads)


class ServerHere(AgentServer):
    """An agent of this program, which leaves the program's threads and chances alone."""

    def __init__(self, contestant: Contestant, threads: int, met: bool = False):
        with _alone(contestant.turn_timeout):
            super().__init__(contestant, threads, met)

    @staticmethod
    def _set_threads(threads: int) -> None:
        """They are the program's."""

    def act(self, requests: list[tuple[str, list, int]], batch_seed: int) -> Iterator[tuple[int, dict]]:
        with _alone(self.contestant.turn_timeout):
            yield from super().act(requests, batch_seed)


class ContestantHere(ContestantProcess):
    """A contestant in a thread. One that hangs counts as hanging, but can't be stopped; its memory is the program's."""

    served = ServerHere

    def _started(self) -> tuple[Any, Any]:
        parent_end, theirs = multiprocessing.Pipe()
        args = (theirs, self._server())
        threading.Thread(target=answer, args=args, name=self.contestant.name, daemon=True).start()
        return _Hearing(parent_end), parent_end

    def _check_memory(self) -> None:
        """Do nothing: memory of the contestant is part of the program's."""

    def _end_process(self) -> None:
        self._process.kill()


class _Hearing:
    """Stand in for the process of `ContestantProcess`: the thread ends when its connection is closed."""

    exitcode = None

    def __init__(self, connection: Any):
        self._connection = connection

    def kill(self) -> None:
        self._connection.close()

    def join(self, timeout: float | None = None) -> None:
        """Don't wait: a function can't be stopped."""


@contextlib.contextmanager
def _alone(limit: float) -> Iterator[None]:
    """Hold the program's chances, and put them back; who waits longer than `limit` seconds (0: for ever) gives up."""
    import numpy as np
    import torch

    if not _ALONE.acquire(timeout=limit or -1):
        raise TimeoutError(f"another contestant of this program has not answered for {limit:g} s")
    kept = random.getstate(), np.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
        torch.set_rng_state(kept[2])
        _ALONE.release()
