"""Inputs of a desk: survey and units, the page's words, participants, ledger and clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
from parlai_spotbot.crowdsourcing.desk.contract import Crowd, Visitor
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.survey import Survey


@dataclass(frozen=True)
class DeskMaterial:
    """Questions (`survey`), units, and known items to be mixed in (`controls`: items with `control` set).

    `seeds` names the seed of each conversation, of the controls too; "" or absent where it has none. `truths` says what
    the entities of each conversation are, ("human" or "bot", …); for the points of the game only.
    """

    survey: Survey
    units: Sequence[Unit]
    controls: Sequence[Item] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)
    truths: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class PageWords:
    """The page's words; "refused_CODE" and "why_NAME" replace the desk's own sentences (refusals.py).

    `consent` is what stands instead of {pay}, {minutes}, {contact} and {units} in the consent text.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    consent: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"


def no_finish(visitor: Visitor, state: str, done: int) -> dict:
    """Return how to leave where no platform waits for a sign."""
    return {"kind": "none"}


@dataclass(frozen=True)
class Participants:
    """Participants: annotators of a platform (`crowd`), and `bots` where they chat with these.

    `finish(visitor, state, units done)` makes the page's "finish"; only in the state "handed_in" is this visitor's
    registration itself done. `team` is what this launch calls its annotators in the outcomes of a training.
    """

    crowd: Crowd
    finish: Callable[[Visitor, str, int], dict] = no_finish
    team: str = ""
    bots: ChatBots | None = None


@dataclass(frozen=True)
class DeskRecords:
    """Records of a desk: `ledger`, and `clock`, seconds since the epoch, for the times.

    `secret` draws what must be the same at every visit, and the names of the leaderboard.
    """

    ledger: Ledger
    secret: bytes
    clock: Callable[[], float] = time.time
