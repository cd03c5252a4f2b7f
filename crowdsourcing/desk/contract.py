"""Types that the parts of this package share: who visits, how a request is refused, what the desk asks of the
platform that recruits the annotators."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.ledger.entries import Handout

LOG = logging.getLogger("parlai_spotbot.crowdsourcing.server.page_server")
"""The log of a collection's server."""

Statuses = dict[tuple[str, str], str]
"""The status of (worker, registration) on a platform's list."""

Natures = Mapping[str, tuple[str, str]]
"""The two entities, "human" or "bot", of each conversation or item."""

Troubles = Sequence[tuple[str, str]]
"""Failed tries of a contestant: (kind, message)."""

PagePair = tuple[dict, dict]
"""An item as the page gets it, and the record of its draws."""


class Refusal(Exception):
    """A request that is not granted: an HTTP status, a code for the page, and a sentence for the annotator."""

    def __init__(self, status: int, code: str, text: str):
        super().__init__(text)
        self.status = status
        self.code = code
        self.text = text


@dataclass(frozen=True)
class Visitor:
    """A visitor whose identity the door has checked.

    `worker` is the platform's id of the annotator. `registration` tells the sittings of one annotator apart where the
    platform does (an assignment of MTurk); "" elsewhere. `provider_data` is what Mephisto's provider wants to know.
    """

    worker: str
    registration: str = ""
    provider_data: dict = field(default_factory=dict)


class Crowd(Protocol):
    """The platform behind the desk: Mephisto with one of its providers. All calls but those of doors come from one
    thread."""

    def refuses(self, visitor: Visitor) -> str | None:
        """Return why this annotator may not work (blocked), or None."""

    def arrived(self, visitor: Visitor) -> None:
        """Note that the annotator is given a unit, before they see it."""

    def finished(self, handout: Handout, submission: dict) -> str:
        """Record a unit that was handed in, and return the platform's id of it; repeating the call does no harm."""
