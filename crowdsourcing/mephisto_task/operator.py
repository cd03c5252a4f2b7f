"""Serving a collection beside Mephisto: open or resume its task run, serve, post HITs, stop or close.

Mephisto's own Operator expires open work when it stops, serves everything again when it starts, and opens a metrics
server; a collection is run by our server alone, and Mephisto's database records what is finished.
"""

import contextlib
import json
import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mephisto.abstractions.blueprint import SharedTaskState
from mephisto.abstractions.crowd_provider import ProviderArgs
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.task_run import TaskRun, TaskRunArgs
from mephisto.operations.hydra_config import MephistoConfig
from mephisto.operations.registry import get_crowd_provider_from_type
from omegaconf import DictConfig, OmegaConf

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.desk.contract import Crowd
from parlai_spotbot.crowdsourcing.mephisto_task import home, mturk
from parlai_spotbot.crowdsourcing.mephisto_task import provider as _registered  # noqa: F401
from parlai_spotbot.crowdsourcing.mephisto_task.blueprint import BLUEPRINT_TYPE, SpotbotBlueprintArgs
from parlai_spotbot.crowdsourcing.mephisto_task.finished_units import FinishedUnits
from parlai_spotbot.crowdsourcing.mephisto_task.setup import REQUESTER, TaskSetup
from parlai_spotbot.errors import UserError

POLL_SECONDS = 0.2
RETRY_SECONDS = 60.0
LIFETIME_SECONDS = 31 * 86400
"""How long a HIT stays on MTurk."""

logger = logging.getLogger(__name__)


MakeServer = Callable[[Crowd, str, int], Any]
"""Makes the server of a crowd at a host and port, which has `start`, `stop`, `finished` and `failed`."""


def serve(setup: TaskSetup, *, make_server: MakeServer, stop: threading.Event, on_ready: Callable[[str], None]) -> str:
    """Open the task run or resume it, and serve until all is "done", or "stopped" by `stop`; return which.

    Nothing is expired at the end: the same call goes on from there. `on_ready` gets the server's address once it
    answers. Raises `UserError` on a setup that can't be launched, before anything is posted, and whatever ended the
    server. One operator at a time: the caller holds the lock.
    """
    setup.check()
    database = home.database(setup.data_root, setup.countries)
    try:
        with files.no_collection():
            crowd = FinishedUnits(_open_run(database, setup), setup.pay)
            server = make_server(crowd, setup.host, setup.port)
        url = server.start()
        try:
            on_ready(url)
            return _work(crowd, server, setup, stop)
        finally:
            server.stop()
    finally:
        database.shutdown()


def _work(crowd: FinishedUnits, server: Any, setup: TaskSetup, stop: threading.Event) -> str:
    """Post what is to be posted, while the server answers, and wait; a platform that fails is tried again later."""
    next_try = 0.0 if setup.on_mturk else math.inf
    while not stop.wait(POLL_SECONDS):
        error = server.failed()
        if error is not None:
            raise error
        if server.finished():
            return "done"
        if time.monotonic() >= next_try:
            try:
                _post(crowd, setup, lambda: stop.is_set() or server.failed() is not None)
                next_try = math.inf
            except UserError as err:
                logger.warning(f"{err.problem} Trying again in {RETRY_SECONDS:.0f} seconds.")
                next_try = time.monotonic() + RETRY_SECONDS
    return "stopped"


def _post(crowd: FinishedUnits, setup: TaskSetup, halt: Callable[[], bool]) -> None:
    """Post as many HITs as are missing: HITs are interchangeable, the desk says who gets which unit."""
    run = crowd.task_run
    earlier = [unit for unit in crowd.db.find_units(task_id=run.task_id) if unit.task_run_id != run.db_id]
    count = len(setup.units) - sum(unit.db_status in AssignmentState.completed() for unit in earlier)
    with mturk.explained():
        for _ in range(count - mturk.posted(run, setup.public_url, count)):
            if halt():
                return
            mturk.post(run, setup.public_url)


