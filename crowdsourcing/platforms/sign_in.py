"""Sign-in of annotators, common to all doors: a door identifies who comes and says how they leave."""

from collections.abc import Mapping

from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens

NO_LINK = "The link is incomplete or was changed."

NOTHING = {"kind": "none"}


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


def signed(secret: bytes, purpose: str, query: Mapping[str, str], name: str) -> dict:
    """Return what the signed field `name` of the query says; refused where this study did not sign it."""
    try:
        return tokens.read(secret, purpose, query.get(name, ""))
    except tokens.BadToken:
        raise refused(NO_LINK) from None
