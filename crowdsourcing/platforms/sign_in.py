"""The doors by which annotators come in, one for each way of recruiting: each makes sure who comes and says how they
leave. In-house annotators come by personal signed links, Prolific's by a link to the study that Prolific signs for each
of them, MTurk's through the frame in which MTurk shows the page.
"""

import hmac
import logging
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.prolific import IDS, PARAMETER, ProlificIds, SignedUrls
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import field

NO_LINK = "This link is not valid. Please open the link that you were given, whole and unchanged."
NOT_FROM_PROLIFIC = "Please open this study from Prolific."
NOT_FROM_MTURK = "Please open this task from MTurk; it may be over already."
NOT_ACCEPTED = "Please accept this task on MTurk first, and open it there."

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"

NOTHING = {"kind": "none"}

LOG = logging.getLogger("parlai_spotbot.crowdsourcing.server.page_server")


class Door:
    """One way in. `framed_by`: sites that may show the page in a frame; `waits`: whether entering may wait for a disk
    or a platform, so that it is done in threads."""

    name: str
    framed_by: tuple[str, ...] = ()
    waits = False

    def enter(self, query: Mapping[str, str]) -> Visitor:
        """Return who comes; `Refusal` (403, "link") where that is not certain."""
        raise NotImplementedError

    def finish(self, visitor: Visitor, state: str, done: int) -> dict:
        """Return how the visitor leaves in this state of the session, with `done` units done."""
        return NOTHING


def refused(text: str) -> Refusal:
    """Return the refusal of somebody at the door."""
    return Refusal(403, "link", text)


def _signed(secret: bytes, purpose: str, query: Mapping[str, str], name: str) -> dict:
    """Return what the signed field `name` of the query says; refused where this study did not sign it."""
    try:
        return tokens.read(secret, purpose, query.get(name, ""))
    except tokens.BadToken:
        raise refused(NO_LINK) from None


class InHouseDoor(Door):
    """Personal links: whoever holds one is that annotator. A bare name opens nothing."""

    name = "in_house"

    def __init__(self, secret: bytes):
        self.secret = secret

    def enter(self, query: Mapping[str, str]) -> Visitor:
        return Visitor(_signed(self.secret, tokens.LINK, query, "t")["worker"], provider_data={"door": self.name})


@dataclass(frozen=True)
class ProlificStudy:
    """A study at Prolific: what it is called here, its id there, and the codes by which people leave."""

    name: str
    study: str
    completion_code: str
    screened_out_code: str = ""


class ProlificDoor(Door):
    """One link for the study, which is ours by our signature; Prolific adds who comes, and signs that.

    `links` is the journal of the tokens that were used in time, as hashes: a page may be reloaded after its token is
    over, and a submission (Prolific's session) stays with its participant.
    """

    name = "prolific"
    waits = True

    def __init__(self, secret: bytes, study: ProlificStudy, links: Path, signed: SignedUrls):
        self.secret, self.study, self.signed = secret, study, signed
        self._links: set[str] = set()
        self._owners: dict[str, str] = {}
        for link, session, owner in checksums.read_journal(links, _used_link):
            self._links.add(link)
            self._owners.setdefault(session, owner)
        self._journal = checksums.Journal(links)
        self._one_by_one = threading.Lock()

    def enter(self, query: Mapping[str, str]) -> Visitor:
        if _signed(self.secret, tokens.STUDY, query, "study")["study"] != self.study.name:
            raise refused(NO_LINK)
        token = query.get(PARAMETER, "")
        link = hmac.new(self.secret, b"prolific " + token.encode("utf-8", "replace"), sha256).hexdigest()
        ids = self.signed.read(token, lambda token: link in self._links)
        if ids != ProlificIds(*(query.get(name, "").lower() for name in IDS)) or ids.study != self.study.study:
            LOG.info("a link that Prolific signed for somebody else, or for another study")
            raise refused(NOT_FROM_PROLIFIC)
        session, owner = (tokens.pseudonym(self.secret, one) for one in (ids.session, ids.participant))
        with self._one_by_one:
            if self._owners.setdefault(session, owner) != owner:
                LOG.info("a submission of Prolific's came with two participants")
                raise refused(NOT_FROM_PROLIFIC)
            if link not in self._links:
                try:
                    self._journal.append({"link": link, "session": session, "participant": owner})
                except UserError:
                    text = "The study can't store anything at the moment. Please wait."
                    raise Refusal(503, "storage", text) from None
                self._links.add(link)
        named = {"prolific_pid": ids.participant, "study_id": ids.study, "session_id": ids.session}
        return Visitor(ids.participant, provider_data={"door": self.name, **named})

    def finish(self, visitor: Visitor, state: str, done: int) -> dict:
        """Return the completion code after a finished unit, or the code for people who are screened out."""
        if not done and state in ("ready", "waiting"):
            return NOTHING
        screened_out = state == "stopped" or not done
        code = self.study.screened_out_code if screened_out else self.study.completion_code
        if not code:
            return NOTHING
        link = f"https://app.prolific.com/submissions/complete?cc={quote(code, safe='')}"
        return {"kind": "code", "code": code, "link": link}


def _used_link(row: dict, where: str) -> tuple[str, str, str]:
    """Return a row of the journal."""
    return field(row, "link", str, where), field(row, "session", str, where), field(row, "participant", str, where)


class MTurkDoor(Door):
    """MTurk's frame: a worker, an assignment, and a HIT that must be one of this run, and in somebody's hands.

    MTurk signs nothing, and says whose an assignment is only once it is handed in: then `spotbot_collect` asks, and
    uses no answer of anybody else. A HIT that nobody has accepted lets nobody in. Each assignment has a registration of
    its own at the desk. A preview is a visitor without a name.

    Parameters
    ----------
    hits : callable (hit_id: str) -> bool
        Whether this run has posted that HIT.
    accepted : callable (hit_id: str) -> bool
        Whether somebody holds that HIT on MTurk; where it raises `UserError`, as MTurk can't be asked, they come in.
    """

    name = "mturk"
    framed_by = ("https://worker.mturk.com", "https://workersandbox.mturk.com", "https://www.mturk.com")
    waits = True
    WORKER = re.compile(r"A[0-9A-Z]{4,31}")
    LONG_ID = re.compile(r"[0-9A-Z]{10,64}")

    def __init__(self, hits: Callable[[str], bool], accepted: Callable[[str], bool], sandbox: bool):
        self.hits, self.accepted = hits, accepted
        site = "workersandbox" if sandbox else "www"
        self.action = f"https://{site}.mturk.com/mturk/externalSubmit"

    def enter(self, query: Mapping[str, str]) -> Visitor:
        assignment, worker, hit = (query.get(name, "") for name in ("assignmentId", "workerId", "hitId"))
        if assignment == PREVIEW:
            return Visitor("", provider_data={"door": self.name})
        formed = self.WORKER.fullmatch(worker) and all(map(self.LONG_ID.fullmatch, (assignment, hit)))
        if not formed or not self.hits(hit):
            raise refused(NOT_FROM_MTURK)
        self._check_accepted(hit)
        ids = {"worker_id": worker, "assignment_id": assignment, "hit_id": hit}
        return Visitor(worker, assignment, {"door": self.name, **ids})

    def _check_accepted(self, hit: str) -> None:
        try:
            accepted = self.accepted(hit)
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
