"""A launch's collection: everything that annotators are given, checked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from parlai_spotbot.crowdsourcing.collection_paths import GROUP, CollectionPaths
from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.survey import Survey

if TYPE_CHECKING:
    from parlai_spotbot.sequential.serving import Serving


def planned(data: SurveyFiles, part: str, mistakes: int, deadline: str = "") -> tuple[Serving | None, list[Unit]]:
    """Return what draws a survey's units, None where they are packed, and the units as far as they are planned.

    Answers of people who missed more than `mistakes` controls don't count.
    """
    if not data.settled_path.exists():
        return None, data.study.units(data.survey)
    from parlai_spotbot.crowdsourcing.desk.drawn_units import serving_of  # with statistics, which take a while

    return serving_of(data, part, mistakes, deadline)


@dataclass(frozen=True)
class CrowdCollection:
    """All that a collection is made of, checked; `serving` draws the units where it is served until settled."""

    request: LaunchRequest
    study: Study
    survey: Survey
    units: list[Unit]
    controls: list[Item]
    texts: dict[str, str]
    serving: Serving | None = None

    @property
    def paths(self) -> CollectionPaths:
        return CollectionPaths(self.study, self.survey.name, self.request.part)

    @property
    def group(self) -> str:
        """Return the group of people that gets the units, "" where there are no groups."""
        part = self.request.part
        if part.startswith(GROUP):
            return part.removeprefix(GROUP)
        return ""

    @cached_property
    def conversations(self) -> list[Conversation]:
        """Return those that may be shown: none where people chat or the units hold questions made elsewhere, so there
        need not be any."""
        if not packing_of(self.survey).of_conversations:
            return []
        return self.study.conversations()

    @cached_property
    def seeds(self) -> dict[str, str]:
        """Return the seed of each conversation that may be shown."""
        return {talk.conversation_id: talk.seed_id for talk in self.conversations}

    @property
    def setup(self) -> TaskSetup:
        """Return the setup of Mephisto's task."""
        request = self.request
        settings = request.settings
        name = "-".join(filter(None, (self.study.path.resolve().name, self.survey.name, request.part)))
        nowhere = "https://nothing.posted" if request.dry_run or request.close else ""
        return TaskSetup(
            study=self.study.path,
            survey=self.survey.name,
            data_root=self.paths.mephisto,
            task_name=self.paths.launched.get("task_name", name),
            title=self.survey.title,
            description=settings.description or self.survey.instructions.split("\n")[0],
            keywords=settings.keywords,
            pay=settings.pay,
            minutes=self.survey.limits.minutes_per_unit,
            provider=settings.provider,
            units=tuple(self.units),
            host=request.host,
            port=request.port,
            public_url=request.url or nowhere,
            countries=settings.qualifications.countries,
            mturk_qualifications=settings.platform.qualifications(settings),
        )
