"""Launching, resuming in place, stopping and closing a task run. `serve` is the way in.

`SpotbotOperator` is Mephisto's Operator where that loses nothing: the live run with its architect, blueprint, runner,
provider and launcher is made by it. It departs in four places. (1) Launching finds the unfinished run of the task and
goes on with it, where stock Mephisto starts another one and serves everything again. (2) Stopping leaves agents in
task and units as they are in the database, where stock Mephisto expires them. (3) There is no watching thread or loop
that ends a run by itself (stock: after twelve quiet hours), and no thread a unit. (4) There is no metrics server, which
would open a fixed port to all interfaces.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from mephisto.abstractions.blueprint import AgentState
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.qualification import QUAL_NOT_EXIST
from mephisto.data_model.requester import Requester
from mephisto.data_model.task_run import TaskRun, TaskRunArgs
from mephisto.operations.datatypes import LiveTaskRun, LoopWrapper
from mephisto.operations.hydra_config import MephistoConfig
from mephisto.operations.operator import Operator
from mephisto.operations.registry import get_architect_from_type, get_blueprint_from_type, get_crowd_provider_from_type
from mephisto.utils.logger_core import get_logger, set_mephisto_log_level
from mephisto.utils.qualifications import find_or_create_qualification, make_qualification_dict
from omegaconf import DictConfig, OmegaConf

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.contract import Crowd
from parlai_spotbot.crowdsourcing.mephisto_task import home
from parlai_spotbot.crowdsourcing.mephisto_task import provider as _registered  # noqa: F401
from parlai_spotbot.crowdsourcing.mephisto_task.architect import ARCHITECT_TYPE, SpotbotArchitectArgs, TaskServer
from parlai_spotbot.crowdsourcing.mephisto_task.blueprint import (
    BLUEPRINT_TYPE,
    SpotbotBlueprintArgs,
    SpotbotSharedState,
)
from parlai_spotbot.crowdsourcing.mephisto_task.crowd import MephistoCrowd
from parlai_spotbot.crowdsourcing.mephisto_task.launcher import DONE, UnitLauncher
from parlai_spotbot.crowdsourcing.mephisto_task.mturk import explained, use_credentials
from parlai_spotbot.crowdsourcing.mephisto_task.setup import PAGE, TaskSetup
from parlai_spotbot.errors import UserError

MakeServer = Callable[[Crowd, str, int], TaskServer]
POLL_SECONDS = 0.2
RETRY_SECONDS = 60.0

logger = get_logger(name=__name__)


@dataclass(frozen=True)
class ServeOutcome:
    """How a launch ended: `reason` "done" or "stopped"; `statuses` counts Mephisto's unit statuses."""

    reason: str
    url: str
    task_run_id: str
    statuses: dict[str, int]


def serve(
    setup: TaskSetup,
    *,
    make_server: MakeServer,
    stop: threading.Event,
    on_ready: Callable[[str], None] = lambda url: None,
) -> ServeOutcome:
    """Launch the task or resume it in place, and serve until all is done or `stop` is set.

    Nothing is expired at the end: the same call goes on from there. `on_ready` gets the server's address once it
    answers. Raises `UserError` on a setup that can't be launched, before anything is posted, and whatever ended the
    server. One operator at a time: the caller holds the lock.
    """
    setup.check()
    database = home.database(setup.data_root, setup.countries)
    operator = SpotbotOperator(database)
    try:
        config, shared = configuration(setup), shared_state(setup)
        requester(database, setup)
        with files.no_collection():
            run_id = operator.launch_task_run_or_die(config, replace(shared, make_server=make_server))
        live = operator.get_running_task_runs()[run_id]
        url = operator.urls[run_id]
        on_ready(url)
        reason = _work(live, setup.public_url or url, stop)
        operator.shutdown()
        return ServeOutcome(reason, url, run_id, database.unit_statuses(run_id))
    finally:
        operator.shutdown()
        database.shutdown()


def _work(live: LiveTaskRun, url: str, stop: threading.Event) -> str:
    """Post what is to be posted, while the server answers, and wait; a platform that fails is tried again later."""
    server: TaskServer = live.architect.server
    next_try = 0.0
    while not stop.wait(POLL_SECONDS):
        error = server.failed()
        if error is not None:
            raise error
        if server.finished():
            return "done"
        if time.monotonic() >= next_try:
            try:
                live.task_launcher.launch_units(url, lambda: stop.is_set() or server.failed() is not None)
                next_try = math.inf
            except UserError as err:
                logger.warning(f"{err.problem} Trying again in {RETRY_SECONDS:.0f} seconds.")
                next_try = time.monotonic() + RETRY_SECONDS
    return "stopped"


