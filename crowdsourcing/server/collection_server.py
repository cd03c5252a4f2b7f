"""The server of a collection: its desk with the ledger, the door for its platform, its backups and progress line."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.collection import CrowdCollection
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.game_scores import natures_of
from parlai_spotbot.crowdsourcing.ledger.backups import Backups
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger, later_of
from parlai_spotbot.crowdsourcing.mephisto_task.setup import PAGE
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.sequential.outlook import line, note, page
from parlai_spotbot.terminal import Bar

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
    from parlai_spotbot.crowdsourcing.mephisto_task.finished_units import FinishedUnits


def make_server(
    collection: CrowdCollection, secret: bytes, progress: CollectionProgress, bots: ChatBots | None = None
) -> Callable[[FinishedUnits, str, int], PageServer]:
    """Return a function that builds the server of `collection` on a crowd; `bots` are there where people chat."""
    paths = collection.paths
    platform = collection.request.settings.platform

    def make(crowd: FinishedUnits, host: str, port: int) -> PageServer:
        door = platform.door(collection, secret, crowd)
        options = PageServerOptions(
            PAGE,
            paths.log,
            host,
            port,
            prefer=paths.launched.get("port", 0),
            linger=platform.linger,
            show=progress.show,
            back_up=Backups(paths).make,
            operator_page=progress.page,
        )
        return PageServer(lambda: _desk(collection, secret, crowd, door, bots), door, secret, options)

    return make


def _desk(collection: CrowdCollection, secret: bytes, crowd: FinishedUnits, door: Door, bots: ChatBots | None) -> Desk:
    """Return the desk, after it has reported to Mephisto the units that a crash may have kept from it."""
    ledger = (ChatLedger if collection.survey.chat else Ledger)(collection.paths.ledger)
    settings = collection.request.settings
    limits = collection.survey.limits
    texts = collection.texts
    # A control from outside the study bears the name of its seed.
    seeds = {name: name for item in collection.controls for name in item.conversation_ids} | collection.seeds
    consent = {
        "pay": f"{settings.pay:.2f} {settings.currency}" if settings.pay else texts["unpaid"],
        "minutes": f"{limits.minutes_per_unit:g}",
        "contact": settings.contact or texts["contact"],
        "units": str(limits.units_per_annotator),
    }
    desk = Desk(
        DeskInputs(
            collection.survey,
            collection.serving.drawn if collection.serving else collection.units,
            ledger,
            secret,
            crowd,
            collection.controls,
            seeds,
            natures_of(collection.conversations),
            texts,
            consent,
            texts["language"],
            door.finish,
            settings.group,
            bots,
            collection.serving,
            later_of(time.time, ledger.last_time()),
        )
    )
    desk.resume()
    return desk


class CollectionProgress:
    """Progress of a collection: a line in the terminal, and the operator's page under this title.

    `invited` names all who can come, or None.
    """

    def __init__(
        self, units: int, settings: LaunchSettings, title: str, invited: Callable[[], list[str] | None] = lambda: None
    ):
        none = dict.fromkeys(("open", "done", "annotators", "stopped", "latest"), 0)
        self.counts: Mapping[str, Any] = {**none, "units": units, "free": units}
        self.title = title
        self.invited = invited
        self.money = {"cost": settings.unit_cost, "currency": settings.currency}
        self.bar = Bar("units done", units, "unit")

    def show(self, counts: Mapping[str, int]) -> None:
        self.counts = counts
        self.bar.note(note(counts))
        self.bar.total = counts["units"]
        self.bar.at(counts["done"])

    def said(self) -> str:
        return f"{self.counts['done']} of {self.counts['units']} units done, {line(self.counts, **self.money)}"

    def page(self, counts: Mapping[str, Any], pairs: list[dict], people: list[dict], nonce: str) -> str:
        return page(self.title, counts, pairs, people, self.invited(), nonce=nonce, **self.money)

    def close(self) -> None:
        self.bar.close()
