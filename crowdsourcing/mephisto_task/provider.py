"""The in-house crowd provider: known annotators (or Prolific's), without a paid platform behind.

Signed links stand for identity, which is the door's business; here a worker is a name. Nothing is paid from here:
Mephisto's database has approvals and rejections.
"""

import logging
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
from mephisto.utils.qualifications import find_or_create_qualification

from parlai_spotbot.errors import UserError

PROVIDER_TYPE = "spotbot_in_house"
BLOCKED = "spotbot_blocked"
"""Mephisto's qualification of workers who are blocked."""

logger = logging.getLogger(__name__)


class InHouseRequester(Requester):
    """Requester in the house: there is no account to register, and no balance that could run out."""

    def register(self, args: Any = None) -> None:
        """Do nothing: in-house people are paid outside."""

    def is_registered(self) -> bool:
        return True

    def get_available_budget(self) -> float:
        return math.inf

    @staticmethod
    def new(db: Any, requester_name: str) -> Requester:
        db.get_datastore_for_provider(PROVIDER_TYPE)
        return InHouseRequester._register_requester(db, requester_name, PROVIDER_TYPE)


class InHouseWorker(Worker):
    """An annotator, by the name that the link was signed for (or Prolific's id)."""

    def bonus_worker(self, amount: float, reason: str, unit: Unit | None = None) -> tuple[bool, str]:
        """Refuse: nothing is paid from here."""
        return False, "pay in-house annotators and Prolific's outside of Mephisto"

    def block_worker(
        self, reason: str, unit: Unit | None = None, requester: Requester | None = None
    ) -> tuple[bool, str]:
        find_or_create_qualification(self.db, BLOCKED)
        self.grant_qualification(BLOCKED)
        return True, ""

    def unblock_worker(self, reason: str, requester: Requester) -> bool:
        self.revoke_qualification(BLOCKED)
        return True

    def is_blocked(self, requester: Requester) -> bool:
        return self.is_qualified(BLOCKED)

    def is_eligible(self, task_run: Any) -> bool:
        return not self.is_qualified(BLOCKED)

    @staticmethod
    def new(db: Any, worker_id: str) -> Worker:
        return InHouseWorker._register_worker(db, worker_id, PROVIDER_TYPE)


class InHouseUnit(Unit):
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


class InHouseAgent(Agent):
    """An annotator at work on a unit."""

    def approve_work(self) -> None:
        self.update_status(AgentState.STATUS_APPROVED)

    def reject_work(self, reason: str) -> None:
        """Reject the work; approved work stays approved, as on paid platforms."""
        if self.get_status() == AgentState.STATUS_APPROVED:
            logger.warning(f"{self} is approved already and can't be rejected.")
            return
        self.update_status(AgentState.STATUS_REJECTED)

    def mark_done(self) -> None:
        """Do nothing: no platform waits for a sign that the work is done."""

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

    def initialize_provider_datastore(self, storage_path: str) -> str:
        """Return the provider's folder, in which nothing is kept."""
        return storage_path

    def setup_resources_for_task_run(self, task_run: Any, args: Any, shared_state: Any, server_url: str) -> None:
        """Do nothing: nothing lies outside the data root."""

    def cleanup_resources_from_task_run(self, task_run: Any, server_url: str) -> None:
        """Do nothing: nothing lies outside the data root."""

    @classmethod
    def get_wrapper_js_path(cls) -> str:
        """Raise `UserError`: there is no script that a page could claim an identity with."""
        raise UserError(
            "In-house annotators are known by signed links, which only our own server checks.",
            "Launch with spotbot_crowdsource, or use Mephisto's provider 'mock' with other architects.",
        )