def close(setup: TaskSetup) -> dict[str, int]:
    """Expire all open units for good, with their HITs on MTurk, and end the run; returns the unit statuses.

    A later `serve` opens a new run with what isn't done. Work that is handed in afterwards is lost: announce it.
    """
    database = home.database(setup.data_root, setup.countries)
    try:
        counts: dict[str, int] = {}
        use_credentials(database, setup)
        for run in _runs(database, setup.task_name, unfinished=True):
            with explained(run.get_provider().datastore):
                for unit in run.get_units():
                    _expire(unit)
            database.update_task_run(run.db_id, is_completed=True)
            for status, count in database.unit_statuses(run.db_id).items():
                counts[status] = counts.get(status, 0) + count
        return counts
    finally:
        database.shutdown()


def _expire(unit: Any) -> None:
    if unit.db_status in AssignmentState.final_agent():
        return
    agent = unit.get_assigned_agent()
    if agent is not None and agent.db_status in DONE:
        return
    with contextlib.redirect_stdout(io.StringIO()):
        unit.expire()
    if unit.db_status != AssignmentState.EXPIRED:
        unit.set_db_status(AssignmentState.EXPIRED)
    if agent is not None and agent.get_status() not in AgentState.complete():
        agent.update_status(AgentState.STATUS_EXPIRED)


