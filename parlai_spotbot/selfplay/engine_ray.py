"""``--engine ray``: contestants live on the machines of a Ray cluster, as actors behind the same interface.

In each actor the contestant has a process of its own, watched as on one machine; so a hang or a crash means the same
everywhere, and what it says are the same bytes. An actor whose machine is lost is started again elsewhere, and the
groups that it took part in are played again.
"""

import contextlib
import socket
import tempfile
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from parlai_spotbot.engine import ON_NODE, Cluster, driver, import_ray, prepare_node
from parlai_spotbot.errors import UserError
from parlai_spotbot.names import stem_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay import remedies
from parlai_spotbot.selfplay.contestant_handle import Came, ContestantHandle, SessionRequest, TurnFailure
from parlai_spotbot.selfplay.contestants import LocalEngine
from parlai_spotbot.selfplay.process import ContestantProcess

LOST = 5
"""Number of lost actors without a finished conversation between after which a contestant is set aside."""

MOMENT = 0.1
"""Seconds that turns wait for further ones, to travel together."""

SLACK = 120.0
"""Seconds that a contestant may wait for its place in the cluster, besides the time to load."""


class RayEngine(LocalEngine):
    """Actors of a cluster."""

    def __init__(self, cluster: Cluster):
        self.cluster = cluster

    def start(self, contestant: Contestant, log: Path, threads: int) -> ContestantHandle:
        self.cluster.connect()
        return RayContestant(self.cluster.ray, contestant, threads)


ContestantState = tuple[dict, str, str]
"""State of a remote contestant: what it says of itself, why it is set aside, and Ray's name of its machine."""


Answered = tuple[dict[int, str], tuple[list, ContestantState] | None]
"""Turns by the places of their requests; in the end also what came of all requests, and the state."""


class ContestantHost:
    """The actor: keeps one contestant's process on its machine."""

    process: ContestantProcess

    def __init__(self, contestant: Contestant, threads: int, about: dict[str, Any], met: bool):
        self.contestant = contestant
        self.threads = threads
        self.driver = about
        self.met = met
        self.node = import_ray().get_runtime_context().get_node_id()

    def load(self) -> tuple[tuple[str, str] | None, ContestantState]:
        """Load it; return problem and remedy of an error that a user can fix."""
        try:
            prepare_node(self.driver)
            log = Path(tempfile.mkdtemp(prefix="spotbot-logs-")) / f"{stem_of(self.contestant.name)}.log"
            self.process = ContestantProcess(self.contestant, log, self.threads)
            self.process.met = self.met
            self.process.place = f"{socket.gethostname()}:{log}"
            self.process.load().result()
        except UserError as err:
            return (err.problem, f"{err.remedy} {ON_NODE.format(socket.gethostname())}"), ({}, "", self.node)
        return None, self._state()

    def act(self, requests: list[SessionRequest]) -> Answered:
        """Ask for turns; return the first of them."""
        self.came: SimpleQueue = SimpleQueue()
        self.outcomes = self.process.act(requests, self.came.put)
        self.outcomes.add_done_callback(lambda _: self.came.put(None))
        return self.more()

    def more(self) -> Answered:
        """Wait for turns, a moment for further ones, and return them; in the end what came of all, and the state."""
        turns: dict[int, str] = {}
        came = self.came.get()
        ends = time.monotonic() + MOMENT
        while came is not None:
            turns |= came
            try:
                came = self.came.get(timeout=max(ends - time.monotonic(), 0))
            except Empty:
                return turns, None
        return turns, (self.outcomes.result(), self._state())

    def refresh(self) -> ContestantState:
        self.process.refresh().result()
        return self._state()

    def close(self, sessions: list[str]) -> None:
        self.process.close(sessions)

    def finished(self) -> None:
        self.process.finished()

    def _state(self) -> ContestantState:
        process = self.process
        about = process.about | ({"usage": process.usage} if process.usage else {})
        return about, process.set_aside, self.node


