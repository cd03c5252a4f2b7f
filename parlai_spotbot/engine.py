"""Independent tasks, computed in this process, in processes of this machine, or on the machines of a Ray cluster.

``engine.map(function, tasks)`` returns results in the order of tasks, so they are the same wherever they are computed.
"""

import contextlib
import os
import platform
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from parlai_spotbot import __version__
from parlai_spotbot.errors import UserError

LOST = 5
"""How often a task is computed again whose machine was lost."""

AHEAD = 2
"""Tasks per processor that are handed out at a time."""

PASSED_ON = ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "TOKENIZERS_PARALLELISM", "HF_HUB_OFFLINE", "SPOTBOT_CACHE")
"""Variables that tasks and contestants see on other machines as here: Ray sets OMP_NUM_THREADS to 1, for example.
Secrets are not passed on, for Ray keeps what tasks are started with: they belong into the nodes' own environment."""

SAME_VERSIONS = "Install the same versions of Python, ray and parlai_spotbot on every machine (docs/many_machines.md)."

ON_NODE = "This was on the machine {}: every machine needs the model files at the same place (docs/many_machines.md)."

Outcomes = Iterator[tuple[int, Any]]
"""Numbers of tasks and their results, as soon as these are there."""


class Here:
    """The present process, with threads for functions that release the interpreter."""

    elsewhere = False
    """Whether tasks run on other machines."""

    def outcomes(self, function: Callable, tasks: Iterable, releases: bool) -> Outcomes:
        """Yield results, see the function `outcomes`."""
        if not releases:
            yield from enumerate(function(task) for task in tasks)
            return
        with _ended(ThreadPoolExecutor(os.cpu_count())) as pool:
            yield from enumerate(pool.map(function, tasks))

    def close(self) -> None:
        """Do nothing: nothing is left."""


class Processes(Here):
    """Processes of this machine: for commands, as a program without a main guard would start itself again in each."""

    def __init__(self) -> None:
        self._pool: Executor | None = None

    def outcomes(self, function: Callable, tasks: Iterable, releases: bool) -> Outcomes:
        """Yield results, see the function `outcomes`."""
        count = os.cpu_count() or 1
        if releases or count == 1:
            return super().outcomes(function, tasks, releases)
        self._pool = self._pool or ProcessPoolExecutor(count, get_context("forkserver"))
        return enumerate(self._pool.map(partial(_alone, function), tasks))

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


class Cluster(Here):
    """The Ray cluster at `address`, of $RAY_ADDRESS where that is empty, else one started on this machine.

    It is joined when first needed. A task whose machine is lost is computed again on another.
    """

    elsewhere = True

    def __init__(self, address: str = ""):
        self.ray = import_ray()
        self.address = address or os.environ.get("RAY_ADDRESS", "")
        self._ours = False
        self.hosts: Any = None
        """The actors of contestants, see `selfplay.engine_ray`."""

    def connect(self) -> None:
        """Join the cluster, unless that is done; `UserError` where it can't be reached or runs another version."""
        if self.ray.is_initialized():
            return
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "ignore_reinit_error": True}
        if not self.address:
            quiet["include_dashboard"] = False
        try:
            if self.address:
                _check_reachable(self.address)
            self.ray.init(address=self.address or "local", **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError) as err:
            why = " ".join(str(err).split())[:300]
            if "ersion mismatch" in why:
                raise UserError(f"--engine ray: the cluster runs another version: {why}", SAME_VERSIONS) from None
            raise UserError(
                f"--engine ray: no cluster at {self.address or 'this machine'}: {why}",
                "Start one (ray start --head), name it by --ray-address or RAY_ADDRESS, or use --engine local.",
            ) from None
        self._ours = True

    def outcomes(self, function: Callable, tasks: Iterable, releases: bool) -> Outcomes:
        """Yield results, see the function `outcomes`."""
        self.connect()
        ray = self.ray
        remote = ray.remote(num_cpus=1, max_retries=LOST, scheduling_strategy="SPREAD")(_on_node)
        shared = ray.put(function)
        about = ray.put(driver())
        most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        numbered = enumerate(tasks)
        waiting: dict[Any, int] = {}
        try:
            while True:
                for number, task in islice(numbered, most - len(waiting)):
                    waiting[remote.remote(shared, task, about)] = number
                if not waiting:
                    return
                for done in ray.wait(list(waiting))[0]:
                    yield waiting.pop(done), self._result(done)
        finally:
            for unfinished in waiting:
                ray.cancel(unfinished)

    def _result(self, reference: Any) -> Any:
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as err:
            if isinstance(err.cause, UserError | ValueError | ArithmeticError):
                raise err.cause from None
            if "failed to import" in str(err.cause):
                problem = "--engine ray: a machine of the cluster lacks parlai_spotbot or a package that it needs."
                raise UserError(problem, SAME_VERSIONS) from None
            raise
        except self.ray.exceptions.RayError as err:
            raise UserError(
                f"--engine ray: a task was lost {LOST} times: {str(err)[:300]}",
                "See what the cluster has (ray status), and run the same command again.",
            ) from None

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self.hosts is not None:
            self.hosts.close()
            self.hosts = None
        if self._ours:
            self.ray.shutdown()
            self._ours = False


