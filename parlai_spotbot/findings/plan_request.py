"""The options of a plan, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.options import option
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys import planned
from parlai_spotbot.surveys.about import Planning

if TYPE_CHECKING:
    from parlai_spotbot.analysis.planning import Design

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
class PlanRequest:
    """The options of a plan; None for the survey's own number, see `with_defaults`.

    `segments` and `people` are for Spot The Bot alone, `simulations` for it and for choices, `rating_sd` for ratings.
    `source` is whose judgements of a pilot count, `looks` how often its pairs will be tested.
    """

    survey: str = option(
        "spot_the_bot",
        "what annotators are asked: spot_the_bot, acute_eval, comparative, dialogue_likert or turn_likert",
        "What is planned",
    )
    power: float = option(0.8, "chance to find a difference that is there")
    difference: float | None = option(
        None,
        "least difference to be found: of two bots' shares of decided matches or choices (default .2, which is 60:40), "
        "or of mean ratings in points of the scale (default .5)",
    )
    level: float = option(0.95, "1 less the chance of any false alarm")
    bots: int | None = option(None, "bots in the pool; every pair meets", "The study")
    segments: Sequence[int] = option((2, 3, 5), "segment lengths shown of a conversation")
    annotators_per_segment: int | None = option(
        None, "annotators who answer a segment (default 2), a conversation or a pair of them (default 1)"
    )
    ties: float | None = option(None, "share without a winner (default .7; comparative .2; acute_eval 0)")
    conversation_correlation: float | None = option(
        None, "of two matches that share the conversation (default .06), of ratings (.25)"
    )
    worker_correlation: float | None = option(
        None, "of two matches of a pair by one annotator (default .02), of ratings of one bot (.04)"
    )
    annotations_per_worker: float | None = option(
        None, "annotations of bots by one person, on average (default 60; ratings 10; choices 1)"
    )
    unequal: float = option(
        1.75, "by how many times more often two annotations are one person's than if all gave as many (1: they do)"
    )
    people: float | None = option(None, "annotations of people's conversations for each of bots' (default: a third)")
    rating_sd: float = option(1.0, "standard deviation of a rating, in points", "Whole conversations")
    questions: int = option(1, "asked each by itself (acute_eval, turn_likert), not all at once")
    seconds: float | None = option(
        None,
        "mean per annotation (default: the pilot's, or 50; acute_eval 90, comparative 180, dialogue_likert 120, "
        "turn_likert 150, which are guesses)",
        "Costs",
    )
    wage: float | None = option(None, "pay per hour, for the cost")
    simulations: int | None = option(
        None,
        "simulated studies to calibrate the plan by (three times as many), and to check it (default 300, for large "
        "studies 0)",
    )
    seed: int = option(0, "start of all random numbers")
    source: str | None = option(None, "whose judgements: human (default) or judge:NAME", "After a pilot")
    looks: int = option(2, "tests of each pair: one now, one with the data to come")

    @property
    def planning(self) -> Planning:
        """The survey's own numbers; a `UserError` where there are none."""
        known = planned()
        if self.survey not in known:
            raise UserError(f"--survey {self.survey}: nothing is planned for it.", nearest(self.survey, known))
        return known[self.survey]

    def with_defaults(self) -> PlanRequest:
        """Return the request with the survey's own numbers in place of None; but for the seconds of an annotation,
        which a pilot knows."""
        value_by_name = {name: value for name, value in asdict(self.planning).items() if name not in ("of", "seconds")}
        return replace(self, **{name: value for name, value in value_by_name.items() if getattr(self, name) is None})

    @property
    def sd(self) -> float | None:
        """The standard deviation of a rating; None where no ratings are planned."""
        return self.rating_sd if self.planning.of == "ratings" else None

    def design(self, bots: int, looks: int = 1) -> Design:
        """Return the design of a study of so many bots."""
        from parlai_spotbot.analysis.planning import Design

        matches = self.planning.of == "matches"
        shown = len(check_segments(self.segments, "--segments")) if matches else 1
        people = (PEOPLE if self.people is None else self.people) if matches else 0.0
        names = {name: getattr(self, name) for name in OF_DESIGN}
        return Design(bots, shown * self.annotators_per_segment, looks=looks, people=people, **names)
