"""What the parts of the crowdsourcing room agree on: who visits, how a request is refused, what the desk asks of the
platform that recruits the annotators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class Refusal(Exception):
    """A request that is not granted: an HTTP status, a code for the page, and a sentence for the annotator."""

    def __init__(self, status: int, code: str, text: str):
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text


@dataclass(frozen=True)
class Visitor:
    """Who is at the desk, as the door made sure of.

    `worker` is the platform's id of the annotator. `registration` tells the sittings of one annotator apart where the
    platform does (an assignment of MTurk); "" elsewhere. `provider_data` is what Mephisto's provider wants to know.
    """

    worker: str
    registration: str = ""
    provider_data: dict = field(default_factory=dict)


class Crowd(Protocol):
    """The platform behind the desk: Mephisto with one of its providers. All calls come from one thread."""

    def refuses(self, visitor: Visitor) -> str | None:
        """Why this annotator may not work (blocked, not qualified), or None."""

    def assign(self, visitor: Visitor, unit_id: str) -> str:
        """Give the unit to the annotator; returns the agent's id."""

    def completed(self, agent_id: str, submission: dict) -> None:
        """The unit is done; its answers are durable already. Calling it twice does no harm."""

    def gone(self, agent_id: str, how: str) -> None:
        """The agent gave the unit back (`how` "returned") or ran out of time ("expired"); the unit is free again."""

    def qualified(self, worker: str, passed: bool) -> None:
        """The annotator passed the onboarding, or failed it (or the controls) for good."""
