"""Options of a launch; importing this loads neither pydantic nor Mephisto."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot.options import described
from parlai_spotbot.sequential.settled_request import SettledRequest


@dataclass(frozen=True)
@described
class LaunchRequest:
    """Frozen record of a launch's options; `settings` (`LaunchSettings`) takes the place of `config` and the like.

    `settled` are the options of serving until settled.

    `part` is a task of a survey that is annotated task by task, or the group of people where the units are for several.
    """

    study: str | Path
    survey: str = "spot_the_bot"
    part: str = ""
    settings: Any = None
    provider: str | None = None
    config: str | None = None
    annotators: str | None = None
    language: str | None = None
    port: int = 0
    host: str = "127.0.0.1"
    url: str = ""
    dry_run: bool = False
    live: bool = False
    close: bool = False
    unit_size: int | None = None
    deadline: str = ""
    settled: SettledRequest | None = None
