"""What is asked of a plan, and what is taken where nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.analysis.planning.surveys import Rating, Wish
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.surveys import planned
from parlai_spotbot.surveys.about import Planning

PEOPLE = 1 / 3
"""Annotations of people's conversations for each of bots'."""

OF_DESIGN = (
    "ties",
    "conversation_correlation",
    "worker_correlation",
    "taste",
    "annotations_per_worker",
    "unequal",
    "power",
    "level",
    "correction",
)
"""What a design takes as it is asked for."""


def shares(text: str) -> list[float]:
    """Parse ``.7,.5,.3``, expected win rates."""
    try:
        return [float(part) for part in text.replace(" ", "").split(",") if part]
    except ValueError:
        raise UserError(f"--win-rates {text}: expected numbers.", "Write for example --win-rates .7,.5,.3.") from None


@dataclass(frozen=True)
class PlanRequest:
    """The options of a plan; None where nothing was said, see `with_defaults`.

    `win_rates` are expected ones, joined by commas. `segments` and `people` are for Spot The Bot alone, `simulations`
    for it and for choices, the standard deviations (``…_sd``) for ratings. `source` is whose judgements of a pilot
    count, `looks` how often its pairs will be tested.
    """

    survey: str = "spot_the_bot"
    bots: int | None = None
    win_rates: str | None = None
    difference: float | None = None
    power: float = 0.8
    level: float = 0.95
    correction: str = "bonferroni"
    looks: int = 2
    segments: Sequence[int] = (2, 3, 5)
    annotators_per_segment: int | None = None
    ties: float | None = None
    conversation_correlation: float | None = None
    worker_correlation: float | None = None
    taste: float = 0.5
    annotations_per_worker: float | None = None
    unequal: float = 1.75
    people: float | None = None
    conversation_sd: float = 0.5
    annotator_sd: float = 0.5
    taste_sd: float = 0.2
    rating_sd: float = 0.7
    questions: int = 1
    seconds: float | None = None
    wage: float | None = None
    conversations_per_bot: float = 100
    seconds_per_conversation: float = 240
    simulations: int | None = None
    seed: int = 0
    source: str | None = None

    @property
    def planning(self) -> Planning:
        """What is known of the survey; a `UserError` where nothing is planned for it."""
        known = planned()
        if self.survey not in known:
            raise UserError(f"--survey {self.survey}: nothing is planned for it.", nearest(self.survey, known))
        return known[self.survey]

    def with_defaults(self) -> PlanRequest:
        """With the survey's own numbers where nothing was said; the seconds of an annotation aside, which a pilot
        knows."""
        known = {name: value for name, value in asdict(self.planning).items() if name not in ("of", "seconds")}
        return replace(self, **{name: value for name, value in known.items() if getattr(self, name) is None})

    @property
    def rates(self) -> list[float] | None:
        """The expected win rates of the bots."""
        rates = None if self.win_rates is None else shares(self.win_rates)
        if rates and self.bots not in (None, len(rates)):
            raise UserError(f"--bots {self.bots}: --win-rates names {len(rates)}.", "Leave out --bots.")
        return rates

    @property
    def seconds_before(self) -> float:
        """Of an annotation, before there is a pilot."""
        return self.planning.seconds if self.seconds is None else self.seconds

    @property
    def shown(self) -> int:
        """Annotations of a conversation, of all of its segments."""
        return len(check_segments(self.segments, "--segments")) * self.annotators_per_segment

    def design(self, bots: int, per_conversation: int, looks: int = 1) -> Design:
        """The design of a study of so many bots."""
        people = PEOPLE if self.people is None else self.people
        names = {name: getattr(self, name) for name in OF_DESIGN}
        return Design(bots, per_conversation, looks=looks, people=people, **names)

    def wish(self, bots: int, looks: int = 1) -> Wish:
        """What a survey of whole conversations is to find."""
        return Wish(bots, self.power, self.level, self.correction, looks, self.questions)

    def rating(self) -> Rating:
        """What ratings are expected to be like."""
        spreads = (self.conversation_sd, self.annotator_sd, self.taste_sd, self.rating_sd)
        return Rating(*spreads, self.annotators_per_segment, self.annotations_per_worker, self.unequal)
