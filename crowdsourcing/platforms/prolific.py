"""Prolific's signed study URLs: who comes is who Prolific says, by a signature that this study can't make.

Prolific adds a JSON Web Token to the study's address where a study's links are signed ("secure your study's URL"). Its
documentation says what to verify: the signature, by the public key that the token names; that it has not expired; that
it is for this site; and what it says of participant, study and submission.
(docs.prolific.com, "Retrieve JSON Web Key Set")
"""

from __future__ import annotations

import hmac
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.contract import LOG, Refusal, Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.platform import Invitation, Platform
from parlai_spotbot.crowdsourcing.platforms.sign_in import NO_LINK, NOTHING, Door, refused, signed
from parlai_spotbot.errors import UserError
from parlai_spotbot.outside import bounded, cleaned
from parlai_spotbot.user_files import read_fields

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.collection import CrowdCollection
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings

KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
"""Where Prolific's public keys lie; they change."""

ISSUER = re.compile(r"\A(?:https://)?(?:[a-z]+\.)*prolific(?:\.com?)?/?\Z")
"""Names of Prolific as an issuer; its documentation does not say which of them tokens have."""

PARAMETER = "prolific_token"
"""The part of the address with the token."""

IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")

KEPT_SECONDS = 12 * 3600.0
"""How long keys are kept; Prolific asks to fetch them daily at least."""

AGAIN_SECONDS = 30.0
"""The key server is asked again, for a key that is not known or as it failed, no sooner than this."""

LEEWAY = 60.0
"""Seconds by which our clock and Prolific's may differ."""

MOST = 8192
"""Characters of the longest token that is looked at."""

NOT_FROM_PROLIFIC = "Please open this study from Prolific."
NOT_SIGNED = "Please open this study from Prolific: this address has not its signature."
EXPIRED = "This address is too old. Please open the study from Prolific again."
NO_KEYS = "We can't reach Prolific to check this address. Please wait: the page tries again."

