"""A place where people chat with real contestants: a study, a desk on its ledger, a server that can be restarted."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from parlai_spotbot.crowdsourcing.chat.bots import ChatBots
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.personal_links import in_house_link
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.crowdsourcing.chat.person import Person
from tests.crowdsourcing.office import MemoryCrowd, desk_of

SURVEY = "interactive"
QUICK = {"messages": 4, "most_messages": 8, "answer_delay": False}


def contestant(name: str, agent: str, **limits: object) -> Contestant:
    return Contestant(
        name, model=f"tests.crowdsourcing.chat.chatting_agents:{agent}Agent", **{"turn_timeout": 20, **limits}
    )


CALM = contestant("zzcalm", "Obedient")
OBEDIENT = contestant("zzobedient", "Obedient", turn_timeout=3)


def make_study(path: Path, *contestants: Contestant, comparisons: int = 3) -> Study:
    study = Study.create(path, Plan("invented", {one.name: one for one in contestants}))
    pack_study(study, SURVEY, comparisons=comparisons, seed=0)
    return study


@dataclass
class Parlour:
    """`rules` of chats and other `limits` than the survey's; `said` what the operator was told."""

    study: Study
    contestants: Contestants
    page: Path
    rules: dict = field(default_factory=dict)
    limits: dict = field(default_factory=dict)
    clock: Callable[[], float] = time.time
    crowd: MemoryCrowd = field(default_factory=MemoryCrowd)
    said: list[str] = field(default_factory=list)
    batchsize: int = 8

    def __post_init__(self):
        self.paths = CollectionPaths(self.study, SURVEY)
        self.paths.make()
        self.secret = read_secret(self.paths.secret, make=True)
        survey = get_survey(SURVEY)
        self.survey = replace(
            survey, chat=replace(survey.chat, **{**QUICK, **self.rules}), limits=replace(survey.limits, **self.limits)
        )
        self.start()

    def start(self) -> None:
        self.bots = ChatBots(self.contestants.handles(), self.survey.chat.attempts, self.batchsize, self.said.append)
        self.server = PageServer(self._desk, InHouseDoor(self.secret), self.secret, PageServerOptions(self.page))
        self.server.tick_seconds = 0.05
        self.server.start()

    def _desk(self) -> Desk:
        self.ledger = ChatLedger(self.paths.ledger)
        more = {"crowd": self.crowd, "bots": self.bots, "secret": self.secret, "clock": self.clock}
        desk = desk_of(self.survey, self.study.units(SURVEY), self.ledger, **more)
        desk.resume()
        return desk

    def stop(self) -> None:
        self.bots.stop()
        self.server.stop()
        self.ledger.close()

    def restart(self, contestants: Contestants | None = None) -> None:
        """As after a crash: what was in memory is gone."""
        self.stop()
        self.contestants = contestants or self.contestants
        self.start()

    def person(self, name: str) -> Person:
        return Person(in_house_link(self.server.url, self.secret, name))

    def place_of(self, person: Person, name: str) -> int:
        """Which of a person's two partners this contestant is."""
        handout = self.server.intake.call(self.ledger.handout, person.unit["unit"])
        unit = next(unit for unit in self.study.units(SURVEY) if unit.unit_id == handout.unit_id)
        return next(i for i, item in enumerate(unit.items) if item.partners == (name,))

    def meet(self, person: Person, name: str) -> int:
        """Take a unit, and rate the first partner if this contestant is the second; returns its place."""
        person.begin()
        place = self.place_of(person, name)
        if place:
            person.chat(0, 4)
            person.rate(0)
        return place
