"""Inputs of a desk: survey and units, the page's words, participants, ledger and clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
from parlai_spotbot.crowdsourcing.desk.contract import Crowd, Natures, Refusal, Visitor
from parlai_spotbot.crowdsourcing.desk.refusals import refusal
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.survey import Survey

if TYPE_CHECKING:
    from parlai_spotbot.sequential.serving import Serving


@dataclass(frozen=True)
class DeskInputs:
    """Frozen record of everything that a desk works with.

    Parameters
    ----------
    survey, units
        Questions, and what is handed out.
    ledger : Ledger
    secret : bytes
        Draws what must be the same at every visit, and the names of the leaderboard.
    crowd : Crowd
        The annotators' platform.
    controls : sequence of Item
        Known items to be mixed in, with `control` set.
    seeds : mapping
        The seed of each conversation, of the controls too; "" or absent where it has none.
    truths : mapping
        The two entities of each conversation, ("human" or "bot", …); for the points of the game only.
    texts, language
        The page's words; "refused_CODE" and "why_NAME" replace the desk's own sentences (refusals.yaml).
    consent : mapping
        Values of {pay}, {minutes}, {contact} and {units} in the consent text.
    finish : callable
        `finish(visitor, state, units done)` makes the page's "finish"; only in the state "handed_in" is this visitor's
        registration itself done.
    team : str
        The launch's name for its annotators in the outcomes of a training.
    bots : ChatBots, optional
        The contestants, where people chat with them.
    serving : Serving, optional
        Draws the units, where the survey is served until settled.
    clock : callable
        Seconds since the epoch.
    """

    survey: Survey
    units: Sequence[Unit]
    ledger: Ledger
    secret: bytes
    crowd: Crowd
    controls: Sequence[Item] = ()
    seeds: Mapping[str, str] = field(default_factory=dict)
    truths: Natures = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    consent: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"
    finish: Callable[[Visitor, str, int], dict] = lambda visitor, state, done: {"kind": "none"}
    team: str = ""
    bots: ChatBots | None = None
    serving: Serving | None = None
    clock: Callable[[], float] = time.time

    def refusal(self, code: str) -> Refusal:
        """Return the refusal of this code, in the page's words."""
        return refusal(code, self.texts)
