"""The runner's side of contestants that live apart: one process each, a batch of observations in, a batch of turns out.

A contestant that hangs, crashes or eats memory is stopped without harm to the others; what it did to whom comes back as
a `Failure` for each conversation concerned.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import psutil

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.schedule import derive
from parlai_spotbot.selfplay.server import serve

STRIKES = 3
"""After so many crashes, hangs or overruns without a finished conversation between, a contestant is set aside."""

PATIENCE = 20.0
"""Seconds between words on who is still loading."""

_POLL = 0.2  # seconds between looks at a busy contestant's memory and clock
_PRELOAD = ["parlai.core.agents", "parlai_spotbot.selfplay.server"]


@dataclass(frozen=True)
class Failure:
    """Why a contestant gave no turn. `kind` is exception, empty, crash, hang, memory, lost or set_aside.

    With `suspect`, several conversations were in the same batch and any of them may be to blame; "lost" conversations
    are innocent: their contestant was stopped because of another.
    """

    contestant: str
    kind: str
    message: str
    detail: str = ""
    suspect: bool = False


class Stopped(Exception):
    """A contestant's process ended or was ended: kind crash, hang or memory."""

    def __init__(self, kind: str, message: str):
        self.kind = kind
        super().__init__(message)


@dataclass(frozen=True)
class Request:
    """One session's next turn: what happened since its last, and the seed of global chance for it."""

    session: str
    events: tuple
    seed: int


class ContestantProcess:
    """A contestant in a process of its own, started when first needed, restarted after it had to be stopped."""

    def __init__(self, contestant: Contestant, log: Path, threads: int = 1):
        self.contestant = contestant
        self.log = log
        self.threads = threads
        self.about: dict = {}
        self.peak_memory = 0
        self.set_aside = ""
        self._strikes = 0
        self._process = None
        self._connection = None
        self._ended = False
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix=contestant.name)

    # -- life --------------------------------------------------------------------------------------------------------
    def load(self) -> Future:
        """Start the process and load the model; the future raises `UserError` where that fails."""
        return self._queue.submit(self._load)

    def _load(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOAD)  # ParlAI and torch are imported once, not once a contestant
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=serve, args=(theirs, self.contestant, str(self.log), self.threads), name=self.contestant.name
        )
        self._process.start()
        theirs.close()
        self._connection = ours
        try:
            self._connection.send(("load", ()))
            answer = self._receive(self.contestant.load_timeout)
        except Stopped as err:
            raise self._load_error(f"{err.kind}: {err}") from None
        if answer[0] == "error":
            self._kill()
            raise self._load_error(answer[1])
        self.about = answer[1]

    def _load_error(self, why: str) -> UserError:
        return UserError(
            f"contestant '{self.contestant.name}' could not be loaded: {why}.",
            f"Mend its entry or take it out of the pool; what it printed is in {self.log}.",
        )

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
        self._process = self._connection = None

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self._ended = True
        self._queue.shutdown(wait=False, cancel_futures=True)
        process = self._process
        if process is not None:
            process.kill()
            process.join()

    # -- work --------------------------------------------------------------------------------------------------------
    def act(self, requests: list[Request]) -> Future:
        """Ask for the next turn of every request; the future gives a list of texts and `Failure`s in their order."""
        return self._queue.submit(self._act, requests)

    def close(self, sessions: list[str]) -> None:
        """Let the contestant forget conversations that have ended."""
        if not self._ended:
            self._queue.submit(self._close, sessions)

    def finished(self) -> None:
        """A conversation of this contestant came to its end: earlier strikes are forgiven."""
        self._strikes = 0

    def _close(self, sessions: list[str]) -> None:
        if self._connection is not None:
            try:
                self._connection.send(("close", (sessions,)))
                self._receive(self.contestant.turn_timeout)
            except (Stopped, OSError):
                self._kill()

    def _act(self, requests: list[Request]) -> list[str | Failure]:
        if not self.set_aside and self._connection is None and not self._ended:
            try:
                self._load()
            except UserError as err:
                self.set_aside = err.problem
        if self.set_aside or self._ended:
            return [self._failure("set_aside", self.set_aside or "the run was stopped") for _ in requests]
        outcomes: list = [None] * len(requests)
        self._exchange(requests, outcomes)
        return outcomes

    def _exchange(self, requests: list[Request], outcomes: list) -> None:
        payload = [(request.session, request.events, request.seed) for request in requests]
        waiting = dict.fromkeys(range(len(requests)))
        try:
            self._connection.send(("act", (payload, derive(*(request.seed for request in requests)))))
            while True:
                answer = self._receive(self.contestant.turn_timeout)
                if answer[0] == "done":
                    break
                if answer[0] == "error":
                    raise Stopped("crash", answer[1])
                waiting.pop(answer[1])
                outcomes[answer[1]] = self._outcome(answer[2])
        except (Stopped, OSError, EOFError) as err:
            self._strike(err, list(waiting), outcomes)

    def _outcome(self, result: dict) -> str | Failure:
        if "lost" in result:
            return self._failure("lost", "its process had to be restarted")
        if "error" in result:
            return self._failure("exception", result["error"], result["detail"], result.get("suspect", False))
        if not result["text"].strip():
            return self._failure("empty", "an empty turn")
        return result["text"]

    def _strike(self, err: Exception, waiting: list[int], outcomes: list) -> None:
        self._kill()
        kind = err.kind if isinstance(err, Stopped) else "crash"
        self._strikes += 1
        # Agents that answer one by one are stopped at the first without an answer; a batch is to blame as a whole.
        batched = self.about.get("batched", False) and len(waiting) > 1
        for position, index in enumerate(waiting):
            if batched or position == 0:
                outcomes[index] = self._failure(kind, str(err), suspect=batched)
            else:
                outcomes[index] = self._failure("lost", "its process had to be restarted")
        if self._strikes >= STRIKES:
            self.set_aside = f"set aside after {STRIKES} failures in a row, the last one: {kind}: {err}"

    def _failure(self, kind: str, message: str, detail: str = "", suspect: bool = False) -> Failure:
        return Failure(self.contestant.name, kind, message, detail, suspect)

    def _receive(self, limit: float) -> tuple:
        """Wait for an answer; kills the process and raises `Stopped` past the limits of time or memory."""
        start = time.monotonic()
        while not self._connection.poll(_POLL):
            self._check_memory()
            if limit and time.monotonic() - start > limit:
                self._kill()
                raise Stopped("hang", f"no answer within {limit:g} seconds")
        try:
            answer = self._connection.recv()
        except (EOFError, OSError):
            code = self._exit_code()
            self._kill()
            raise Stopped("crash", f"its process ended ({code})") from None
        self._check_memory()
        return answer

    def _exit_code(self) -> str:
        self._process.join(timeout=5)
        code = self._process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"

    def _check_memory(self) -> None:
        try:
            used = psutil.Process(self._process.pid).memory_info().rss
        except psutil.NoSuchProcess:
            return
        self.peak_memory = max(self.peak_memory, used)
        limit = self.contestant.memory_limit
        if limit and used > limit * 2**30:
            self._kill()
            raise Stopped("memory", f"it used {used / 2**30:.2f} GiB, its limit is {limit:g} GiB")


