"""What a task is to be, checked before anything is posted: pay, time, provider, units. Imports no Mephisto."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Unit

PROVIDERS = {
    "in_house": "spotbot_in_house",
    "prolific": "spotbot_in_house",
    "mturk_sandbox": "mturk_sandbox",
    "mturk": "mturk",
}
"""A provider's name for people → Mephisto's provider type. Prolific is in-house with another door."""

MTURK = ("mturk", "mturk_sandbox")
PAGE = Path(__file__).parents[1] / "webapp" / "build"
"""The built page that the package brings along."""


@dataclass(frozen=True)
class TaskSetup:
    """One survey's collection: `pay` in dollars a unit, `minutes` the time limit of a unit.

    `requester` is on MTurk the AWS profile; `host` and `port` (0 for a free one) are where the server listens,
    `public_url` where annotators reach it if that isn't its own address; `countries` (ISO codes, empty for Mephisto's
    choice), `lifetime_days` and `mturk_qualifications` (as in CreateHITType) are for MTurk.
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
    requester: str = "parlai_spotbot"
    public_url: str = ""
    countries: tuple[str, ...] = ()
    lifetime_days: float = 31.0
    host: str = "127.0.0.1"
    port: int = 0

    @property
    def provider_type(self) -> str:
        """Mephisto's name of the provider."""
        return PROVIDERS[self.provider]

    @property
    def on_mturk(self) -> bool:
        return self.provider in MTURK

    def check(self) -> None:
        """Raise `UserError` unless a task can be launched with this."""
        if self.provider not in PROVIDERS:
            raise UserError(f"provider is {self.provider!r}.", nearest(self.provider, PROVIDERS))
        for name in ("task_name", "title", "description", "requester"):
            if not str(getattr(self, name)).strip():
                raise UserError(f"{name} is empty.", "Say it in the settings.")
        for name, least in (("pay", 0.0), ("minutes", 1.0), ("lifetime_days", 1.0)):
            value = getattr(self, name)
            if not math.isfinite(value) or value < least:
                raise UserError(f"{name} is {value}, expected a number from {least:g} up.", "Correct the settings.")
        self._check_units()
        if self.on_mturk:
            self._check_mturk()

    def _check_units(self) -> None:
        ids = [unit.unit_id for unit in self.units]
        if not ids:
            raise UserError(f"{self.study}: no units to annotate.", hints.run("pack", self.study, self.survey))
        if len(set(ids)) < len(ids):
            twice = next(i for i in ids if ids.count(i) > 1)
            raise UserError(f"{self.study}: unit {twice} is there twice.", "Pack the study anew.")

    def _check_mturk(self) -> None:
        if not self.public_url.startswith("https://"):
            raise UserError(
                f"public_url is {self.public_url!r}: MTurk shows the page from an https address.",
                "Put the server behind an https proxy or tunnel and give that address.",
            )
        for code in self.countries:
            if not re.fullmatch(r"[A-Z]{2}", code):
                raise UserError(f"countries has {code!r}, expected ISO codes of two capitals.", "Write for example DE.")
        if self.provider == "mturk" and self.pay <= 0:
            raise UserError(f"pay is {self.pay}: MTurk takes no unpaid tasks.", "Set the pay.")


def environment_credentials() -> bool:
    """Whether AWS credentials are in the environment, where boto3 finds them without a profile."""
    return bool(os.environ.get("AWS_ACCESS_KEY_ID") and os.environ.get("AWS_SECRET_ACCESS_KEY"))
