"""The options of a plan, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import described
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys import planned, survey_at, survey_names
from parlai_spotbot.surveys.about import Planning
from parlai_spotbot.surveys.packing import packing_of
from parlai_spotbot.surveys.packing.packing import given_or
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.wording import listed

if TYPE_CHECKING:
    from parlai_spotbot.analysis.planning import Design
    from parlai_spotbot.study import Study

DOMAIN = "chitchat"
"""Where seeds and people's conversations come from by default, as in self-play."""

SEGMENTS = (2, 3, 5)

OF_DESIGN = (
    "ties",
    "conversation_correlation",
    "worker_correlation",
    "annotations_per_worker",
    "unequal",
    "power",
    "level",
)
"""The options that are fields of a design."""


@dataclass(frozen=True)
@described
class PlanRequest:
    """The options of a plan; None for the survey's own number, see `with_defaults`.

    `segments` are for Spot The Bot alone, `simulations` for it and for choices, `rating_sd` for ratings. `source` is
    whose judgements of a pilot count, `looks` how often its pairs will be tested.
    """

    survey: str = "spot_the_bot"
    _: KW_ONLY
    power: float = 0.8
    difference: float | None = None
    level: float = 0.95
    bots: int | None = None
    domain: str | None = None
    segments: Sequence[int] | None = None
    annotators_per_segment: int | None = None
    ties: float | None = None
    conversation_correlation: float | None = None
    worker_correlation: float | None = None
    annotations_per_worker: float | None = None
    unequal: float = 1.75
    rating_sd: float | None = None
    ask: tuple[str, ...] | None = None
    seconds: float | None = None
    wage: float | None = None
    simulations: int | None = None
    seed: int = 0
    source: str | None = None
    looks: int = 2

    def planned_survey(self, study: Study | None = None) -> tuple[Survey, Planning]:
        """Return the survey, which `study` may have from a user, and its numbers; a `UserError` where it has none."""
        survey = planned(study)
        if self.survey not in survey and self.survey in survey_names(study):
            raise UserError(
                f"--survey {self.survey}: no plan, since nobody has published how much its answers vary.",
                f"There are plans of {listed(sorted(survey))}.",
            )
        if self.survey not in survey:
            raise UserError(f"--survey {self.survey}: not known.", nearest(self.survey, survey))
        return survey_at(self.survey, study), survey[self.survey]

    def with_defaults(self, planning: Planning) -> tuple[PlanRequest, Planning]:
        """Return the request with a survey's own numbers in place of None, and these with the request's in theirs."""
        defaults = {name: value for name, value in vars(planning).items() if name != "of"}
        numbers = {name: given_or(getattr(self, name), value) for name, value in defaults.items()}
        return replace(self, **numbers), replace(planning, **numbers)

    def design(self, survey: Survey, bots: int, looks: int = 1) -> Design:
        """Return the design of a study of this number of bots."""
        from parlai_spotbot.analysis.planning import Design

        each = given_or(self.annotators_per_segment, survey.annotators_per_item)
        if packing_of(survey).cuts and survey.layout != "opening":
            each *= len(check_segments(self.segments or SEGMENTS, "--segments"))
        names = {name: getattr(self, name) for name in OF_DESIGN}
        planning = survey.about.planning
        if planning is not None:
            names["of"] = planning.of
        return Design(bots, each, looks=looks, **names)
