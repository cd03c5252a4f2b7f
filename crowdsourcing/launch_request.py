"""Options of a launch; importing this loads neither pydantic nor Mephisto."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot.options import option


@dataclass(frozen=True)
class LaunchRequest:
    """Frozen record of a launch's options; `settings` (`LaunchSettings`) takes the place of `config` and the like.

    `part` is a task of a survey that is annotated task by task, or the group of people where the units are for several.
    """

    study: str | Path
    survey: str = "spot_the_bot"
    part: str = option(
        "",
        "the task of a survey that is annotated task by task, or the group of people that gets the units",
        "Annotators",
        flags=("--task", "--group"),
        metavar="NAME",
    )
    settings: Any = None
    provider: str | None = option(None, "in_house (default), prolific, mturk_sandbox or mturk")
    config: str | None = option(None, "settings, a YAML file", metavar="FILE")
    annotators: str | None = option(
        None, "in-house: how many, or a file with their names (default: as many as the units need)", metavar="N"
    )
    language: str | None = option(None, "of the page: a language, or a file of texts (default: en)")
    port: int = option(0, "where to serve (0: the last launch's port, or a free one)", "Server")
    host: str = option("127.0.0.1", "the address to listen at")
    url: str = option("", "where annotators reach it, if not there")
    dry_run: bool = option(False, "print what it would cost, and post nothing", "What to do")
    live: bool = option(False, "go live where people are paid")
    close: bool = option(False, "end the collection: what is open expires for good")
