"""The blueprint "spotbot": what Mephisto stores of a finished unit, for its own tools.

Our server hands out units and takes answers; Mephisto builds, serves and runs nothing. Transcripts, truths and answer
keys never enter Mephisto's files.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from mephisto.abstractions._subcomponents.agent_state import _AgentStateMetadata
from mephisto.abstractions.blueprint import AgentState, Blueprint, BlueprintArgs
from mephisto.data_model.assignment import InitializationData
from mephisto.operations.registry import register_mephisto_abstraction

from parlai_spotbot import files

BLUEPRINT_TYPE = "spotbot"
DATA_FILE = "agent_data.json"


class SpotbotAgentState(AgentState):
    """Answers to one unit in a JSON file that is replaced atomically, with Mephisto's metadata.

    `inputs` is the unit's id, `outputs` the submission as the desk accepted it; times are seconds since 1970.
    """

    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None

    @property
    def path(self) -> Path:
        return Path(self.agent.get_data_dir()) / DATA_FILE

    def load_metadata(self) -> None:
        """Load nothing: `_load_data` reads the metadata from the data file."""
        self.metadata = _AgentStateMetadata()

    def save_metadata(self) -> None:
        """Save nothing: `_save_data` has written the metadata."""

    def _load_data(self) -> None:
        if os.path.exists(self.path):
            stored = files.read_json(self.path, "record of an annotator's work")
            self.inputs = stored["inputs"]
            self.outputs = stored["outputs"]
            self.metadata = _AgentStateMetadata(**stored["metadata"])

    def _save_data(self) -> None:
        stored = {"inputs": self.inputs, "outputs": self.outputs, "metadata": vars(self.metadata)}
        files.write_json(self.path, stored)

    def _set_init_state(self, data: Any) -> None:
        self.inputs = data

    def get_init_state(self) -> dict[str, Any] | None:
        return self.inputs

    def get_data(self) -> dict[str, Any]:
        return {"inputs": self.inputs, "outputs": self.outputs}

    def get_parsed_data(self) -> dict[str, Any]:
        """Return the submission, {} before there is one."""
        return self.outputs or {}

    def update_data(self, live_update: dict[str, Any]) -> None:
        """Refuse live updates: the ledger holds what happens while a unit is open."""
        raise ValueError(f"expected no live updates, got {sorted(live_update)}")

    def _update_submit(self, submit_data: dict[str, Any]) -> None:
        self.outputs = submit_data


@dataclass
class SpotbotBlueprintArgs(BlueprintArgs):
    """Options kept with a task run; they must not change while it is open."""

    _blueprint_type: str = BLUEPRINT_TYPE
    survey: str = field(default="", metadata={"help": "Name of the survey"})
    platform: str = field(default="in_house", metadata={"help": "Name of the platform"})
    public_url: str = field(
        default="", metadata={"help": "Where annotators reach the server, if not at its own address"}
    )


@register_mephisto_abstraction()
class SpotbotBlueprint(Blueprint):
    """Mephisto's entry to the classes above."""

    BLUEPRINT_TYPE = BLUEPRINT_TYPE
    AgentStateClass: ClassVar[type[AgentState]] = SpotbotAgentState
    OnboardingAgentStateClass: ClassVar[type[AgentState]] = SpotbotAgentState
    ArgsClass: ClassVar[type[BlueprintArgs]] = SpotbotBlueprintArgs

    def get_initialization_data(self) -> list[InitializationData]:
        """Return nothing: units are recorded when they are finished."""
        return []
