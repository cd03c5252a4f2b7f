"""MTurk: workers in the frame in which MTurk shows the page, confirmed by its list of assignments.

MTurk signs nothing: anybody who has the page's address can claim an assignment, so an answer counts once MTurk confirms
who handed it in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from parlai_spotbot.crowdsourcing.desk.contract import LOG, Refusal, Statuses, Visitor
from parlai_spotbot.crowdsourcing.platforms.platform import Invitation, Platform
from parlai_spotbot.crowdsourcing.platforms.sign_in import NOTHING, Door, refused
from parlai_spotbot.errors import UserError

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collection import CrowdCollection
    from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
    from parlai_spotbot.crowdsourcing.mephisto_task.finished_units import FinishedUnits
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings

NOT_FROM_MTURK = "Please open this task from MTurk; it may be over already."
NOT_ACCEPTED = "Please accept this task on MTurk first, and open it there."

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"

APPROVAL_RATE = "000000000000000000L0"
APPROVED_HITS = "00000000000000000040"
ADULT = "00000000000000000060"
"""The ids that MTurk gives its own qualifications."""

AT_LEAST = "GreaterThanOrEqualTo"


class MTurkDoor(Door):
    """MTurk's frame: a worker, an assignment, and a HIT that must be one of this run, and in somebody's hands.

    MTurk signs nothing, and says whose an assignment is only once it is handed in: then `spotbot_collect` asks, and
    uses no answer of anybody else. A HIT that nobody has accepted lets nobody in. Each assignment has a registration of
    its own at the desk. A preview is a visitor without a name.

    Parameters
    ----------
    crowd : FinishedUnits
        Says whether this run has posted a HIT, and whether somebody holds it; where MTurk can't be asked, they come in.
    sandbox : bool
        Whether answers go to MTurk's sandbox.
    """

    name = "mturk"
    framed_by = ("https://worker.mturk.com", "https://workersandbox.mturk.com", "https://www.mturk.com")
    waits = True
    WORKER = re.compile(r"A[0-9A-Z]{4,31}")
    LONG_ID = re.compile(r"[0-9A-Z]{10,64}")

    def __init__(self, crowd: FinishedUnits, sandbox: bool):
        self.crowd = crowd
        site = "workersandbox" if sandbox else "www"
        self.action = f"https://{site}.mturk.com/mturk/externalSubmit"

    def enter(self, query: Mapping[str, str]) -> Visitor:
        assignment, worker, hit = (query.get(name, "") for name in ("assignmentId", "workerId", "hitId"))
        if assignment == PREVIEW:
            return Visitor("")
        formed = self.WORKER.fullmatch(worker) and all(map(self.LONG_ID.fullmatch, (assignment, hit)))
        if not formed or not self.crowd.knows_hit(hit):
            raise refused(NOT_FROM_MTURK)
        self._check_accepted(hit)
        return Visitor(worker, assignment, {"hit_id": hit})

    def _check_accepted(self, hit: str) -> None:
        try:
            accepted = self.crowd.has_accepted(hit)
        except UserError as error:
            LOG.error("whether a HIT is accepted could not be asked: %s", error.problem)
            return
        if not accepted:  # MTurk may be slow to say so: the page asks again
            raise Refusal(503, "not_accepted", NOT_ACCEPTED)

    def finish(self, visitor: Visitor, state: str, done: int) -> dict:
        """Return MTurk's form once the assignment is done; it goes to MTurk's own address, not the one in the URL."""
        if state != "handed_in":
            return NOTHING
        fields = {"assignmentId": visitor.registration, "handed_in": "yes"}  # MTurk wants a field beside its own
        return {"kind": "mturk", "action": self.action, "fields": fields}


class MTurk(Platform):
    """MTurk or, where nobody is paid, its sandbox."""

    def problems(self, settings: LaunchSettings) -> Iterator[tuple[str, str]]:
        if settings.currency != "USD":
            yield f"'currency' is '{settings.currency}', but MTurk pays in USD", "Write 'currency: USD'."
        yield from super().problems(settings)

    def qualifications(self, settings: LaunchSettings) -> tuple[dict, ...]:
        """Return requirements in the form of CreateHITType; none in the sandbox."""
        rules = settings.qualifications
        conditions = (
            (APPROVAL_RATE, AT_LEAST, rules.approval_rate),
            (APPROVED_HITS, AT_LEAST, rules.approved_hits),
            (ADULT, "EqualTo", 1 if rules.adult else None),
        )
        return tuple(
            {
                "QualificationTypeId": kind,
                "Comparator": comparator,
                "IntegerValues": [value],
                "ActionsGuarded": "DiscoverPreviewAndAccept",
            }
            for kind, comparator, value in conditions
            if value is not None and self.paid
        )

    def door(self, collection: CrowdCollection, secret: bytes, crowd: FinishedUnits) -> MTurkDoor:
        return MTurkDoor(crowd, sandbox=not self.paid)

    def invitation(self, collection: CrowdCollection, needed: int) -> Invitation:
        return lambda base, secret: [f"\nposting to {self.name}; the page is at {base}"]

    def statuses(self, paths: CollectionPaths, registrations: Collection[str]) -> Statuses:
        """Return the status of (worker, assignment), of the HITs on which the assignments claim to be."""
        from parlai_spotbot.crowdsourcing.mephisto_task.mturk import handed_in

        return handed_in(paths.mephisto, self.provider_type, registrations)


# The fee is a fifth for HITs of fewer than ten assignments, and ours have one.
PLATFORM = MTurk(
    "mturk",
    ids="confirmed by the platform",
    fee=0.2,
    paid=True,
    https="MTurk shows the page from an https address.",
    provider_type="mturk",
    confirms=True,
)