@contextlib.contextmanager
def signals(stop: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set `stop` while this is open, in the background too (where shells turn SIGINT off)."""
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- what Mephisto is told -------------------------------------------------------------------------------------------
def configuration(setup: TaskSetup) -> DictConfig:
    """Mephisto's configuration of a task run."""
    provider_class = get_crowd_provider_from_type(setup.provider_type)
    name = setup.requester + "_sandbox" if provider_class.is_sandbox() else setup.requester
    page = "" if setup.page == PAGE else str(setup.page)
    return OmegaConf.structured(
        MephistoConfig(
            blueprint=SpotbotBlueprintArgs(
                survey=setup.survey, platform=setup.provider, public_url=setup.public_url, page=page, tips_location=""
            ),
            provider=provider_class.ArgsClass(requester_name=name),
            architect=SpotbotArchitectArgs(host=setup.host, port=setup.port),
            task=TaskRunArgs(
                task_name=setup.task_name,
                task_title=setup.title,
                task_description=setup.description,
                task_reward=setup.pay,
                task_tags=",".join(setup.keywords),
                task_lifetime_in_seconds=round(setup.lifetime_days * 86400),
                assignment_duration_in_seconds=round(setup.minutes * 60),
            ),
            log_level="warning",
        )
    )


def shared_state(setup: TaskSetup) -> SpotbotSharedState:
    """Qualifications: those asked for, and that nobody may have failed this task's onboarding or controls."""
    failed = make_qualification_dict(f"{setup.task_name}-failed", QUAL_NOT_EXIST, None)
    asked = [
        make_qualification_dict(q["qualification_name"], q["comparator"], q["value"], q.get("applicable_providers"))
        for q in setup.qualifications
    ]
    # A frame of height 0 takes the height that MTurk has.
    return SpotbotSharedState(
        units=setup.units,
        qualifications=[*asked, failed],
        task_config={"frame_height": 0},
        mturk_specific_qualifications=list(setup.mturk_qualifications),
    )


def requester(database: Any, setup: TaskSetup) -> Requester:
    """Find or make the requester; on MTurk its credentials must be there (`UserError`), and are never written."""
    provider_class = get_crowd_provider_from_type(setup.provider_type)
    name = setup.requester + "_sandbox" if provider_class.is_sandbox() else setup.requester
    found = database.find_requesters(requester_name=name)
    if found and found[0].provider_type != setup.provider_type:
        raise UserError(f"requester '{name}' belongs to another provider.", "Choose another requester in the settings.")
    use_credentials(database, setup)
    return found[0] if found else provider_class.RequesterClass.new(database, name)


def _runs(database: Any, task_name: str, unfinished: bool = False) -> list[TaskRun]:
    tasks = database.find_tasks(task_name=task_name)
    if not tasks:
        return []
    return database.find_task_runs(task_id=tasks[0].db_id, is_completed=False if unfinished else None)


class SpotbotOperator(Operator):
    """Mephisto's operator, with a launch that resumes and a stop that keeps (see the module)."""

    def __init__(self, db: Any):
        self.db = db
        self.is_shutdown = False
        self.urls: dict[str, str] = {}
        self._crowds: list[MephistoCrowd] = []
        self._task_runs_tracked: dict[str, LiveTaskRun] = {}
        self._event_loop = asyncio.new_event_loop()
        self._loop_wrapper = LoopWrapper(self._event_loop)

    def launch_task_run_or_die(self, run_config: DictConfig, shared_state: SpotbotSharedState | None = None) -> str:
        """Create the run or find the unfinished one, set its rows right, start the server; returns the run's id.

        `shared_state.make_server(crowd, host, port)` builds the server. On a paid platform nothing is posted yet.
        """
        set_mephisto_log_level(level=run_config.log_level)
        person, provider_type = self._get_requester_and_provider_from_config(run_config)
        classes = (
            get_architect_from_type(ARCHITECT_TYPE),
            get_blueprint_from_type(BLUEPRINT_TYPE),
            get_crowd_provider_from_type(provider_type),
        )
        for abstraction in classes:
            abstraction.assert_task_args(run_config, shared_state)
        for qualification in shared_state.qualifications:
            find_or_create_qualification(self.db, qualification["qualification_name"])
        task_run = self._task_run(run_config, person)
        live = self._create_live_task_run(run_config, shared_state, task_run, *classes)
        launcher = UnitLauncher(self.db, task_run, shared_state.units, run_config.task.task_reward)
        live.task_launcher = launcher
        launcher.create_assignments()
        for unit in launcher.recover():
            live.task_runner.attach(unit, unit.get_assigned_agent())
        launcher.offer()
        self._set_up_provider(live, run_config, shared_state)
        crowd = MephistoCrowd(live, run_config.task.task_name, launcher.unit_ids)
        self._crowds.append(crowd)
        shared_state.make_server = partial(shared_state.make_server, crowd)
        self._task_runs_tracked[task_run.db_id] = live
        self.urls[task_run.db_id] = self._deploy(live)
        return task_run.db_id

    def _task_run(self, run_config: DictConfig, person: Requester) -> TaskRun:
        """The unfinished run of the task, or a new one; `UserError` where it was begun in another way."""
        name = run_config.task.task_name
        runs = _runs(self.db, name)
        for run in runs:
            _check_same(run, run_config)
        unfinished = _runs(self.db, name, unfinished=True)
        if unfinished:
            return unfinished[-1]
        tasks = self.db.find_tasks(task_name=name)
        task_id = tasks[0].db_id if tasks else self.db.new_task(name, BLUEPRINT_TYPE)
        init_params = json.dumps(OmegaConf.to_yaml(run_config, resolve=True))
        run_id = self.db.new_task_run(
            task_id, person.db_id, init_params, person.provider_type, BLUEPRINT_TYPE, person.is_sandbox()
        )
        return TaskRun.get(self.db, run_id)

    def _set_up_provider(self, live: LiveTaskRun, run_config: DictConfig, shared_state: SpotbotSharedState) -> None:
        """Once a run: on MTurk the HIT type (which it knows again if a crash makes us ask twice)."""
        marker = os.path.join(live.task_run.get_run_dir(), "provider_is_set_up")
        if not os.path.exists(marker):
            url = run_config.blueprint.public_url
            with explained(live.provider.datastore):
                live.provider.setup_resources_for_task_run(live.task_run, run_config, shared_state, url)
            with open(marker, "x"):
                pass

    def _deploy(self, live: LiveTaskRun) -> str:
        live.architect.prepare()
        url = live.architect.deploy()
        live.architect.cleanup()
        handler = live.client_io
        channels = live.architect.get_channels(
            handler._on_channel_open, handler._on_catastrophic_disconnect, handler._on_channel_message
        )
        for channel in channels:
            handler._register_channel(channel)
        return url

    def shutdown(self, skip_input: bool = True) -> None:
        """Stop serving; agents and units stay in the database as they are. Further calls do nothing."""
        if self.is_shutdown:
            return
        self.is_shutdown = True
        for live in self._task_runs_tracked.values():
            live.architect.shutdown()
            live.shutdown()
        for crowd in self._crowds:
            crowd.close()
        self._task_runs_tracked.clear()
        self._event_loop.close()

    def force_shutdown(self, timeout: int = 5) -> None:
        """As `shutdown`: there is nothing to be rushed, since nothing is expired."""
        self.shutdown()

    def wait_for_runs_then_shutdown(self, skip_input: bool = False, log_rate: int | None = None) -> None:
        """Serve until every run has ended by itself, then stop."""
        try:
            for live in list(self._task_runs_tracked.values()):
                _work(live, self.urls[live.task_run.db_id], threading.Event())
        finally:
            self.shutdown()


def _check_same(run: TaskRun, run_config: DictConfig) -> None:
    """Answers of one task come from one platform; posted HITs can't be changed."""
    before, now = run.args.blueprint, run_config.blueprint
    if before.platform != now.platform:
        raise UserError(
            f"This collection was begun on {before.platform}, not on {now.platform}.",
            f"Go on with {before.platform}, or collect the other answers in a copy of the study.",
        )
    if run.provider_type not in ("mturk", "mturk_sandbox") or not _open(run):
        return
    changed = [key for key in run.args.task if run.args.task[key] != run_config.task[key]]
    changed += ["public_url"] if before.public_url != now.public_url else []
    if changed:
        raise UserError(
            f"HITs are out with another {' and '.join(changed)}.", "Set it back, or close the collection first."
        )


def _open(run: TaskRun) -> bool:
    return any(found.db_id == run.db_id for found in run.db.find_task_runs(task_id=run.task_id, is_completed=False))
