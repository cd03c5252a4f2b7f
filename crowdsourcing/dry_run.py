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
    seconds_by_annotation_id = {
        row.annotation_id: row.seconds for row in judgements if row.source == "human" and row.seconds
    }
    if len(seconds_by_annotation_id) >= ENOUGH:
        return sum(seconds_by_annotation_id.values()) / len(
            seconds_by_annotation_id
        ), f"mean of the {len(seconds_by_annotation_id)} annotations so far"
    task = survey.tasks[0].took if len(survey.tasks) == 1 else None
    return task or survey.about.took or (GUESS, "a guess; set seconds_per_annotation")


def warnings(estimated: LaunchEstimate, settings: LaunchSettings, survey: Survey) -> list[str]:
    """Return warnings before going live."""
    messages = []
    if estimated.units and settings.pay and estimated.hourly < settings.minimum_wage:
        enough = settings.minimum_wage * estimated.hours / estimated.units
        messages.append(
            f"{estimated.hourly:.2f} {settings.currency} an hour is less than minimum_wage "
            f"({settings.minimum_wage:.2f}); pay {math.ceil(enough * 100) / 100:.2f} a unit, or ask for less"
        )
    if estimated.units and estimated.minutes_per_unit > survey.limits.minutes_per_unit / 2:
        messages.append(
            f"a unit takes {estimated.minutes_per_unit:.0f} minutes on average, and minutes_per_unit allows "
            f"{survey.limits.minutes_per_unit:.0f}: slow annotators would lose their work; allow more"
        )
    return messages


def said(estimated: LaunchEstimate, settings: LaunchSettings, survey: Survey) -> str:
    """The estimate in lines for the terminal."""
    money = settings.currency
    rows = [
        ("survey", f"{survey.name}, recruiting: {settings.provider}"),
        ("units", f"{estimated.units} to do" + (f" ({estimated.done} done already)" if estimated.done else "")),
        ("annotations", f"{estimated.annotations} in them, and {estimated.controls} of controls"),
        ("annotators", f"{estimated.annotators} or more, at most {survey.limits.units_per_annotator} units each"),
        (
            "time",
            f"{estimated.hours:.1f} hours in all with onboarding, {estimated.minutes_per_unit:.0f} minutes a unit, at "
            f"{estimated.seconds:.0f} seconds per annotation ({estimated.seconds_from})",
        ),
    ]
    if settings.pay:
        rows.append(
            ("pay", f"{estimated.pay:.2f} {money}: {settings.pay:.2f} a unit, which is {estimated.hourly:.2f} an hour")
        )
        if estimated.bonus:
            bonus = "who has the most points in the end is paid for one unit more"
            rows.append(("bonus", f"{estimated.bonus:.2f} {money}: {bonus}"))
        rows.append(("fee", f"{estimated.fee:.2f} {money}: {settings.platform_fee:.1%} (the setting fee changes it)"))
        rows.append(("cost", f"{estimated.cost:.2f} {money}"))
    else:
        rows.append(("pay", "none (set pay in the settings, and the cost is said here)"))
    lines = [f"{name:<12} {text}" for name, text in rows]
    return "\n".join(lines + [f"warning: {text}" for text in warnings(estimated, settings, survey)])
