"""Finished units in Mephisto's database, for review, payment and approval: `contract.Crowd` as the desk calls it.

The ledger is the authority. A finished unit becomes an assignment, a unit, an agent and a worker; calls may be repeated
and cut off anywhere.
"""

from mephisto.abstractions.blueprint import AgentState
from mephisto.data_model.agent import Agent
from mephisto.data_model.assignment import Assignment, InitializationData
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.task_run import TaskRun
from mephisto.data_model.unit import Unit
from mephisto.data_model.worker import Worker

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.crowdsourcing.mephisto_task import mturk
from parlai_spotbot.crowdsourcing.mephisto_task.setup import MTURK

BLOCKED = "You can't take part in this task."

DONE = (
    AgentState.STATUS_COMPLETED,
    AgentState.STATUS_APPROVED,
    AgentState.STATUS_SOFT_REJECTED,
    AgentState.STATUS_REJECTED,
)


class FinishedUnits:
    """Workers and finished units of one task run; `pay` is for a unit."""

    def __init__(self, task_run: TaskRun, pay: float):
        self.task_run = task_run
        self.db = task_run.db
        self.pay = pay
        self.provider = task_run.get_provider()
        self.requester = task_run.get_requester()
        self.paid = self.provider.PROVIDER_TYPE in MTURK

    # -- annotators --------------------------------------------------------------------------------------------------
    def _known_worker(self, name: str) -> Worker | None:
        if self.provider.is_sandbox():
            name += "_sandbox"  # Mephisto's mark of workers in a sandbox
        workers = self.db.find_workers(worker_name=name, provider_type=self.provider.PROVIDER_TYPE)
        return next(iter(workers), None)

    def refuses(self, visitor: Visitor) -> str | None:
        """Return why this annotator may not work, or None; paid platforms keep blocked people out themselves."""
        if self.paid:
            return None
        worker = self._known_worker(visitor.worker)
        if worker is not None and worker.is_blocked(self.requester):
            return BLOCKED
        return None

    def arrived(self, visitor: Visitor) -> None:
        """Note by which HIT an annotator came, where there are HITs."""
        if self.paid:
            mturk.note_claim(self.provider.datastore, visitor.provider_data["hit_id"], visitor.registration)

    def knows_hit(self, hit_id: str) -> bool:
        """Return whether this is a HIT of this run on MTurk; any thread may ask."""
        return mturk.is_posted(self.provider.datastore, self.task_run.db_id, hit_id)

    def has_accepted(self, hit_id: str) -> bool:
        """Return whether somebody holds this HIT on MTurk, or has handed it in; `UserError` where MTurk is silent."""
        return mturk.is_accepted(self.requester, hit_id)

    # -- units -------------------------------------------------------------------------------------------------------
    def _new_agent(self, worker: Worker, handout: Handout) -> Agent:
        """Create an agent for a unit in an assignment of its own."""
        data = {}
        unit = self._spare_unit() or self._new_unit()
        unit.get_assignment().write_assignment_data(InitializationData({}, [{"unit_id": handout.unit_id}]))
        unit.db_status = AssignmentState.LAUNCHED  # Mephisto gives agents to no others; the row says "created"
        if self.paid:
            hit_id = mturk.claimed_hit(self.provider.datastore, handout.registration)
            data = {"hit_id": hit_id, "assignment_id": handout.registration}
        return self.provider.AgentClass.new_from_provider_data(self.db, worker, unit, data)

    def _spare_unit(self) -> Unit | None:
        """Return a unit that a crash left without an agent."""
        units = self.db.find_units(task_run_id=self.task_run.db_id, status=AssignmentState.CREATED)
        return next(iter(units), None)

    def _new_unit(self) -> Unit:
        run = self.task_run
        ids = run.task_id, run.db_id, run.requester_id, run.task_type, run.provider_type, run.sandbox
        assignment = Assignment.get(self.db, self.db.new_assignment(*ids))
        return self.provider.UnitClass.new(self.db, assignment, 0, self.pay)

    def finished(self, handout: Handout, submission: dict) -> str:
        """Record a unit that was handed in; returns Mephisto's id of its agent."""
        name = handout.worker
        worker = self._known_worker(name) or self.provider.WorkerClass.new(self.db, name)
        agent = self._agent_of(worker, handout)
        if agent is None:
            agent = self._new_agent(worker, handout)
        if agent.db_status not in DONE or agent.state.get_data()["outputs"] is None:
            state = agent.state
            state.inputs = {"unit_id": handout.unit_id}
            state.metadata.task_start = submission.get("started_at")
            agent.handle_submit(submission)
        if agent.db_status not in DONE:
            agent.update_status(AgentState.STATUS_COMPLETED)
            agent.mark_done()
        unit = agent.get_unit()
        if unit.db_status not in AssignmentState.completed():
            unit.set_db_status(AssignmentState.COMPLETED)
        return agent.db_id

    def _agent_of(self, worker: Worker, handout: Handout) -> Agent | None:
        """Return the agent that an earlier call made for this hand-out, also where a crash cut it off."""
        spare = None
        for agent in self.db.find_agents(worker_id=worker.db_id):
            answers = agent.state.get_parsed_data()
            if agent.db_id == handout.agent_id or answers.get("handle") == handout.handle:
                return agent
            if not answers and agent.db_status in (AgentState.STATUS_NONE, AgentState.STATUS_ACCEPTED):
                spare = agent
        return spare