MADE_UP = (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""Errors that reading a forged token may raise beside PyJWT's."""


@dataclass(frozen=True)
class ProlificIds:
    """A participant, the study at Prolific, and the participant's submission (Prolific's session)."""

    participant: str
    study: str
    session: str


class SignedUrls:
    """Verifies the tokens of study URLs.

    Parameters
    ----------
    address : str
        The study's address, as participants reach it: the token must be for its site.
    keys : str
        Where the public keys are.
    clock : callable () -> float
        Unix time.
    """

    def __init__(self, address: str, keys: str = KEYS, clock: Callable[[], float] = time.time):
        from jwt import PyJWKClient

        self.site = _site(address)
        self.clock = clock
        self._server = PyJWKClient(keys, cache_jwk_set=False, timeout=10)
        self._kept: dict[str, Any] = {}
        self._had_at = self._failed_at = float("-inf")
        self._asking = threading.Lock()

    def read(self, token: str, was_used: bool) -> ProlificIds:
        """Return the token's participant, study and submission; an old one is good if it was used in time (`was_used`).

        Raises `Refusal`: 403 where the token isn't Prolific's, for this site, in time and whole; 503 without keys.
        """
        import jwt

        try:
            if len(token) > MOST:
                raise ValueError("too long")
            claims = jwt.decode(
                token,
                self._key(jwt.get_unverified_header(token)["kid"]),
                algorithms=["RS256"],  # never what the token says: "none" and HS256 would be anybody's
                leeway=LEEWAY,
                options={"require": ["exp", "aud"], "verify_aud": False, "verify_exp": False, "verify_iat": False},
            )
            sites = claims["aud"]
            until = claims["exp"]
            begun = bounded(claims.get("iat", 0))
            if bounded(until) is None or begun is None or begun > min(until, self.clock() + LEEWAY):
                raise ValueError("its times are none, or to come")
            if not ISSUER.fullmatch(claims.get("iss", "prolific")):
                raise ValueError("of another issuer")
            ids = ProlificIds(*(claims["prolific"][name].lower() for name in IDS))
            if self.site not in map(_site, sites if isinstance(sites, list) else [sites]):
                raise ValueError("for another site")
        except (*MADE_UP, jwt.PyJWTError) as error:
            LOG.info("a link that Prolific did not sign: %s", cleaned(str(error), 200))
            raise refused(NOT_SIGNED) from None
        if self.clock() > until + LEEWAY and not was_used:
            raise refused(EXPIRED)
        return ids

    def _key(self, name: str) -> Any:
        """Return the public key of that name; one that is there needs no network."""
        kept = self._kept if time.monotonic() - self._had_at < KEPT_SECONDS else {}
        if name not in kept:
            self._ask()
            kept = self._kept
        return kept[name]

    def _ask(self) -> None:
        """Ask the key server, unless it answered just now; 503 where it just failed, fails, or is being asked."""
        if time.monotonic() - self._had_at < AGAIN_SECONDS:
            return
        if time.monotonic() - self._failed_at < AGAIN_SECONDS or not self._asking.acquire(blocking=False):
            raise Refusal(503, "keys", NO_KEYS)
        try:
            self._kept = {key.key_id: key for key in self._server.get_signing_keys()}
            self._had_at = time.monotonic()
        except Exception as error:  # whatever the network, or who answers instead of Prolific, makes of it
            self._failed_at = time.monotonic()
            LOG.error("Prolific's keys could not be had from %s: %s", self._server.uri, error)
            raise Refusal(503, "keys", NO_KEYS) from None
        finally:
            self._asking.release()


def _site(address: str) -> tuple[str, int]:
    """Host and port of an address, or of a bare domain."""
    try:
        parts = urlsplit(address if "//" in address else f"https://{address}")
        return (parts.hostname or "").lower(), parts.port or (80 if parts.scheme == "http" else 443)
    except ValueError:
        return "", 0


class ProlificDoor(Door):
    """One link for the study, which is ours by our signature; Prolific adds who comes, and signs that.

    `study` is its name here. `settings` have its id at Prolific, and the codes by which people leave.
    `links` is the journal of the tokens that were used in time, as hashes: a page may be reloaded after its token is
    over, and a submission (Prolific's session) stays with its participant.
    """

    name = "prolific"
    waits = True

    def __init__(self, secret: bytes, study: str, settings: LaunchSettings, links: Path, signed: SignedUrls):
        self.secret = secret
        self.study = study
        self.settings = settings
        self.signed = signed
        self._links: set[str] = set()
        self._owners: dict[str, str] = {}
        for link, session, owner in checksums.read_journal(links, _used_link):
            self._links.add(link)
            self._owners.setdefault(session, owner)
        self._journal = checksums.RecordedJournal(links)
        self._one_by_one = threading.Lock()

    def enter(self, query: Mapping[str, str]) -> Visitor:
        if signed(self.secret, tokens.STUDY, query, "study")["study"] != self.study:
            raise refused(NO_LINK)
        token = query.get(PARAMETER, "")
        link = hmac.new(self.secret, b"prolific " + token.encode("utf-8", "replace"), sha256).hexdigest()
        ids = self.signed.read(token, link in self._links)
        if (
            ids != ProlificIds(*(query.get(name, "").lower() for name in IDS))
            or ids.study != self.settings.prolific_study
        ):
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
        return Visitor(ids.participant)

    def finish(self, visitor: Visitor, state: str, done: int) -> dict:
        """Return the completion code after a finished unit, or the code for people who are screened out."""
        if not done and state in ("ready", "waiting"):
            return NOTHING
        screened_out = state == "stopped" or not done
        code = self.settings.screened_out_code if screened_out else self.settings.completion_code
        if not code:
            return NOTHING
        link = f"https://app.prolific.com/submissions/complete?cc={quote(code, safe='')}"
        return {"kind": "code", "code": code, "link": link}


def _used_link(row: dict, where: str) -> tuple[str, ...]:
    """Return a row of the journal."""
    return tuple(read_fields(row, where, link=str, session=str, participant=str))


class Prolific(Platform):
    """Prolific's participants, who come by one link to the study and leave with its completion code."""

    def door(self, collection: CrowdCollection, secret: bytes, crowd: Any) -> ProlificDoor:
        request = collection.request
        study = collection.setup.task_name
        return ProlificDoor(secret, study, request.settings, collection.paths.bindings, SignedUrls(request.url))

    def invitation(self, collection: CrowdCollection, needed: int) -> Invitation:
        return lambda base, secret: [
            "\nthe link for the study at Prolific (“I'll use URL parameters”):",
            f"  {tokens.study_link(base, secret, collection.setup.task_name)}",
            "  its links must be signed at Prolific (“secure your study's URL”): others open nothing",
        ]


# The fee is that for companies; that for universities is a third.
PLATFORM = Prolific(
    "prolific",
    ids="signed by the platform",
    fee=0.428,
    paid=True,
    required=(
        ("completion_code", "Copy it from the study's page at Prolific: annotators hand it in to be paid."),
        (
            "prolific_study",
            "Make the study at Prolific a draft, have its links signed there (“secure your study's URL”), and copy the "
            "id from the address of its page.",
        ),
    ),
    https="Prolific's participants reach the page at an https address only.",
)