def close(setup: TaskSetup) -> None:
    """End the task run for good and expire its HITs on MTurk; a later `serve` opens a new one for what isn't done."""
    database = home.database(setup.data_root, setup.countries)
    try:
        mturk.use_credentials(database, setup.provider_type)
        for run in _runs(database, setup, is_completed=False):
            if setup.on_mturk:
                with mturk.explained():
                    mturk.expire(run)
            database.update_task_run(run.db_id, is_completed=True)
    finally:
        database.shutdown()


@contextlib.contextmanager
def signals(stop: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set `stop` while this is open, in the background too (where shells turn SIGINT off)."""
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- the task run ----------------------------------------------------------------------------------------------------
def _runs(database: Any, setup: TaskSetup, **conditions: Any) -> list[TaskRun]:
    tasks = database.find_tasks(task_name=setup.task_name)
    if not tasks:
        return []
    return database.find_task_runs(task_id=tasks[0].db_id, **conditions)


def _open_run(database: Any, setup: TaskSetup) -> TaskRun:
    """Return the unfinished run of the task, or a new one; `UserError` where it was begun in another way."""
    provider = get_crowd_provider_from_type(setup.provider_type)
    requester_name = REQUESTER
    if provider.is_sandbox():
        requester_name += "_sandbox"
    config = _configuration(setup, provider.ArgsClass(requester_name=requester_name))
    open_runs = _runs(database, setup, is_completed=False)
    for run in _runs(database, setup):
        _check_same(run, config, setup.on_mturk and run.db_id in [one.db_id for one in open_runs])
    mturk.use_credentials(database, setup.provider_type)
    requesters = database.find_requesters(requester_name=requester_name)
    requester = requesters[0] if requesters else provider.RequesterClass.new(database, requester_name)
    if open_runs:
        run = open_runs[-1]
    else:
        tasks = database.find_tasks(task_name=setup.task_name)
        task_id = tasks[0].db_id if tasks else database.new_task(setup.task_name, BLUEPRINT_TYPE)
        params = json.dumps(OmegaConf.to_yaml(config, resolve=True))
        about = requester.db_id, params, requester.provider_type, BLUEPRINT_TYPE, requester.is_sandbox()
        run = TaskRun.get(database, database.new_task_run(task_id, *about))
    marker = Path(run.get_run_dir()) / "provider_is_set_up"
    if setup.on_mturk and not marker.exists():  # MTurk knows the HIT type again if a crash makes us ask twice
        state = SharedTaskState()
        state.mturk_specific_qualifications = list(setup.mturk_qualifications)
        with mturk.explained():
            run.get_provider().setup_resources_for_task_run(run, config, state, setup.public_url)
        marker.touch()
    return run


def _configuration(setup: TaskSetup, provider: ProviderArgs) -> DictConfig:
    """Return Mephisto's configuration of a task run."""
    return OmegaConf.structured(
        MephistoConfig(
            blueprint=SpotbotBlueprintArgs(
                survey=setup.survey, platform=setup.provider, public_url=setup.public_url, tips_location=""
            ),
            provider=provider,
            task=TaskRunArgs(
                task_name=setup.task_name,
                task_title=setup.title,
                task_description=setup.description,
                task_reward=setup.pay,
                task_tags=",".join(setup.keywords),
                task_lifetime_in_seconds=LIFETIME_SECONDS,
                assignment_duration_in_seconds=round(setup.minutes * 60),
            ),
            log_level="warning",
        )
    )


def _check_same(run: TaskRun, config: DictConfig, is_posted: bool) -> None:
    """Refuse another platform for answers of one task, and changes to HITs that are posted."""
    before = run.args.blueprint
    now = config.blueprint
    if before.platform != now.platform:
        raise UserError(
            f"This collection was begun on {before.platform}, not on {now.platform}.",
            f"Continue with {before.platform}, or collect the other answers in a copy of the study.",
        )
    changed = [key for key in run.args.task if run.args.task[key] != config.task[key]]
    if before.public_url != now.public_url:
        changed.append("public_url")
    if is_posted and changed:
        raise UserError(
            f"HITs are out with another {' and '.join(changed)}.", "Set it back, or close the collection first."
        )
