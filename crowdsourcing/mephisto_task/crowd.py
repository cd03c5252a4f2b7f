"""The crowd as the desk sees it (`contract.Crowd`): hand-outs and answers carried over into Mephisto's database.

All calls come from one thread. Each costs the same however many units are open, leaves a state from which a restart
can go on wherever it is cut off, and does no harm when it is repeated. Where Mephisto's rows say something else than
the desk, the desk is right: its ledger is what was made durable first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from mephisto.abstractions.blueprint import AgentState
from mephisto.abstractions.database import EntryDoesNotExistException
from mephisto.data_model.agent import Agent
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.qualification import QUAL_NOT_EXIST
from mephisto.data_model.unit import Unit
from mephisto.data_model.worker import Worker
from mephisto.operations.datatypes import LiveTaskRun
from mephisto.utils.logger_core import get_logger
from mephisto.utils.qualifications import find_or_create_qualification, worker_is_qualified

from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task.launcher import DONE, clear_reservations, disconnect
from parlai_spotbot.crowdsourcing.mephisto_task.mturk import is_accepted, is_posted, note_claim
from parlai_spotbot.crowdsourcing.mephisto_task.setup import MTURK

BLOCKED = "You can't take part in this task."
FAILED = "You can't go on with this task, as some answers to questions with a known answer were wrong."
UNQUALIFIED = "This task is for annotators with a qualification that you don't have."

PATIENCE_SECONDS = 10.0

WHY_GONE = {"returned": AgentState.STATUS_RETURNED, "expired": AgentState.STATUS_TIMEOUT}

logger = get_logger(name=__name__)


class MephistoCrowd:
    """Annotators and units of one live task run.

    Parameters
    ----------
    name : str
        What the qualifications are called after: NAME-passed and NAME-failed.
    unit_ids : mapping
        Our unit id → Mephisto's.
    """

    def __init__(self, live_run: LiveTaskRun, name: str, unit_ids: Mapping[str, str]):
        self.task_run = live_run.task_run
        self.db = self.task_run.db
        self.provider = live_run.provider
        self.runner = live_run.task_runner
        self.passed, self.failed = f"{name}-passed", f"{name}-failed"
        self._unit_ids = unit_ids
        self._paid = self.provider.PROVIDER_TYPE in MTURK
        self._errands = ThreadPoolExecutor(1, "spotbot-platform") if self._paid else None
        self._under_way: list[Future] = []
        self._requester = self.task_run.get_requester() if self._paid else None
        self.qualifications = [q for q in live_run.qualifications if self._applies(q)]
        for qualification in (self.passed, self.failed):
            find_or_create_qualification(self.db, qualification)

    def _applies(self, qualification: dict) -> bool:
        providers = qualification.get("applicable_providers")
        return providers is None or self.provider.PROVIDER_TYPE in providers

    # -- annotators --------------------------------------------------------------------------------------------------
    def _known_worker(self, name: str) -> Worker | None:
        if self.provider.is_sandbox():
            name += "_sandbox"  # Mephisto's own mark of workers in a sandbox
        found = self.db.find_workers(worker_name=name, provider_type=self.provider.PROVIDER_TYPE)
        return found[0] if found else None

    def _worker(self, name: str, provider_data: Mapping[str, Any]) -> Worker:
        known = self._known_worker(name)
        if known is not None:
            return known
        data = {**provider_data, "worker_name": name}
        return self.provider.WorkerClass.new_from_provider_data(self.db, data)

    def refuses(self, visitor: Visitor) -> str | None:
        """Why this annotator may not work (blocked, not qualified), or None.

        Paid platforms keep blocked people out themselves, so there the network isn't asked.
        """
        worker = self._known_worker(visitor.worker)
        if worker is not None and not self._paid and worker.is_blocked(self.task_run.get_requester()):
            return BLOCKED
        for qualification in self.qualifications:
            if not self._meets(worker, qualification):
                return FAILED if qualification["qualification_name"] == self.failed else UNQUALIFIED
        return None

    def _meets(self, worker: Worker | None, qualification: dict) -> bool:
        """Whether the annotator meets one requirement; a value that was never granted meets none but "is not there"."""
        name, comparator = qualification["qualification_name"], qualification["comparator"]
        if worker is None or worker.get_granted_qualification(name) is None:
            return comparator == QUAL_NOT_EXIST
        return worker_is_qualified(worker, [qualification])

    def qualified(self, worker: str, passed: bool) -> None:
        """Grant NAME-passed, or NAME-failed (which `refuses` heeds from then on).

        The paid platform learns of it in a thread of its own: the desk waits for no network, and our database decides.
        """
        name = self.passed if passed else self.failed
        person = self._worker(worker, {})
        person.grant_qualification(name, 1, skip_crowd=True)
        if self._errands is not None:
            self._under_way = [told for told in self._under_way if not told.done()]
            self._under_way.append(self._errands.submit(self._tell_platform, person, name))

    def _tell_platform(self, worker: Worker, qualification: str) -> None:
        try:
            worker.grant_crowd_qualification(qualification, 1)
        except Exception as err:  # whatever the network does, our own database has it
            logger.warning(f"{qualification} could not be granted on the platform: {type(err).__name__}")

    # -- units -------------------------------------------------------------------------------------------------------
    def assign(self, visitor: Visitor, unit_id: str) -> str:
        """Give the unit to the annotator; returns Mephisto's id of the agent. An unknown unit is a KeyError."""
        unit = Unit.get(self.db, self._unit_ids[unit_id])
        self._vacate(unit)
        if self.task_run.reserve_unit(unit) is None:
            raise RuntimeError(f"unit {unit_id} is being given to somebody else")
        data = {
            "agent_registration_id": f"{visitor.registration}-{visitor.worker}",
            **visitor.provider_data,
            "worker_name": visitor.worker,
        }
        worker = self._worker(visitor.worker, data)
        if self._paid:
            note_claim(self.provider.datastore, data["hit_id"], visitor.registration)
        agent = self.provider.AgentClass.new_from_provider_data(self.db, worker, unit, data)
        self.runner.execute_unit(unit, agent)
        return agent.db_id

    def _vacate(self, unit: Unit) -> None:
        """Take the unit from an agent that the desk no longer knows, with the reservation that it left."""
        agent = unit.get_assigned_agent()
        if agent is not None:
            if agent.db_status in DONE:
                raise RuntimeError(f"{unit} is done, by {agent}")
            disconnect(unit, agent)
        elif unit.db_status != AssignmentState.LAUNCHED:
            unit.set_db_status(AssignmentState.LAUNCHED)
        self.runner.release(unit.db_id)

    def knows_hit(self, hit_id: str) -> bool:
        """Whether this is a HIT of this run on MTurk; any thread may ask."""
        return self._paid and is_posted(self.provider.datastore, self.task_run.db_id, hit_id)

    def has_accepted(self, hit_id: str) -> bool:
        """Whether somebody holds this HIT on MTurk, or has handed it in; any thread may ask. `UserError` where MTurk
        doesn't say."""
        return self._paid and is_accepted(self._requester, hit_id)

    def _agent(self, agent_id: str) -> Agent:
        try:
            return Agent.get(self.db, agent_id)
        except (EntryDoesNotExistException, ValueError):
            raise KeyError(f"no agent {agent_id!r}") from None

    def completed(self, agent_id: str, submission: dict) -> None:
        """Store the answers for Mephisto's tools, and mark agent and unit done, whatever Mephisto believed of them."""
        agent = self._agent(agent_id)
        if agent.db_status in DONE and agent.state.get_data()["outputs"] is not None:
            return self._finish(agent)
        state = agent.state
        if state.get_init_state() is None:
            state.inputs = self.runner.get_init_data_for_agent(agent)
            state.metadata.task_start = submission.get("started_at")
        agent.handle_submit(submission)
        if agent.db_status not in DONE:
            agent.update_status(AgentState.STATUS_COMPLETED)
            agent.mark_done()
        self._finish(agent)

    def _finish(self, agent: Agent) -> None:
        unit = Unit.get(self.db, agent.unit_id)
        if unit.agent_id != agent.db_id:
            other = unit.get_assigned_agent()
            if other is not None and other.db_status not in AgentState.complete():
                other.update_status(AgentState.STATUS_DISCONNECT)
            self.db.put_agent(unit.db_id, agent.db_id, agent.worker_id, AssignmentState.COMPLETED)
        elif unit.db_status not in AssignmentState.completed():
            unit.set_db_status(AssignmentState.COMPLETED)
        self.runner.release(unit.db_id)

    def gone(self, agent_id: str, how: str) -> None:
        """The agent gave the unit back (`how` "returned") or ran out of time ("expired"); the unit is free again.

        A unit that was taken off the offer stays so.
        """
        agent = self._agent(agent_id)
        if agent.db_status in DONE:
            return
        if agent.db_status not in AgentState.complete():
            agent.update_status(WHY_GONE[how])
        unit = Unit.get(self.db, agent.unit_id)
        if unit.agent_id == agent.db_id and unit.db_status not in AssignmentState.final_agent():
            unit.clear_assigned_agent()
            self.runner.release(unit.db_id)

    # -- restarts and counts -----------------------------------------------------------------------------------------
    def settle(self, open_agents: Iterable[str]) -> list[str]:
        """End agents at work that the ledger doesn't know (it crashed between Mephisto's note and its own).

        To be called after done submissions were replayed and before anyone is served. `open_agents` are the ids of the
        ledger's open hand-outs; returns the ids of those ended.
        """
        known, ended = set(open_agents), []
        for agent in self.db.find_agents(task_run_id=self.task_run.db_id, status=AgentState.STATUS_IN_TASK):
            if agent.db_id not in known:
                disconnect(Unit.get(self.db, agent.unit_id), agent)
                ended.append(agent.db_id)
        if ended:
            clear_reservations(self.task_run)
        return ended

    def forgotten(self, done_agents: Iterable[str]) -> int:
        """Offer units again that are done for Mephisto, but not for the ledger; returns how many.

        To be called as `settle`; `done_agents` are those of the ledger's done hand-outs. It is so where the ledger is
        a copy from before their answers. These stay with the agents.
        """
        known = set(done_agents)
        lost = [unit for unit, agent in self.db.handed_in(self.task_run.task_id) if agent not in known]
        for unit_id in lost:
            Unit.get(self.db, unit_id).clear_assigned_agent()
        return len(lost)

    def statuses(self) -> dict[str, int]:
        """How many of this run's units have each of Mephisto's statuses."""
        return self.db.unit_statuses(self.task_run.db_id)

    def close(self) -> None:
        """Wait a while for what the platform is still being told."""
        if self._errands is not None:
            wait(self._under_way, PATIENCE_SECONDS)
            self._errands.shutdown(wait=False, cancel_futures=True)