_engine: ContextVar[Here] = ContextVar("engine", default=Here())  # noqa: B039 - it holds nothing


def outcomes(function: Callable, tasks: Iterable, *, releases: bool = False) -> Outcomes:
    """Yield the number of each task and ``function(task)``, computed by the engine in use, as they are done.

    Parameters
    ----------
    function : callable
        Of a module, so that other processes can import it. It depends on nothing but its task.
    tasks : iterable
        Taken one by one, as they are handed out.
    releases : bool
        Whether the function releases the interpreter, so that threads serve.
    """
    return in_use().outcomes(function, tasks, releases)


def map(function: Callable, tasks: Iterable, advance: Callable = int, *, releases: bool = False) -> list:
    """Return ``[function(task) for task in tasks]``, see `outcomes`; `advance` is called after each."""
    results = {}
    for number, result in outcomes(function, tasks, releases=releases):
        results[number] = result
        advance()
    return [results[number] for number in range(len(results))]


def in_use() -> Here:
    """Return the engine in use."""
    return _engine.get()


def engine_named(name: str, address: str = "") -> Here:
    """Return the engine of a command's options --engine and --ray-address; `UserError` where it isn't to be had."""
    if name == "ray":
        return Cluster(address)
    if address:
        raise UserError("--ray-address is given without --engine ray.", "Add --engine ray, or leave the address out.")
    return Processes()


@contextlib.contextmanager
def used(engine: Here) -> Iterator[None]:
    """Have `map` use an engine, which is closed at the end."""
    token = _engine.set(engine)
    try:
        yield
    finally:
        _engine.reset(token)
        engine.close()


def import_ray() -> Any:
    """Return the package ray; a `UserError` where it is missing."""
    try:
        import ray
    except ImportError:
        raise UserError(
            "--engine ray needs the package ray, which is not installed.",
            "Install it: make install-ray; or leave --engine out to work on this machine.",
        ) from None
    return ray


def driver() -> dict[str, Any]:
    """Return what a node needs to know of the machine where the command runs: versions, variables, folders of code."""
    return {
        "versions": versions(),
        "environment": {name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "paths": [str(Path(path).resolve()) for path in sys.path],
    }


def versions() -> dict[str, str]:
    """Return the versions that a node must share."""
    return {"parlai_spotbot": __version__, "python": platform.python_version()}


def prepare_node(about: dict[str, Any]) -> None:
    """Work as the `driver` would; `UserError` where this node has other versions.

    A user's own agents and judges are found as they are there, on nodes that have the same folders.
    """
    theirs = about["versions"]
    other = [f"{name} {version}, not {theirs[name]}" for name, version in versions().items() if version != theirs[name]]
    if other:
        raise UserError(f"--engine ray: node {socket.gethostname()} has {'; '.join(other)}.", SAME_VERSIONS)
    sys.path.extend(path for path in about["paths"] if path not in sys.path and Path(path).is_dir())
    for name in set(PASSED_ON).difference(about["environment"]):
        os.environ.pop(name, None)
    os.environ.update(about["environment"])


def _on_node(function: Callable, task: Any, about: dict[str, Any]) -> Any:
    prepare_node(about)
    return _alone(function, task)


def _alone(function: Callable, task: Any) -> Any:
    """Compute a task with one thread: several round differently."""
    with threadpool_limits(limits=1):
        return function(task)


@contextlib.contextmanager
def _ended(pool: Executor) -> Iterator[Executor]:
    """End a pool; after an error or Ctrl-C without what is still to come."""
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _check_reachable(address: str) -> None:
    """Raise OSError where nobody listens at ``host:port``: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "://" not in address:
        socket.create_connection((host, int(port)), timeout=10).close()
