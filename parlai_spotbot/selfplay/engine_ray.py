"""``--engine ray``: contestants live on the machines of a Ray cluster, behind the same interface.

Each machine has one actor for all of its contestants, as what they import is loaded once in it; a contestant with GPUs
has an actor of its own. In there each has a process of its own, watched as on one machine; so a hang or a crash means
the same everywhere, and what it says are the same bytes. A contestant whose machine is lost is started again elsewhere,
and the groups that it took part in are played again.
"""

import contextlib
import socket
import tempfile
import threading
import time
from collections import Counter
from itertools import count
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

HARDLY = 0.01
"""Processors of a machine that has none."""

TOGETHER = 64
"""Calls that an actor answers at a time; a contestant has one."""

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
        self.cluster.hosts = self.cluster.hosts or Hosts(self.cluster.ray)
        return RayContestant(self.cluster.hosts, contestant, threads)


class Hosts:
    """The actors in which contestants live; they stay until the cluster is left."""

    def __init__(self, ray: Any):
        self.ray = ray
        self._shared: dict[str, Any] = {}  # Ray's name of a machine -> actor
        self._taken: Counter[str] = Counter()
        self._losses: Counter[str] = Counter()
        self._lock = threading.Lock()

    def take(self, gpus: float) -> Any:
        """Return an actor for a contestant: one of its own with so many GPUs, else that of the machine that has fewest
        contestants for its processors."""
        if gpus:
            return self._started(gpus, "SPREAD")
        with self._lock:
            node = min((node for node in self.ray.nodes() if node["Alive"]), key=self._load_of)["NodeID"]
            self._taken[node] += 1
            if node not in self._shared:
                affinity = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=True)
                self._shared[node] = self._started(0, affinity)
            return self._shared[node]

    def _load_of(self, node: dict) -> tuple[int, float]:
        """Return what to keep low: the actors that a machine lost, and its contestants for its processors."""
        name = node["NodeID"]
        return self._losses[name], (self._taken[name] + 1) / (node["Resources"].get("CPU") or HARDLY)

    def _started(self, gpus: float, strategy: Any) -> Any:
        # An actor that reserves processors would wait for ever where machines are few, or have gone.
        options = {"num_cpus": 0, "num_gpus": gpus, "max_concurrency": TOGETHER, "scheduling_strategy": strategy}
        return self.ray.remote(**options)(ContestantHost).remote()

    def close(self) -> None:
        """End the shared actors, each with its contestants."""
        for actor in self._shared.values():
            self.ray.kill(actor)

    def lost(self, actor: Any) -> None:
        """Let go of an actor that is lost."""
        with self._lock:
            for node in [node for node, shared in self._shared.items() if shared is actor]:
                del self._shared[node]
                self._losses[node] += 1


ContestantState = tuple[dict, str, str]
"""State of a remote contestant: what it says of itself, why it is set aside, and Ray's name of its machine."""


Answered = tuple[dict[int, str], tuple[list, ContestantState] | None]
"""Turns by the places of their requests; in the end also what came of all requests, and the state."""


class ContestantHost:
    """The actor: keeps the processes of contestants on its machine, by a number of each."""

    def __init__(self) -> None:
        self.hosted: dict[int, HostedContestant] = {}

    def load(
        self, number: int, contestant: Contestant, threads: int, about: dict[str, Any], met: bool
    ) -> tuple[tuple[str, str] | None, ContestantState]:
        """Load a contestant; return problem and remedy of an error that a user can fix."""
        node = import_ray().get_runtime_context().get_node_id()
        try:
            prepare_node(about)
            hosted = HostedContestant(contestant, threads, met, node)
            self.hosted[number] = hosted
            hosted.process.load().result()
        except UserError as err:
            return (err.problem, f"{err.remedy} {ON_NODE.format(socket.gethostname())}"), ({}, "", node)
        return None, hosted.state()

    def ask(self, number: int, method: str, *args: Any) -> Any:
        """Return what a method of a contestant's returns."""
        return getattr(self.hosted[number], method)(*args)

    def end(self, number: int) -> None:
        """Stop a contestant."""
        if number in self.hosted:
            self.hosted.pop(number).process.end()