class Contestants:
    """The contestants of a run, by name; a context manager that stops them all at its end."""

    def __init__(self, entries: dict[str, Contestant], logs: Path, threads: int):
        logs.mkdir(parents=True, exist_ok=True)
        # Threads that wait by spinning would take the cores from the other contestants.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        self.processes = {n: ContestantProcess(c, (logs / f"{n}.log").resolve(), threads) for n, c in entries.items()}

    def load(self, say: Callable[[str], None] = lambda line: None) -> None:
        """Load all, side by side, saying who is still busy; the first that fails is a `UserError`."""
        loading = {process.load(): name for name, process in self.processes.items()}
        start = time.monotonic()
        busy = set(loading)
        while busy:
            ready, busy = wait(busy, timeout=PATIENCE, return_when=FIRST_EXCEPTION)
            for future in ready:
                future.result()
            if busy:
                names = ", ".join(name for future, name in loading.items() if future in busy)
                seconds = time.monotonic() - start
                say(f"  {seconds:.0f} s: {names} still loading (what is built now is kept for next time)")

    def about(self) -> dict[str, dict]:
        """What each loaded contestant says of itself, for provenance."""
        return {name: process.about for name, process in self.processes.items()}

    def peak_memory(self) -> dict[str, int]:
        """The largest resident memory seen of each contestant, in bytes."""
        return {name: process.peak_memory for name, process in self.processes.items()}

    def __getitem__(self, name: str) -> ContestantProcess:
        return self.processes[name]

    def __enter__(self) -> Contestants:
        return self

    def __exit__(self, *exc: object) -> None:
        for process in self.processes.values():
            process.end()
