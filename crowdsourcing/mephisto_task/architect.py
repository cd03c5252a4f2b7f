"""The architect "spotbot": the server lives in the operator's process and ends with it.

Stock architects start a node server that outlives a killed operator and hands packets on, which it repeats or loses.
Here "deploying" starts our own server, and the channel is a formality: pages ask the desk, and nothing is sent to them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from mephisto.abstractions._subcomponents.channel import Channel
from mephisto.abstractions.architect import Architect, ArchitectArgs
from mephisto.abstractions.blueprint import TaskBuilder
from mephisto.data_model.packet import PACKET_TYPE_ALIVE, PACKET_TYPE_REQUEST_STATUSES, Packet
from mephisto.operations.registry import register_mephisto_abstraction

from parlai_spotbot.errors import UserError

ARCHITECT_TYPE = "spotbot"


class TaskServer(Protocol):
    """What annotators' browsers talk to."""

    def start(self) -> str:
        """Bind, and answer from now on; returns the address, as http://127.0.0.1:43211."""

    def stop(self) -> None:
        """Answer no more; when it returns, no request is under way and the crowd is left alone. Twice does no harm."""

    def finished(self) -> bool:
        """Whether there is nothing left to annotate."""

    def failed(self) -> BaseException | None:
        """What ended the server, if something did."""


@dataclass
class SpotbotArchitectArgs(ArchitectArgs):
    """Where to listen: loopback unless told otherwise, port 0 for a free one."""

    _architect_type: str = ARCHITECT_TYPE
    server_type: str = "spotbot"
    server_source_path: str = ""
    host: str = field(default="127.0.0.1", metadata={"help": "Address to listen on"})
    port: int = field(default=0, metadata={"help": "Port to listen on; 0 for a free one"})


class InProcessChannel(Channel):
    """The way from Mephisto's client handler to a server in the same process, alive as long as that is."""

    def __init__(self, channel_id: str, architect: SpotbotArchitect, *handlers: Callable):
        super().__init__(channel_id, *handlers)
        self.architect = architect
        self._closed = False

    def open(self) -> None:
        self.on_channel_open(self.channel_id)

    def close(self) -> None:
        self._closed = True

    def is_closed(self) -> bool:
        return self._closed

    def is_alive(self) -> bool:
        server = self.architect.server
        return not self._closed and server is not None and server.failed() is None

    def enqueue_send(self, packet: Packet) -> bool:
        """Whether the packet reached whom it is for: the server is asked nothing but whether it lives."""
        return self.is_alive() and packet.type in (PACKET_TYPE_ALIVE, PACKET_TYPE_REQUEST_STATUSES)


@register_mephisto_abstraction()
class SpotbotArchitect(Architect):
    """Starts and stops the server that `shared_state.make_server` builds."""

    ARCHITECT_TYPE = ARCHITECT_TYPE
    ArgsClass = SpotbotArchitectArgs

    def __init__(self, db: Any, args: Any, shared_state: Any, task_run: Any, build_dir_root: str):
        self.args = args
        self.shared_state = shared_state
        self.task_run = task_run
        self.build_dir = build_dir_root
        self.server: TaskServer | None = None

    def prepare(self) -> str:
        """See that the page is built and write down which it is; returns the folder with that note."""
        TaskBuilder(self.task_run, self.args).build_in_dir(self.build_dir)
        return self.build_dir

    def deploy(self) -> str:
        """Start the server; returns its address."""
        make_server = getattr(self.shared_state, "make_server", None)
        if make_server is None:
            raise UserError("The architect has no server to start.", "Set make_server in the blueprint's shared state.")
        server = make_server(self.args.architect.host, self.args.architect.port)
        try:
            url = server.start()
        except BaseException:
            with contextlib.suppress(Exception):  # what failed is the start; a half-started server may not stop well
                server.stop()
            raise
        self.server = server
        return url

    def cleanup(self) -> None:
        """Nothing to remove: the note on the page stays with the run."""

    def shutdown(self) -> None:
        server, self.server = self.server, None
        if server is not None:
            server.stop()

    def get_channels(
        self,
        on_channel_open: Callable[[str], None],
        on_catastrophic_disconnect: Callable[[str], None],
        on_message: Callable[[str, Packet], None],
    ) -> list[Channel]:
        handlers = (on_channel_open, on_catastrophic_disconnect, on_message)
        return [InProcessChannel(f"spotbot_{self.task_run.db_id}", self, *handlers)]