class HostedContestant:
    """A contestant's process in an actor."""

    def __init__(self, contestant: Contestant, threads: int, met: bool, node: str):
        self.node = node
        log = Path(tempfile.mkdtemp(prefix="spotbot-logs-")) / f"{stem_of(contestant.name)}.log"
        self.process = ContestantProcess(contestant, log, threads)
        self.process.met = met
        self.process.place = f"{socket.gethostname()}:{log}"

    def act(self, requests: list[SessionRequest], closed: list[str], forgiven: bool) -> Answered:
        """Ask for turns; return the first of them. Sessions were `closed`, and troubles `forgiven`, before."""
        if closed:
            self.process.close(closed)
        if forgiven:
            self.process.finished()
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
        return turns, (self.outcomes.result(), self.state())

    def refresh(self) -> ContestantState:
        self.process.refresh().result()
        return self.state()

    def state(self) -> ContestantState:
        process = self.process
        about = process.about | ({"usage": process.usage} if process.usage else {})
        return about, process.set_aside, self.node


class RayContestant(ContestantHandle):
    """A contestant in an actor; it is started when first needed, and again elsewhere where the actor was lost."""

    _numbers = count()

    def __init__(self, hosts: Hosts, contestant: Contestant, threads: int):
        super().__init__(contestant)
        self.hosts = hosts
        self.ray = hosts.ray
        self.threads = threads
        self.node = ""  # Ray's name of the machine that it is on, or was
        self._lost = 0
        self._actor: Any = None
        self._number = 0  # in the actor
        self._sessions: set[str] = set()  # those that the present actor knows
        self._closed: list[str] = []  # those that it is to forget
        self._forgiven = False

    # -- life --------------------------------------------------------------------------------------------------------
    def _load(self) -> None:
        while True:
            try:
                return self._try_to_load()
            except self.ray.exceptions.RayActorError as err:
                self._let_go()
                self._lost += 1
                if self._lost >= LOST or self._ended:
                    raise self._load_error(" ".join(str(err).split())) from None

    def _try_to_load(self) -> None:
        self._actor = self.hosts.take(self.contestant.gpus)
        self._number = next(self._numbers)
        loading = self._actor.load.remote(self._number, self.contestant, self.threads, driver(), self.met)
        limit = self.contestant.load_timeout + SLACK if self.contestant.load_timeout else None
        try:
            error, state = self.ray.get(loading, timeout=limit)
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
        actor = self._actor
        self._actor = None
        self._sessions = set()
        self._closed = []
        if actor is None:
            return False
        with contextlib.suppress(Exception):
            if self.contestant.gpus:
                self.ray.kill(actor)
            else:
                actor.end.remote(self._number)
        return True

    def _let_go(self) -> None:
        """Stop, as the actor is lost."""
        self.hosts.lost(self._actor)
        self._stop()

    def _refresh(self) -> None:
        if self._actor is not None:
            with contextlib.suppress(self.ray.exceptions.RayError):
                self._take(self.ray.get(self._ask("refresh"), timeout=SLACK))

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
        answered = self._ask("act", requests, self._closed, self._forgiven)
        self._closed = []
        self._forgiven = False
        while True:
            turns, ended = self.ray.get(answered)
            if turns:
                came(turns)
            if ended is not None:
                return ended
            answered = self._ask("more")

    def _after_loss(self, requests: list[SessionRequest], err: Exception) -> list[str | TurnFailure]:
        self._let_go()
        self._lost += 1
        why = " ".join(str(err).split())[:300]
        if self._lost >= LOST and not self._ended:
            self.set_aside = f"set aside after {LOST} losses of its place in the cluster, the last one: {why}"
        return self._failures(requests, "interrupted", f"its place in the cluster was lost: {why}")

    def _failures(self, requests: list[SessionRequest], kind: str, message: str) -> list[str | TurnFailure]:
        return [TurnFailure(self.contestant.name, kind, message) for _ in requests]

    def _close(self, sessions: list[str]) -> None:
        self._sessions.difference_update(sessions)
        self._closed += sessions

    def finished(self) -> None:
        self._lost = 0
        self._forgiven = True

    def _ask(self, method: str, *args: object) -> Any:
        """Return the reference to what a method of the contestant's in the actor returns."""
        return self._actor.ask.remote(self._number, method, *args)