class RayContestant(ContestantHandle):
    """A contestant in an actor; the actor is started when first needed, and again where it was lost."""

    def __init__(self, ray: Any, contestant: Contestant, threads: int):
        super().__init__(contestant)
        self.ray = ray
        self.threads = threads
        self.node = ""  # Ray's name of the machine that it is on, or was
        self._lost = 0
        self._actor = None
        self._sessions: set[str] = set()  # those that the present actor knows

    # -- life --------------------------------------------------------------------------------------------------------
    def _load(self) -> None:
        while True:
            try:
                return self._try_to_load()
            except self.ray.exceptions.RayActorError as err:
                self._stop()
                self._lost += 1
                if self._lost >= LOST or self._ended:
                    raise self._load_error(" ".join(str(err).split())) from None

    def _try_to_load(self) -> None:
        # An actor that reserves processors would wait for ever where machines are few, or have gone.
        host = self.ray.remote(num_cpus=0, num_gpus=self.contestant.gpus, scheduling_strategy="SPREAD")(ContestantHost)
        self._actor = host.remote(self.contestant, self.threads, driver(), self.met)
        limit = self.contestant.load_timeout + SLACK if self.contestant.load_timeout else None
        try:
            error, state = self.ray.get(self._actor.load.remote(), timeout=limit)
        except self.ray.exceptions.GetTimeoutError:
            self._stop()
            needs = f" (it needs {self.contestant.gpus:g} GPU)" if self.contestant.gpus else ""
            raise self._load_error(f"the cluster had no room for it within {limit:g} s{needs}") from None
        except self.ray.exceptions.RayTaskError as err:
            self._stop()
            raise self._load_error(" ".join(str(err.cause).split())) from None
        self._take(state)
        if error is not None:
            self._stop()
            raise UserError(*error)
        self.met = True

    def _load_error(self, why: str) -> UserError:
        return UserError(
            f"contestant '{self.contestant.name}' could not be loaded: {remedies.short(why)}.",
            f"{remedies.remedy('exception', why)} Or see what the cluster has (ray status); parlai_spotbot is to be "
            "installed on each node.",
        )

    def _take(self, state: ContestantState) -> None:
        about, set_aside, self.node = state
        self.about, self.set_aside = about or self.about, self.set_aside or set_aside
        self.noted()

    def _kill(self) -> bool:
        actor, self._actor = self._actor, None
        self._sessions = set()
        if actor is not None:
            with contextlib.suppress(Exception):
                self.ray.kill(actor)
        return actor is not None

    def _refresh(self) -> None:
        if self._actor is not None:
            with contextlib.suppress(self.ray.exceptions.RayError):
                self._take(self.ray.get(self._actor.refresh.remote(), timeout=SLACK))

    def end(self) -> None:
        super().end()
        self._stop()

    # -- work --------------------------------------------------------------------------------------------------------
    def _act(self, requests: list[SessionRequest], came: Came) -> list[str | TurnFailure]:
        gone = [r for r in requests if r.session not in self._sessions and r.events[0][0] != "open"]
        if gone and not self.set_aside:
            return self._failures(requests, "interrupted", "its place in the cluster was lost")
        if why := self._unfit(self._actor is not None):
            return self._failures(requests, "set_aside", why)
        self._sessions.update(request.session for request in requests)
        try:
            outcomes, state = self._stream(requests, came)
        except self.ray.exceptions.RayError as err:
            return self._after_loss(requests, err)
        self._take(state)
        return outcomes

    def _stream(self, requests: list[SessionRequest], came: Came) -> tuple[list[str | TurnFailure], ContestantState]:
        """Return the actor's outcomes of `requests`; pass turns on as they come."""
        answered = self._actor.act.remote(requests)
        while True:
            turns, ended = self.ray.get(answered)
            if turns:
                came(turns)
            if ended is not None:
                return ended
            answered = self._actor.more.remote()

    def _after_loss(self, requests: list[SessionRequest], err: Exception) -> list[str | TurnFailure]:
        self._stop()
        self._lost += 1
        why = " ".join(str(err).split())[:300]
        if self._lost >= LOST and not self._ended:
            self.set_aside = f"set aside after {LOST} losses of its place in the cluster, the last one: {why}"
        return self._failures(requests, "interrupted", f"its place in the cluster was lost: {why}")

    def _failures(self, requests: list[SessionRequest], kind: str, message: str) -> list[str | TurnFailure]:
        return [TurnFailure(self.contestant.name, kind, message) for _ in requests]

    def _close(self, sessions: list[str]) -> None:
        self._sessions.difference_update(sessions)
        self._tell("close", sessions)

    def finished(self) -> None:
        self._lost = 0
        with contextlib.suppress(RuntimeError):
            self._queue.submit(self._tell, "finished")

    def _tell(self, method: str, *args: object) -> None:
        """Send a message to the actor, if there is one, without waiting."""
        if self._actor is not None:
            with contextlib.suppress(self.ray.exceptions.RayError):
                getattr(self._actor, method).remote(*args)
