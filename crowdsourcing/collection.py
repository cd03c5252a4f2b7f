"""A launch's request, and its collection: everything that annotators are given, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.groups import GroupMembers, part_of
from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Survey


@dataclass(frozen=True)
class LaunchRequest:
    """Frozen record of a launch's options; `url` is where annotators reach the server, if not at its own address.

    `task` names a task of a survey that is annotated task by task, `group` the people for whom the units are where they
    are for several groups. `new_secret` allows another secret where that of the collection is lost.
    `revoke` and `new_link` name an in-house annotator whose link is to be revoked, or replaced.
    """

    study: str | Path
    survey: str = "spot_the_bot"
    task: str = ""
    settings: LaunchSettings = field(default_factory=LaunchSettings)
    host: str = "127.0.0.1"
    port: int = 0
    url: str = ""
    annotators: str | int | None = None
    dry_run: bool = False
    live: bool = False
    close: bool = False
    open_browser: bool = False
    group: str = ""
    new_secret: bool = False
    revoke: str = ""
    new_link: str = ""

    @property
    def part(self) -> str:
        """The task or group, as its collection is called; "" for a survey that is one collection."""
        return self.task or part_of(self.group)


@dataclass(frozen=True)
class CrowdCollection:
    """All that a collection is made of, checked."""

    request: LaunchRequest
    study: Study
    survey: Survey
    units: list[Unit]
    controls: list[Item]
    texts: dict[str, str]
    language: str

    @property
    def paths(self) -> CollectionPaths:
        return CollectionPaths.of(self.study, self.survey.name, self.request.part)

    @property
    def name(self) -> str:
        """Return what the collection is called: the survey, SURVEY/TASK or SURVEY/group-GROUP."""
        return "/".join(filter(None, (self.survey.name, self.request.part)))

    @property
    def members(self) -> GroupMembers | None:
        """Return who is in which group, where there are groups."""
        return GroupMembers(self.paths.members, self.request.group) if self.request.group else None

    @cached_property
    def conversations(self) -> list[Conversation]:
        """Return those that may be shown: none where people chat or the units hold questions made elsewhere, so there
        need not be any."""
        return self.study.conversations() if packing_of(self.survey).of_conversations else []

    @cached_property
    def seeds(self) -> dict[str, str]:
        """The seed of each conversation that may be shown."""
        return {talk.conversation_id: talk.seed_id for talk in self.conversations}

    @property
    def last(self) -> dict[str, Any]:
        """Return what the last launch left: port, address, settings, and the name of the task."""
        return self.paths.launched

    @property
    def last_port(self) -> int:
        """The port at which pages that are open ask, 0 before the first launch."""
        return self.last.get("port", 0)

    @property
    def setup(self) -> TaskSetup:
        """Return what Mephisto is told."""
        settings = self.request.settings
        return TaskSetup(
            study=self.study.path,
            survey=self.survey.name,
            data_root=self.paths.mephisto,
            task_name=self.last.get("task_name", f"{self.study.path.resolve().name}-{self.name.replace('/', '-')}"),
            title=self.survey.title,
            description=settings.description or self.survey.instructions.split("\n")[0],
            keywords=settings.keywords,
            pay=settings.pay,
            minutes=self.survey.limits.minutes_per_unit,
            provider=settings.provider,
            units=tuple(self.units),
            host=self.request.host,
            port=self.request.port,
            public_url=self.request.url
            or ("https://nothing.posted" if self.request.dry_run or self.request.close else ""),
            countries=settings.qualifications.countries,
            mturk_qualifications=settings.mturk_qualifications,
        )
