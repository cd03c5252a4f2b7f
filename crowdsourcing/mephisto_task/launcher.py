"""Mephisto's mirror of the units: created where they are missing, launched where they are only created, set right after
a crash. Every step can be cut off at any point and done again.

The ledger is the authority on who got what; Mephisto's rows follow it.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from mephisto.abstractions.blueprint import AgentState
from mephisto.data_model.agent import Agent
from mephisto.data_model.assignment import ASSIGNMENT_DATA_FILE, Assignment, InitializationData
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.task_run import TaskRun
from mephisto.data_model.unit import Unit
from mephisto.operations.task_launcher import TaskLauncher

from parlai_spotbot import records
from parlai_spotbot.crowdsourcing.mephisto_task import mturk
from parlai_spotbot.crowdsourcing.mephisto_task.blueprint import blocks
from parlai_spotbot.crowdsourcing.mephisto_task.setup import MTURK

NOT_YET = (AgentState.STATUS_NONE, AgentState.STATUS_ACCEPTED, AgentState.STATUS_ONBOARDING, AgentState.STATUS_WAITING)
"""Agents that a crash caught before they had their unit."""

DONE = (
    AgentState.STATUS_COMPLETED,
    AgentState.STATUS_APPROVED,
    AgentState.STATUS_SOFT_REJECTED,
    AgentState.STATUS_REJECTED,
)


class UnitLauncher(TaskLauncher):
    """A task launcher that may be run again and again over the same task run, and has no threads.

    `unit_ids` maps our unit ids to Mephisto's, over all runs of the task, without expired units.
    """

    def __init__(self, db: Any, task_run: TaskRun, units: Iterable[records.Unit], pay: float):
        self.wanted = tuple(units)
        self.pay = pay
        self.unit_ids: dict[str, str] = {}
        super().__init__(db, task_run, blocks(self.wanted))

    # -- creating ----------------------------------------------------------------------------------------------------
    def create_assignments(self) -> None:
        """Make sure that every wanted unit has its row: half-made assignments are filled, missing ones added.

        Units that are new in the study, or whose earlier row expired, become further assignments.
        """
        empty = self._adopt_known()
        missing = [unit for unit in self.wanted if unit.unit_id not in self.unit_ids]
        made = []
        for data in blocks(missing):
            assignment = empty.pop() if empty else self._new_assignment()
            path = Path(assignment.get_data_dir()) / ASSIGNMENT_DATA_FILE
            text = json.dumps({"shared": data.shared, "unit_data": data.unit_data})  # as dumpJSON, three times as fast
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")  # what a crash tears is made anew
            made.append((assignment, data, range(len(data.unit_data))))
        self._create_units(made)

    def _adopt_known(self) -> list[Assignment]:
        """Read what there is into `unit_ids`; returns this run's assignments that have no units yet."""
        task_id = self.task_run.task_id
        rows: dict[str, dict[int, Unit]] = {}
        for unit in self.db.find_units(task_id=task_id):
            rows.setdefault(unit.assignment_id, {})[unit.unit_index] = unit
        empty, partly = [], []
        for assignment in self.db.find_assignments(task_id=task_id):
            units, data = rows.get(assignment.db_id, {}), _stored(assignment)
            ours = assignment.task_run_id == self.task_run.db_id
            if data is None:
                _expire_nameless(units.values())
                empty += [assignment] if ours and not units else []
                continue
            self.assignments.append(assignment)
            self._know(data, units.values())
            if ours:
                partly.append((assignment, data, [i for i in range(len(data.unit_data)) if i not in units]))
        self._create_units(partly)
        return empty

    def _know(self, data: InitializationData, units: Iterable[Unit]) -> None:
        for unit in units:
            if unit.db_status != AssignmentState.EXPIRED:
                self.unit_ids[data.unit_data[unit.unit_index]["unit_id"]] = unit.db_id
                self.units.append(unit)

    def _new_assignment(self) -> Assignment:
        run = self.task_run
        return Assignment.get(
            self.db,
            self.db.new_assignment(
                run.task_id, run.db_id, run.requester_id, run.task_type, run.provider_type, run.sandbox
            ),
        )

    def _create_units(self, lacking: list[tuple[Assignment, InitializationData, Sequence[int]]]) -> None:
        """Rows of units for assignments of this run: what each was made of, and the places that have none yet."""
        lacking = [(assignment, data, places) for assignment, data, places in lacking if places]
        if self.provider_type in MTURK:  # it writes down each of them
            for assignment, data, places in lacking:
                self._know(data, [self.UnitClass.new(self.db, assignment, place, self.pay) for place in places])
        elif lacking:
            self.db.new_units([(assignment, place) for assignment, _, places in lacking for place in places], self.pay)
            new = {assignment.db_id: (data, places) for assignment, data, places in lacking}
            for unit in self.db.find_units(task_run_id=self.task_run.db_id):
                data, places = new.get(unit.assignment_id, (None, ()))
                if unit.unit_index in places:
                    self._know(data, [unit])

    # -- launching ---------------------------------------------------------------------------------------------------
    def offer(self) -> None:
        """Units that are only created may be handed out from now on."""
        self.db.launch_created(self.task_run.task_id)
        for unit in self.units:
            if unit.db_status == AssignmentState.CREATED:
                unit.db_status = AssignmentState.LAUNCHED

    def launch_units(self, url: str, halt: Callable[[], bool] = lambda: False) -> None:
        """Post what a paid platform has to know of: on MTurk one HIT a unit of this run.

        HITs are interchangeable (which unit its annotator gets is settled when they arrive), so that after a crash the
        number missing is posted. `offer` comes before, hence no unit's status changes here. Ends early where `halt`
        says so; what the platform refuses is a `UserError`.
        """
        self.launch_url = url
        if self.provider_type not in MTURK:
            return
        units = [unit for unit in self.units if unit.task_run_id == self.task_run.db_id]
        with mturk.explained(self.task_run.get_provider().datastore):
            missing = len(units) - len(mturk.posted(self.task_run, url, len(units))) if units else 0
            for unit in units[: max(0, missing)]:
                if halt():
                    return
                unit.db_status = AssignmentState.LAUNCHED
                with contextlib.redirect_stdout(io.StringIO()):  # it prints a link a HIT
                    unit.launch(url)

    # -- setting right after a crash ---------------------------------------------------------------------------------
    def recover(self) -> list[Unit]:
        """Clear reservations, end agents that died before they had their unit; returns units that are at work."""
        clear_reservations(self.task_run)
        for status in NOT_YET:
            for agent in self.db.find_agents(task_run_id=self.task_run.db_id, status=status):
                agent.update_status(AgentState.STATUS_DISCONNECT)
        at_work = []
        for unit in self.db.find_units(task_run_id=self.task_run.db_id, status=AssignmentState.ASSIGNED):
            agent = unit.get_assigned_agent()
            if agent is not None and agent.db_status == AgentState.STATUS_IN_TASK:
                at_work.append(unit)
            elif agent is not None and agent.db_status in DONE:
                unit.set_db_status(AssignmentState.COMPLETED)
            else:
                unit.clear_assigned_agent()
        return at_work


def _stored(assignment: Assignment) -> InitializationData | None:
    """What the assignment was made of; None where a crash came before the file."""
    try:
        data = assignment.get_assignment_data()
        return data if all("unit_id" in entry for entry in data.unit_data) else None
    except (AssertionError, OSError, json.JSONDecodeError, KeyError, TypeError):
        return None


def _expire_nameless(units: Iterable[Unit]) -> None:
    """Rows whose file a power cut took: nobody knows what they were, so nobody may get them."""
    for unit in units:
        if unit.db_status not in AssignmentState.final_agent():
            unit.set_db_status(AssignmentState.EXPIRED)


def clear_reservations(task_run: TaskRun) -> None:
    """Remove the marker files by which Mephisto reserves units; after a crash nobody would."""
    folder = os.path.join(task_run.get_run_dir(), "reservations")
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))


def disconnect(unit: Unit, agent: Agent) -> None:
    """End an agent that nobody knows of any more, and offer its unit again."""
    if agent.db_status not in AgentState.complete():
        agent.update_status(AgentState.STATUS_DISCONNECT)
    unit.clear_assigned_agent()
