"""The blueprint "spotbot": a block of conversations is one Assignment, its units in order are the Units.

What Mephisto stores of a unit is its id alone; transcripts, truths and answer keys never enter Mephisto's files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mephisto.abstractions.blueprint import (
    AgentState,
    Blueprint,
    BlueprintArgs,
    SharedTaskState,
    TaskBuilder,
    TaskRunner,
)
from mephisto.data_model.assignment import InitializationData
from mephisto.operations.registry import register_mephisto_abstraction

from parlai_spotbot.crowdsourcing.mephisto_task.agent_state import SpotbotAgentState
from parlai_spotbot.crowdsourcing.mephisto_task.builder import SpotbotTaskBuilder
from parlai_spotbot.crowdsourcing.mephisto_task.runner import SpotbotTaskRunner
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Unit

BLUEPRINT_TYPE = "spotbot"


@dataclass
class SpotbotBlueprintArgs(BlueprintArgs):
    """What is remembered with a task run: it must be the same when the run is resumed."""

    _blueprint_type: str = BLUEPRINT_TYPE
    survey: str = field(default="", metadata={"help": "Name of the survey"})
    platform: str = field(default="in_house", metadata={"help": "in_house, prolific, mturk_sandbox or mturk"})
    public_url: str = field(
        default="", metadata={"help": "Where annotators reach the server, if not at its own address"}
    )
    page: str = field(default="", metadata={"help": "Folder of the built page; empty for the package's own"})


@dataclass
class SpotbotSharedState(SharedTaskState):
    """`units` to annotate, and `make_server(host, port)` that builds the server which annotators talk to.

    `mturk_specific_qualifications` is the name by which Mephisto's MTurk provider looks for them.
    """

    units: Sequence[Unit] = ()
    make_server: Callable[[str, int], Any] | None = None
    mturk_specific_qualifications: Sequence[dict] = ()


def blocks(units: Iterable[Unit]) -> list[InitializationData]:
    """One entry a block, in order of first appearance, with its units in order."""
    by_block: dict[str, list[Unit]] = {}
    for unit in units:
        by_block.setdefault(unit.block_id, []).append(unit)
    return [
        InitializationData(shared={"block_id": block}, unit_data=[{"unit_id": unit.unit_id} for unit in members])
        for block, members in by_block.items()
    ]


@register_mephisto_abstraction()
class SpotbotBlueprint(Blueprint):
    """Mephisto's entry to the task."""

    BLUEPRINT_TYPE = BLUEPRINT_TYPE
    AgentStateClass: ClassVar[type[AgentState]] = SpotbotAgentState
    OnboardingAgentStateClass: ClassVar[type[AgentState]] = SpotbotAgentState
    TaskBuilderClass: ClassVar[type[TaskBuilder]] = SpotbotTaskBuilder
    TaskRunnerClass: ClassVar[type[TaskRunner]] = SpotbotTaskRunner
    ArgsClass: ClassVar[type[BlueprintArgs]] = SpotbotBlueprintArgs
    SharedStateClass: ClassVar[type[SharedTaskState]] = SpotbotSharedState

    @classmethod
    def assert_task_args(cls, args: Any, shared_state: SpotbotSharedState) -> None:
        """`UserError` where there is nothing to annotate."""
        if not shared_state.units:
            raise UserError("The task has no units.", "Pack some (spotbot_pack) for the study.")

    def get_initialization_data(self) -> list[InitializationData]:
        return blocks(self.shared_state.units)
