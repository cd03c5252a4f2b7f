"""A contestant that lives apart, in a process of its own: a batch of observations in, a batch of turns out.

One that hangs, crashes or eats memory is stopped without harm to the others; each affected conversation
gets a `TurnFailure`.
"""

import contextlib
import functools
import multiprocessing
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import psutil

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.remembered_turn import LEFT_OUT
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import NOT_SHOWN, named_values
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.agent_server import AgentServer, serve
from parlai_spotbot.selfplay.contestant_handle import Came, ContestantHandle, SessionRequest, TurnFailure
from parlai_spotbot.selfplay.environment import environment_of
from parlai_spotbot.selfplay.seeds import derive

STRIKES = 3
"""Number of crashes, hangs or overruns without a finished conversation between after which one is set aside."""

LONGEST_ANSWER = 2**27
"""Bytes of an answer: far more than the longest turn with its usage takes."""

ANSWERS = {(str,): "done", (str, dict): "about", (str, str, str, str): "error", (str, int, dict, dict): "reply"}
"""Types of an answer's parts -> its first part, the kind."""

NO_ANSWER = "its process sent what is no answer"

WATCH = 1.0
"""Seconds between looks at the process that starts contestants."""

ABOUT = 30.0
"""Seconds that a contestant has to report what it is."""

_MAIN = threading.Lock()
_POLL = 200  # milliseconds between looks at a busy contestant's memory and clock
_TOGETHER = 5  # milliseconds: answers that arrive within this time of each other are handed over together
_PRELOAD = ["parlai.core.agents", "parlai_spotbot.selfplay.agent_server"]


class ContestantStopped(Exception):
    """A contestant's process ended or was ended: kind crash, hang or memory."""

    def __init__(self, kind: str, message: str):
        self.kind = kind
        super().__init__(message)


