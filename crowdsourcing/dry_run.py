"""Estimate of a launch, before anything is posted: units, annotators, money, hours, and pay per hour.

Hours follow from seconds per annotation: those that this study's annotators took so far, else what papers report of the
survey (`Survey.about`). Controls, onboarding and reading are work too, and counted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parlai_spotbot.crowdsourcing.desk.available_units import marks_of
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.records import Judgement, Unit
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import rounds

GUESS = 120.0
"""Seconds per annotation where neither a paper nor the study says how long it takes."""
ENOUGH = 30
"""So many annotations there must be before their own mean takes the place of the paper's."""


@dataclass(frozen=True)
class LaunchEstimate:
    """Frozen record of what is still to be done, and its cost. Money is in the settings' currency.

    `pay` goes to annotators for units, `bonus` what the winner of a game gets, `fee` the platform's part; `hours` is
    the work of all annotators, `hourly` = `pay` / `hours`, without bonus.
    """

    units: int
    done: int
    annotations: int
    controls: int
    annotators: int
    seconds: float
    seconds_from: str
    hours: float
    minutes_per_unit: float
    pay: float
    bonus: float
    fee: float
    hourly: float

    @property
    def cost(self) -> float:
        return self.pay + self.bonus + self.fee


@dataclass(frozen=True)
class Workload:
    """The units of a collection, the seed of each conversation, the ids of finished units, and judgements so far."""

    units: Sequence[Unit]
    seeds: Mapping[str, str] = field(default_factory=dict)
    done: Collection[str] = ()
    judgements: Sequence[Judgement] = ()


def estimate(settings: LaunchSettings, survey: Survey, work: Workload) -> LaunchEstimate:
    """The estimate for the units that are not done; `survey` has the launch's limits already."""
    open_units = [unit for unit in work.units if unit.unit_id not in work.done]
    annotators = annotators_needed(open_units, work.seeds, survey.limits.units_per_annotator)
    seconds, source = _seconds(settings, survey, work.judgements)
    controls = survey.limits.controls_per_unit * (annotators if survey.control_first else len(open_units))
    if survey.limits.gold_every and len(open_units) > survey.limits.gold_every * annotators:
        controls = annotators  # the gold dialogue, once each
    annotations = sum(len(unit.items) for unit in open_units)
    exercises = len(survey.onboarding[0]) if survey.onboarding else len(rounds(survey.training, 0))
    start = annotators * (60 * settings.reading_minutes + exercises * seconds)
    annotating = (annotations + controls) * seconds
    pay = settings.pay * len(open_units)
    bonus = settings.pay if survey.game and open_units else 0.0
    hours = (annotating + start) / 3600
    return LaunchEstimate(
        units=len(open_units),
        done=len(work.units) - len(open_units),
        annotations=annotations,
        controls=controls,
        annotators=annotators,
        seconds=seconds,
        seconds_from=source,
        hours=hours,
        minutes_per_unit=annotating / 60 / len(open_units) if open_units else 0.0,
        pay=pay,
        bonus=bonus,
        fee=settings.platform_fee * (pay + bonus),
        hourly=pay / hours if hours else 0.0,
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


def _seconds(settings: LaunchSettings, survey: Survey, judgements: Sequence[Judgement]) -> tuple[float, str]:
    """Return seconds per annotation, and where the figure is from."""
    if settings.seconds_per_annotation is not None:
        return settings.seconds_per_annotation, "as set"
    own = {row.annotation_id: row.seconds for row in judgements if row.source == "human" and row.seconds}
    if len(own) >= ENOUGH:
        return sum(own.values()) / len(own), f"mean of the {len(own)} annotations so far"
    task = survey.tasks[0].took if len(survey.tasks) == 1 else None
    return task or survey.about.took or (GUESS, "a guess; set seconds_per_annotation")


def warnings(found: LaunchEstimate, settings: LaunchSettings, survey: Survey) -> list[str]:
    """Return warnings before going live."""
    said = []
    if found.units and settings.pay and found.hourly < settings.minimum_wage:
        enough = settings.minimum_wage * found.hours / found.units
        said.append(
            f"{found.hourly:.2f} {settings.currency} an hour is less than minimum_wage "
            f"({settings.minimum_wage:.2f}); pay {math.ceil(enough * 100) / 100:.2f} a unit, or ask for less"
        )
    if found.units and found.minutes_per_unit > survey.limits.minutes_per_unit / 2:
        said.append(
            f"a unit takes {found.minutes_per_unit:.0f} minutes on average, and minutes_per_unit allows "
            f"{survey.limits.minutes_per_unit:.0f}: slow annotators would lose their work; allow more"
        )
    return said


def said(found: LaunchEstimate, settings: LaunchSettings, survey: Survey) -> str:
    """The estimate in lines for the terminal."""
    money = settings.currency
    rows = [
        ("survey", f"{survey.name}, recruiting: {settings.provider}"),
        ("units", f"{found.units} to do" + (f" ({found.done} done already)" if found.done else "")),
        ("annotations", f"{found.annotations} in them, and {found.controls} of controls"),
        ("annotators", f"{found.annotators} or more, at most {survey.limits.units_per_annotator} units each"),
        (
            "time",
            f"{found.hours:.1f} hours in all with onboarding, {found.minutes_per_unit:.0f} minutes a unit, at "
            f"{found.seconds:.0f} seconds per annotation ({found.seconds_from})",
        ),
    ]
    if settings.pay:
        rows.append(("pay", f"{found.pay:.2f} {money}: {settings.pay:.2f} a unit, which is {found.hourly:.2f} an hour"))
        if found.bonus:
            bonus = "who has the most points in the end is paid for one unit more"
            rows.append(("bonus", f"{found.bonus:.2f} {money}: {bonus}"))
        rows.append(("fee", f"{found.fee:.2f} {money}: {settings.platform_fee:.1%} (the setting fee changes it)"))
        rows.append(("cost", f"{found.cost:.2f} {money}"))
    else:
        rows.append(("pay", "none (set pay in the settings, and the cost is said here)"))
    lines = [f"{name:<12} {text}" for name, text in rows]
    return "\n".join(lines + [f"warning: {text}" for text in warnings(found, settings, survey)])
