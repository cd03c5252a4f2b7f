"""The in-house crowd provider: annotators whom one knows (or who come from Prolific), without a paid platform behind.

Signed links stand for identity, which is the door's business; here a worker is a name. Nothing is paid from here:
approvals, rejections and bonuses are written down, so that Mephisto's own review tools work and a list can be paid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mephisto.abstractions.blueprint import AgentState
from mephisto.abstractions.crowd_provider import CrowdProvider, ProviderArgs
from mephisto.data_model.agent import Agent
from mephisto.data_model.assignment import Assignment
from mephisto.data_model.constants.assignment_state import AssignmentState
from mephisto.data_model.requester import Requester
from mephisto.data_model.unit import Unit
from mephisto.data_model.worker import Worker
from mephisto.operations.registry import register_mephisto_abstraction
from mephisto.utils.logger_core import get_logger

from parlai_spotbot.crowdsourcing.mephisto_task.datastore import InHouseDatastore
from parlai_spotbot.errors import UserError

PROVIDER_TYPE = "spotbot_in_house"

logger = get_logger(name=__name__)


class _InHouse:
    """Gives each of the provider's objects the datastore, and the way Mephisto makes new ones of them."""

    @property
    def datastore(self) -> InHouseDatastore:
        return self.db.get_datastore_for_provider(PROVIDER_TYPE)


class InHouseRequester(_InHouse, Requester):
    """Requester in the house: there is no account to register, and no balance that could run out."""

    def register(self, args: Any = None) -> None:
        """Nothing to register: in-house people are paid outside."""

    def is_registered(self) -> bool:
        return True

    def get_available_budget(self) -> float:
        return math.inf

    @staticmethod
    def new(db: Any, requester_name: str) -> Requester:
        db.get_datastore_for_provider(PROVIDER_TYPE)
        return InHouseRequester._register_requester(db, requester_name, PROVIDER_TYPE)


class InHouseWorker(_InHouse, Worker):
    """An annotator, by the name that the link was signed for (or Prolific's id)."""

    def bonus_worker(self, amount: float, reason: str, unit: Unit | None = None) -> tuple[bool, str]:
        """Write the bonus (dollars) down for whoever pays; returns (True, "")."""
        self.datastore.bonus(self.db_id, unit.db_id if unit else None, amount, reason)
        return True, ""

    def block_worker(
        self, reason: str, unit: Unit | None = None, requester: Requester | None = None
    ) -> tuple[bool, str]:
        self.datastore.block(self.db_id, reason)
        return True, ""

    def unblock_worker(self, reason: str, requester: Requester) -> bool:
        self.datastore.unblock(self.db_id)
        return True

    def is_blocked(self, requester: Requester) -> bool:
        return self.datastore.is_blocked(self.db_id)

    def is_eligible(self, task_run: Any) -> bool:
        return not self.is_blocked(task_run.get_requester())

    @staticmethod
    def new(db: Any, worker_id: str) -> Worker:
        return InHouseWorker._register_worker(db, worker_id, PROVIDER_TYPE)


class InHouseUnit(_InHouse, Unit):
    """A unit on offer to everyone who has a link."""

    def launch(self, task_url: str) -> None:
        self.set_db_status(AssignmentState.LAUNCHED)

    def expire(self) -> float:
        """Take the unit off the offer, unless it is done; nothing has to be waited for (0 seconds)."""
        if self.get_status() not in AssignmentState.final_agent():
            self.set_db_status(AssignmentState.EXPIRED)
        return 0.0

    def is_expired(self) -> bool:
        return self.get_db_status() == AssignmentState.EXPIRED

    @staticmethod
    def new(db: Any, assignment: Assignment, index: int, pay_amount: float) -> Unit:
        return InHouseUnit._register_unit(db, assignment, index, pay_amount, PROVIDER_TYPE)


class InHouseAgent(_InHouse, Agent):
    """An annotator at work on a unit."""

    def approve_work(self) -> None:
        if self.get_status() == AgentState.STATUS_APPROVED:
            return
        self.datastore.review(self.db_id, "approved")
        self.update_status(AgentState.STATUS_APPROVED)

    def reject_work(self, reason: str) -> None:
        """Reject the work; approved work stays approved, as on paid platforms."""
        if self.get_status() == AgentState.STATUS_APPROVED:
            logger.warning(f"{self} is approved already and can't be rejected.")
            return
        self.datastore.review(self.db_id, "rejected", reason or "")
        self.update_status(AgentState.STATUS_REJECTED)

    def mark_done(self) -> None:
        """No platform waits for a sign that the work is done."""

    @staticmethod
    def new(db: Any, worker: Worker, unit: Unit) -> Agent:
        return InHouseAgent._register_agent(db, worker, unit, PROVIDER_TYPE)


@dataclass
class InHouseProviderArgs(ProviderArgs):
    """Nothing beyond the requester's name."""

    _provider_type: str = PROVIDER_TYPE


@register_mephisto_abstraction()
class InHouseProvider(CrowdProvider):
    """Mephisto's entry to the classes above."""

    PROVIDER_TYPE = PROVIDER_TYPE
    UnitClass: ClassVar[type[Unit]] = InHouseUnit
    RequesterClass: ClassVar[type[Requester]] = InHouseRequester
    WorkerClass: ClassVar[type[Worker]] = InHouseWorker
    AgentClass: ClassVar[type[Agent]] = InHouseAgent
    ArgsClass = InHouseProviderArgs

    def initialize_provider_datastore(self, storage_path: str) -> InHouseDatastore:
        return InHouseDatastore(storage_path)

    def setup_resources_for_task_run(self, task_run: Any, args: Any, shared_state: Any, server_url: str) -> None:
        """Nothing lies outside the data root."""

    def cleanup_resources_from_task_run(self, task_run: Any, server_url: str) -> None:
        """Nothing lies outside the data root."""

    @classmethod
    def get_wrapper_js_path(cls) -> str:
        """There is no script that a page could claim an identity with: `UserError`."""
        raise UserError(
            "In-house annotators are known by signed links, which only our own server checks.",
            "Launch with spotbot_crowdsource, or use Mephisto's provider 'mock' with other architects.",
        )
