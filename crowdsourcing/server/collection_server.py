"""Parts behind the page of a collection: the desk with its ledger, the door for the platform, and the server.

Mephisto's operator starts and stops it; all that the desk does happens in the server's one desk thread.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.collection import CrowdCollection
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskMaterial, DeskRecords, PageWords, Participants
from parlai_spotbot.crowdsourcing.game_points import natures_of
from parlai_spotbot.crowdsourcing.ledger.backups import BackupClock
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger, later_of
from parlai_spotbot.crowdsourcing.mephisto_task.setup import PAGE
from parlai_spotbot.crowdsourcing.platforms.personal_links import LinkStates
from parlai_spotbot.crowdsourcing.platforms.prolific import SignedUrls
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door, InHouseDoor, MTurkDoor, ProlificDoor, ProlificStudy
from parlai_spotbot.crowdsourcing.server.page_server import ListenAddress, PageServer, ServerFiles
from parlai_spotbot.terminal import Bar

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
    from parlai_spotbot.crowdsourcing.mephisto_task.finished_units import FinishedUnits

LINGER = 120.0
"""Seconds that the page goes on being served on a paid platform when all is done: who was last may reload it."""

WAITING = 20.0
"""Seconds that it goes on after a page was told to wait: such pages ask every 15 seconds, and want to hear the end."""

EVERY = 1.0
"""Seconds between two looks at how far the collection is."""


def make_server(
    collection: CrowdCollection, secret: bytes, progress: ProgressLine, bots: ChatBots | None = None
) -> Callable[[FinishedUnits, str, int], CollectionServer]:
    """A function that builds the server of `collection` on a crowd; `bots` are there where people chat."""
    paths = collection.paths

    def make(crowd: FinishedUnits, host: str, port: int) -> CollectionServer:
        door = door_of(collection, secret, crowd)
        server = PageServer(
            lambda: _desk(collection, secret, crowd, door, bots),
            door,
            ServerFiles(PAGE, paths.refused, paths.log),
            secret,
            ListenAddress(host, port, prefer=collection.last_port),
        )
        linger = 0.0 if collection.request.settings.provider == "in_house" else LINGER
        return CollectionServer(server, progress, linger, BackupClock(paths))

    return make


def door_of(collection: CrowdCollection, secret: bytes, crowd: FinishedUnits) -> Door:
    """The way in that the provider asks for."""
    settings = collection.request.settings
    if settings.provider == "in_house":
        return InHouseDoor(secret, LinkStates(collection.paths.link_states))
    if settings.provider == "prolific":
        codes = settings.completion_code, settings.screened_out_code
        study = ProlificStudy(collection.setup.task_name, settings.prolific_study, *codes)
        signed = None if settings.accept_unverified_ids else SignedUrls(collection.request.url)
        return ProlificDoor(secret, study, collection.paths.bindings, signed)
    return MTurkDoor(crowd.knows_hit, crowd.has_accepted, settings.provider == "mturk_sandbox")


def _desk(collection: CrowdCollection, secret: bytes, crowd: FinishedUnits, door: Door, bots: ChatBots | None) -> Desk:
    """The desk, when it has told Mephisto what a crash may have kept from it."""
    ledger = (ChatLedger if collection.survey.chat else Ledger)(collection.paths.ledger)
    truths = natures_of(collection.conversations)
    # A control from outside the study bears the name of its seed.
    seeds = {name: name for item in collection.controls for name in item.conversation_ids} | collection.seeds
    team = collection.request.settings.group
    desk = Desk(
        DeskMaterial(collection.survey, collection.units, collection.controls, seeds, truths),
        PageWords(collection.texts, consent(collection), collection.language),
        Participants(crowd, door.finish, collection.members, team, bots),
        DeskRecords(ledger, secret, later_of(time.time, ledger.last_time())),
    )
    desk.resume()
    return desk


def consent(collection: CrowdCollection) -> dict[str, str]:
    """Return what the consent text says of this collection: {pay}, {minutes}, {contact}, {units}."""
    settings, limits = collection.request.settings, collection.survey.limits
    pay = f"{settings.pay:.2f} {settings.currency}" if settings.pay else collection.texts.get("unpaid", "nothing")
    contact = settings.contact or collection.texts.get("contact", "whoever gave you the link")
    return {
        "pay": pay,
        "minutes": f"{limits.minutes_per_unit:g}",
        "contact": contact,
        "units": str(limits.units_per_annotator),
    }


class CollectionServer:
    """The server as Mephisto's operator drives it: started, asked whether all is done, stopped."""

    def __init__(self, server: PageServer, progress: ProgressLine, linger: float, backups: BackupClock):
        self.server, self.progress, self.linger, self.backups = server, progress, linger, backups
        self._looked = 0.0
        self._done_since: float | None = None
        self._stopped = False

    def start(self) -> str:
        url = self.server.start()
        self.backups.start()
        self._look()
        return url

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            with contextlib.suppress(Exception):  # what was last, where the desk can still say it
                self._look()
        self.server.stop()
        self.backups.stop()

    def failed(self) -> BaseException | None:
        return self.server.failed()

    def finished(self) -> bool:
        """Return whether all units have been done for a while, and pages that waited have heard so."""
        if time.monotonic() - self._looked >= EVERY:
            self._look()
        if not self.server.finished():
            self._done_since = None
            return False
        if self._done_since is None:
            self._look()
            self._done_since = time.monotonic()
        desk = self.server.desk
        still_asked = desk.clock() - desk.waited_at < WAITING
        return time.monotonic() - self._done_since >= self.linger and not still_asked

    def _look(self) -> None:
        """Show how far it is; where the ledger can't be read at the moment, the next look does."""
        self._looked = time.monotonic()
        with contextlib.suppress(sqlite3.OperationalError, OSError):
            self.progress.show(self.server.call(self.server.desk.counts))


class ProgressLine:
    """One line that says how far the collection is; on a terminal it moves, elsewhere a line follows each change."""

    def __init__(self, units: int):
        self.counts: dict[str, Any] = {
            "units": units,
            "done": 0,
            "open": 0,
            "free": units,
            "annotators": 0,
            "stopped": 0,
        }
        self.moving = sys.stderr.isatty()
        self.bar = Bar("units done", units, "unit", shown=self.moving)

    def show(self, counts: Mapping[str, Any]) -> None:
        if counts == self.counts:
            return
        changed = counts["done"] != self.counts["done"]
        self.counts = dict(counts)
        if self.moving:
            self.bar.note(self._rest())
            self.bar.at(counts["done"])
        elif changed:
            print(self.said(), file=sys.stderr, flush=True)

    def said(self) -> str:
        return f"{self.counts['done']} of {self.counts['units']} units done, {self._rest()}"

    def _rest(self) -> str:
        c = self.counts
        return f"{c['open']} open, {c['free']} free; {c['annotators']} annotators, {c['stopped']} stopped"

    def close(self) -> None:
        self.bar.close()
