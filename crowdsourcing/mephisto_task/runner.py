"""The task runner: it knows who is at work on what, and holds no thread for them.

Stock Mephisto keeps a thread waiting for every annotator, and a thread's end decides what becomes of the unit; a
stopped operator thus loses its annotators. Here an open unit is a row in the database, the desk's answers are the
events, and `execute_unit` returns at once.
"""

from __future__ import annotations

import threading
from typing import Any

from mephisto.abstractions._subcomponents.task_runner import RunningUnit
from mephisto.abstractions.blueprint import AgentState, TaskRunner
from mephisto.data_model.agent import Agent
from mephisto.data_model.assignment import Assignment
from mephisto.data_model.unit import Unit


class SpotbotTaskRunner(TaskRunner):
    """`running_units` holds the open units by Mephisto's id; they are there again after a restart (`attach`)."""

    def __init__(self, task_run: Any, args: Any, shared_state: Any):
        super().__init__(task_run, args, shared_state)
        self.is_concurrent = False

    def get_init_data_for_agent(self, agent: Agent) -> dict[str, Any]:
        """{"unit_id": ours} of the agent's unit; what a page is shown comes from the desk."""
        unit = agent.get_unit()
        return unit.get_assignment_data().unit_data[unit.unit_index]

    # -- driven by the desk ------------------------------------------------------------------------------------------
    def execute_unit(self, unit: Unit, agent: Agent) -> None:
        """The agent is at work from now on."""
        agent.update_status(AgentState.STATUS_IN_TASK)
        self.attach(unit, agent)

    def attach(self, unit: Unit, agent: Agent) -> None:
        """Know an agent that is at work already, from before a restart."""
        self.running_units[unit.db_id] = RunningUnit(unit, agent, threading.current_thread())

    def release(self, unit_id: str) -> None:
        """The unit is done, given back or out of time: forget it, and let it be reserved again."""
        running = self.running_units.pop(unit_id, None)
        self.task_run.clear_reservation(running.unit if running else Unit.get(self.task_run.db, unit_id))

    def shutdown(self) -> None:
        """Let go of all open units; in the database they stay as they are."""
        self.running_units.clear()

    # -- driven by stock Mephisto (its contract tests, other architects) ---------------------------------------------
    def run_unit(self, unit: Unit, agent: Agent) -> None:
        """Wait until the agent submits; raises Mephisto's errors when it returns, disconnects or runs out of time."""
        agent.await_submit(self.task_run.get_task_args().assignment_duration_in_seconds)

    def cleanup_unit(self, unit: Unit) -> None:
        """Forget an interrupted unit."""
        self.running_units.pop(unit.db_id, None)

    def run_assignment(self, assignment: Assignment, agents: list[Agent]) -> None:
        """Units of a block don't wait for one another; their agents merely end one after the other here."""
        for agent in agents:
            self.run_unit(agent.get_unit(), agent)

    def cleanup_assignment(self, assignment: Assignment) -> None:
        """Forget an interrupted block."""
        self.running_assignments.pop(assignment.db_id, None)
