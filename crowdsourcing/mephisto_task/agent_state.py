"""What Mephisto keeps of one annotator's work on one unit: a JSON file in the agent's folder, replaced atomically.

The ledger is what the analysis reads; this copy is what Mephisto's own review tools and DataBrowser show.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mephisto.abstractions._subcomponents.agent_state import _AgentStateMetadata
from mephisto.abstractions.blueprint import AgentState

from parlai_spotbot import files

DATA_FILE = "agent_data.json"


class SpotbotAgentState(AgentState):
    """`inputs` is the unit's id, `outputs` the submission as the desk accepted it; times are seconds since 1970.

    Mephisto's metadata lies in the same file, so that no crash can leave one without the other.
    """

    inputs: dict[str, Any] | None = None
    outputs: dict[str, Any] | None = None

    @property
    def path(self) -> Path:
        return Path(self.agent.get_data_dir()) / DATA_FILE

    def load_metadata(self) -> None:
        """Part of the data file: see `_load_data`."""
        self.metadata = _AgentStateMetadata()

    def save_metadata(self) -> None:
        """Part of the data file: `save_data` has written it when it gets here."""

    def _load_data(self) -> None:
        if not os.path.exists(self.path):
            return
        stored = files.read_json(self.path, "record of an annotator's work")
        self.inputs, self.outputs = stored["inputs"], stored["outputs"]
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
        """The submission alone, {} before there is one."""
        return self.outputs or {}

    def update_data(self, live_update: dict[str, Any]) -> None:
        """What happens while a unit is open (turns opened, decisions) is in the ledger, so nothing may be sent here."""
        raise ValueError(f"expected no live updates, got {sorted(live_update)}")

    def _update_submit(self, submit_data: dict[str, Any]) -> None:
        self.outputs = submit_data
