"""Estimate of a launch, before anything is posted: units, annotators, money, hours, and pay per hour.

Hours follow from the seconds per annotation that papers report of the survey (`Survey.about`). Controls, onboarding and
reading are work too, and counted.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.desk.available_units import marks_of
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Unit
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import rounds
from parlai_spotbot.wording import filled

LINES = own_data(__file__)
"""Templates of the text."""

GUESS = (120.0, "a guess")
"""Seconds per annotation where no paper reports how long it takes."""

READING_MINUTES = 3.0
"""Time for consent and instructions."""

MINIMUM_WAGE = 12.0
"""An hour: what Prolific recommends (it takes no less than 8)."""


@dataclass(frozen=True)
class LaunchEstimate:
    """Frozen record of the work that is left, and its cost in the settings' currency.

    `pay` goes to annotators for units, `bonus` to the winner of a game, `fee` to the platform; `hours` is the work of
    all annotators, onboarding included.
    """

    units: int
    done: int
    annotations: int
    controls: int
    annotators: int
    seconds: float
    source: str
    hours: float
    minutes_per_unit: float
    pay: float
    bonus: float
    fee: float

    @property
    def cost(self) -> float:
        return self.pay + self.bonus + self.fee

    @property
    def hourly(self) -> float:
        """Return the pay per hour, without bonus."""
        return self.pay / self.hours if self.hours else 0.0


def estimate(
    settings: LaunchSettings,
    survey: Survey,
    units: Sequence[Unit],
    seeds: Mapping[str, str] | None = None,
    done: Collection[str] = (),
) -> LaunchEstimate:
    """Return the estimate for the units that are not `done`; `survey` has the launch's limits already.

    `seeds` are those of the conversations, by conversation id.
    """
    limits = survey.limits
    left = [unit for unit in units if unit.unit_id not in done]
    annotators = annotators_needed(left, seeds or {}, limits.units_per_annotator)
    took = survey.tasks[0].took if len(survey.tasks) == 1 else None
    seconds, source = took or survey.about.took or GUESS
    controls = limits.controls_per_unit * (annotators if survey.control_first else len(left))
    annotations = sum(len(unit.items) for unit in left)
    exercises = len(survey.onboarding[0]) if survey.onboarding else len(rounds(survey.training, 0))
    annotating = (annotations + controls) * seconds
    pay = settings.pay * len(left)
    bonus = 0.0
    if survey.game and left:
        bonus = settings.pay
    return LaunchEstimate(
        units=len(left),
        done=len(units) - len(left),
        annotations=annotations,
        controls=controls,
        annotators=annotators,
        seconds=seconds,
        source=source,
        hours=(annotating + annotators * (60 * READING_MINUTES + exercises * seconds)) / 3600,
        minutes_per_unit=annotating / 60 / max(1, len(left)),
        pay=pay,
        bonus=bonus,
        fee=settings.platform_fee * (pay + bonus),
    )


def annotators_needed(units: Iterable[Unit], seeds: Mapping[str, str], allowance: int) -> int:
    """Return how many annotators do all units if one after the other takes the first `allowance` units that fit.

    As at the desk, nobody gets two units of a block, nor a conversation or seed twice.
    """
    left = [marks_of(unit.items, seeds) | {f"block {unit.block_id}"} for unit in units]
    annotators = 0
    while left:
        taken: list[int] = []
        met: set[str] = set()
        for place, marks in enumerate(left):
            if met.isdisjoint(marks):
                taken.append(place)
                met |= marks
                if len(taken) == allowance:
                    break
        for place in reversed(taken):
            del left[place]
        annotators += 1
    return annotators


def text_of(found: LaunchEstimate, settings: LaunchSettings, survey: Survey) -> str:
    """Return the estimate in lines for the terminal, with warnings before going live."""
    limits = survey.limits
    keys = ["work"]
    if settings.pay:
        keys.append("pay")
        if found.bonus:
            keys.append("bonus")
        keys.append("fee")
    if found.units and settings.pay and found.hourly < MINIMUM_WAGE:
        keys.append("low")
    if found.units and found.minutes_per_unit > limits.minutes_per_unit / 2:
        keys.append("slow")
    values = {
        "minutes": round(found.minutes_per_unit),
        "seconds": round(found.seconds),
        "wage": MINIMUM_WAGE,
        "enough": math.ceil(100 * MINIMUM_WAGE * found.hours / max(1, found.units)) / 100,
    }
    lines = [filled(LINES[key], found=found, settings=settings, survey=survey, limits=limits, **values) for key in keys]
    return "\n".join(lines)
