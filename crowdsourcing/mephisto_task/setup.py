"""Setup of a task, checked before anything is posted: pay, time, provider, units. Imports no Mephisto."""

from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.crowdsourcing.platforms import platform_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Unit

MTURK = ("mturk", "mturk_sandbox")
"""Mephisto's provider types that post HITs."""

REQUESTER = "parlai_spotbot"
PAGE = Path(__file__).parents[1] / "webapp" / "build"
"""The built page that the package brings along."""


@dataclass(frozen=True)
class TaskSetup:
    """One survey's collection: `pay` in dollars a unit, `minutes` the time limit of a unit.

    `host` and `port` (0 for a free one) are where the server listens, `public_url` where annotators reach it if that
    isn't its own address; `countries` (ISO codes, empty for Mephisto's choice) and `mturk_qualifications` (as in
    CreateHITType) are for MTurk.
    """

    study: Path
    survey: str
    data_root: Path
    task_name: str
    title: str
    description: str
    keywords: tuple[str, ...]
    pay: float
    minutes: float
    provider: str
    units: tuple[Unit, ...]
    mturk_qualifications: tuple[dict, ...] = ()
    public_url: str = ""
    countries: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 0

    @property
    def provider_type(self) -> str:
        """Mephisto's name of the provider."""
        return platform_of(self.provider).provider_type

    @property
    def on_mturk(self) -> bool:
        return self.provider_type in MTURK

    def check(self) -> None:
        """Raise `UserError` unless there is something to annotate, at an address that MTurk can show."""
        if not self.units:
            raise UserError(f"{self.study}: no units to annotate.", hints.run("pack", self.study, self.survey))
        if self.on_mturk:
            platform_of(self.provider).check_address(self.public_url)