class ContestantProcess(ContestantHandle):
    """A contestant in a process of its own, started when first needed, restarted after it had to be stopped."""

    served: type = AgentServer
    """What answers in there."""

    def __init__(self, contestant: Contestant, log: Path, threads: int = 1):
        super().__init__(contestant)
        self.log = log
        self.place = str(log)  # how a user finds the log
        self.traceback = ""  # of an error while it was loaded, or tried
        self.threads = threads
        self._strikes = 0
        self._process: Any = None
        self._connection: Any = None

    # -- life --------------------------------------------------------------------------------------------------------
    def _started(self) -> tuple[Any, Any]:
        """Start the contestant; return its process and the connection to it."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOAD)  # ParlAI and torch are imported once, not once a contestant
        parent_end, theirs = context.Pipe()
        # Processes come from a server that was started once, with the environment of then.
        args = (theirs, self._server(), str(self.log), environment_of(self.contestant))
        process = context.Process(target=serve, args=args, name=self.contestant.name)
        _watch_server()
        try:
            with _main_left_out():
                process.start()
        except OSError as err:
            raise UserError(
                f"contestant '{self.contestant.name}': its process could not be started: {err}.",
                f"See what the system lacks; the path of TMPDIR, {tempfile.gettempdir()}, may be too long.",
            ) from None
        theirs.close()
        self._watched = psutil.Process(process.pid)
        return process, parent_end

    def _server(self) -> Callable[..., Any]:
        """Return what creates the server in the process."""
        return functools.partial(self.served, self.contestant, self.threads)

    def _load(self) -> None:
        if kept_out := [name for name, value in named_values(self.contestant.opt) if value == NOT_SHOWN]:
            raise UserError(
                f"contestant '{self.contestant.name}': option '{kept_out[0]}' is secret, so the study doesn't hold it.",
                "Name its pool (--pool or --contestant) again, or let the contestant read it from the environment.",
            )
        self._process, self._connection = self._started()
        self._incoming = select.poll()  # `Connection.poll` makes one at each call, which takes as long as a bot's turn
        self._incoming.register(self._connection, select.POLLIN)
        if self._ended:
            self._stop()
            raise self._load_error("the run was stopped")
        try:
            self._connection.send(("load", (self.met,)))
            answer = self._receive(self.contestant.load_timeout)
        except ContestantStopped as err:
            raise self._load_error(f"{err.kind}: {err}", err.kind) from None
        if answer[0] == "error":
            self._stop()
            failure = self._failure("exception", answer[1], answer[2])
            self.traceback = failure.detail
            raise self._load_error(failure.message, own=answer[3])
        self.about, self.met = self.account(answer[1]), True
        self.noted()

    def _load_error(self, why: str, kind: str = "exception", own: str = "") -> UserError:
        """Return the error for the user; `own` is the remedy that the agent itself gives."""
        return UserError(
            f"contestant '{self.contestant.name}' could not be loaded: {remedies.short(why)}.",
            f"{own or remedies.remedy(kind, why)} What it printed is in {self.place}.",
        )

    def _kill(self) -> bool:
        running = self._process is not None
        if running:
            self._end_process()
            self._connection.close()
        self._process = self._connection = None
        return running

    def _refresh(self) -> None:
        if self._connection is None:
            return
        try:
            self._connection.send(("about", ()))
            answer = self._receive(min(self.contestant.turn_timeout or ABOUT, ABOUT))
        except (ContestantStopped, OSError):
            self._stop()
            return
        if answer[0] == "about":
            self.about = self.account(answer[1])
            self.noted()

    def end(self) -> None:
        super().end()
        if self._process is not None:
            self._end_process()

    def _end_process(self) -> None:
        """Kill the process and those that it has started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.join()

    # -- work --------------------------------------------------------------------------------------------------------
    def finished(self) -> None:
        self._strikes = 0

    def _close(self, sessions: list[str]) -> None:
        if self._connection is not None:
            try:
                self._connection.send(("close", (sessions,)))
                self._receive(self.contestant.turn_timeout)
            except (ContestantStopped, OSError):
                self._stop()

    def _act(self, requests: list[SessionRequest], came: Came) -> list[str | TurnFailure]:
        if why := self._unfit(self._connection is not None):
            return [self._failure("set_aside", why) for _ in requests]
        outcomes: list = [None] * len(requests)
        # What is made in one batch belongs together, unless each turn comes alone.
        together = self.about.get("batched", False) and len(requests) > 1 and not self.about.get("one_at_a_time", False)
        self._exchange(requests, outcomes, (lambda answers: None) if together else came)
        if together:
            came({place: outcome for place, outcome in enumerate(outcomes) if isinstance(outcome, str)})
        return outcomes

    def _exchange(self, requests: list[SessionRequest], outcomes: list, came: Came) -> None:
        payload = [(request.session, request.events, request.seed) for request in requests]
        waiting = dict.fromkeys(range(len(requests)))
        # An agent that waits for a server ends each request itself, but a limit of requests may make a batch slow.
        limit = 0.0 if self.about.get("own_timeouts") else self.contestant.turn_timeout
        fresh: dict[int, str] = {}

        def hand_over() -> None:
            if fresh:
                came(dict(fresh))
                fresh.clear()

        try:
            self._connection.send(("act", (payload, derive(*(request.seed for request in requests)))))
            while (answer := self._receive(limit, hand_over))[0] != "done":
                outcome = self._taken(answer, waiting)
                outcomes[answer[1]] = outcome
                if isinstance(outcome, str):
                    fresh[answer[1]] = outcome
            hand_over()
            if waiting:
                raise ContestantStopped("crash", "it gave no turn")
        except (ContestantStopped, OSError, EOFError) as err:
            hand_over()
            self._strike(err, list(waiting), outcomes)

    def _taken(self, answer: tuple, waiting: dict[int, None]) -> str | TurnFailure:
        """Return the outcome of an answer to one of the requests that are `waiting`."""
        if answer[0] == "error":
            raise ContestantStopped("crash", answer[1])
        if answer[0] != "reply" or answer[1] not in waiting or not {*map(type, answer[2].values())} <= {str, bool}:
            raise ContestantStopped("crash", NO_ANSWER)
        del waiting[answer[1]]
        outcome = self._outcome(**answer[2])
        if answer[3]:
            self.about = {**self.about, "usage": self.account(answer[3])}
            self.noted()
        return outcome

    def _outcome(
        self, text: str = "", error: str = "", detail: str = "", suspect: bool = False, lost: bool = False
    ) -> str | TurnFailure:
        if lost:
            return self._failure("lost", "its process had to be restarted")
        if error:
            return self._failure("exception", error, detail, suspect)
        before = self.left_out.copy()
        if text := self.kept(text):
            return text
        left_out = ", ".join(LEFT_OUT[kind][0] for kind in self.left_out - before)
        return self._failure("empty", "an empty turn" + (f", without {left_out}" if left_out else ""))

    def _strike(self, err: Exception, waiting: list[int], outcomes: list) -> None:
        self._stop()
        kind = err.kind if isinstance(err, ContestantStopped) else "crash"
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

    def _failure(self, kind: str, message: str, detail: str = "", suspect: bool = False) -> TurnFailure:
        return TurnFailure(self.contestant.name, kind, self.hidden(message), self.hidden(detail), suspect)

    def _receive(self, limit: float, idle: Callable[[], None] = lambda: None) -> tuple:
        """Wait for an answer; kills the process and raises `ContestantStopped` past the limits of time or memory.

        `idle` is called once where none comes at once.
        """
        start = time.monotonic()
        if not self._incoming.poll(_TOGETHER):
            idle()
            while not self._incoming.poll(_POLL):
                self._check_memory()
                if limit and time.monotonic() - start > limit:
                    self._stop()
                    raise ContestantStopped("hang", f"no answer within {limit:g} s")
                if self._process.exitcode is not None and not self._incoming.poll(0):
                    break  # what it has started may hold the connection
        try:
            answer = tuple(ForkingPickler.loads(self._connection.recv_bytes(LONGEST_ANSWER)))
            if ANSWERS[*map(type, answer)] != answer[0]:
                raise ValueError
        except Exception:  # it may have written anything
            why = self._ending()
            self._stop()
            raise ContestantStopped("crash", why) from None
        if self.contestant.memory_limit or answer[0] != "reply":  # to look takes as long as some bots answer
            self._check_memory()
        return answer

    def _ending(self) -> str:
        """Return why no answer came."""
        self._process.join(timeout=5)
        code = self._process.exitcode
        if code is None:
            return NO_ANSWER
        return f"its process ended ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def _check_memory(self) -> None:
        try:
            used = self._watched.memory_info().rss
        except psutil.NoSuchProcess:
            return
        self.peak_memory = max(self.peak_memory, used)
        limit = self.contestant.memory_limit
        if limit and used > limit * 2**30:
            self._stop()
            raise ContestantStopped("memory", f"it used {used / 2**30:.2f} GiB, its limit is {limit:g} GiB")


@functools.cache
def _watch_server() -> None:
    """Watch the process that starts contestants from now on."""
    threading.Thread(target=_wake_server, name="spotbot-watch", daemon=True).start()


def _wake_server() -> None:
    """Let the process that starts contestants go on whenever one of them has stopped it (SIGSTOP)."""
    while True:
        time.sleep(WATCH)
        pid = forkserver._forkserver._forkserver_pid
        with contextlib.suppress(psutil.Error, OSError):
            if pid and psutil.Process(pid).status() == psutil.STATUS_STOPPED:
                os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def _main_left_out() -> Iterator[None]:
    """Let a process start without the main program, which would run again in it: a contestant needs nothing of that."""
    main = sys.modules["__main__"]
    with _MAIN:
        kept = {name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__}
        main.__spec__ = None
        try:
            yield
        finally:
            main.__dict__.update(kept)
