"""The options of a plan, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import described
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys import planned
from parlai_spotbot.surveys.about import Planning

if TYPE_CHECKING:
    from parlai_spotbot.analysis.planning import Design
    from parlai_spotbot.study import Study

PEOPLE = 1 / 3
"""Annotations of people's conversations for each of bots', in Spot The Bot."""

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

    `segments` and `people` are for Spot The Bot alone, `simulations` for it and for choices, `rating_sd` for ratings.
    `source` is whose judgements of a pilot count, `looks` how often its pairs will be tested.
    """

    survey: str = "spot_the_bot"
    _: KW_ONLY
    power: float = 0.8
    difference: float | None = None
    level: float = 0.95
    bots: int | None = None
    segments: Sequence[int] = (2, 3, 5)
    annotators_per_segment: int | None = None
    ties: float | None = None
    conversation_correlation: float | None = None
    worker_correlation: float | None = None
    annotations_per_worker: float | None = None
    unequal: float = 1.75
    people: float | None = None
    rating_sd: float = 1.0
    questions: int = 1
    seconds: float | None = None
    wage: float | None = None
    simulations: int | None = None
    seed: int = 0
    source: str | None = None
    looks: int = 2

    def planning(self, study: Study | None = None) -> Planning:
        """Return the survey's own numbers, which `study` may have from a user; a `UserError` where there are none."""
        known = planned(study)
        if self.survey not in known:
            raise UserError(f"--survey {self.survey}: nothing is planned for it.", nearest(self.survey, known))
        return known[self.survey]

    def with_defaults(self, planning: Planning) -> PlanRequest:
        """Return the request with a survey's own numbers in place of None; but for the seconds of an annotation, which
        a pilot knows."""
        value_by_name = {name: value for name, value in asdict(planning).items() if name not in ("of", "seconds")}
        return replace(self, **{name: value for name, value in value_by_name.items() if getattr(self, name) is None})

    def least_difference(self, own: Planning) -> float:
        """Return the difference that is planned for: the survey's own where none was asked for."""
        if self.difference is None:
            return own.difference
        return self.difference

    def design(self, own: Planning, bots: int, looks: int = 1) -> Design:
        """Return the design of a study of so many bots, by a survey's own numbers where others are not asked for."""
        from parlai_spotbot.analysis.planning import Design

        each = self.annotators_per_segment
        if each is None:
            each = own.annotators_per_segment
        people = 0.0
        if own.of == "matches":
            each *= len(check_segments(self.segments, "--segments"))
            people = PEOPLE if self.people is None else self.people
        names = {name: getattr(self, name) for name in OF_DESIGN}
        return Design(bots, each, looks=looks, people=people, **names)
