"""Work of a launch: annotations, controls, annotators, hours, pay. Plans and launches compute it here.

Hours follow from the seconds per annotation that papers report of the survey (`Survey.about`). Controls, onboarding and
reading are work too, and counted.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.about import Took
from parlai_spotbot.surveys.packing.units_file import crowded_first, marks_of
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import rounds

GUESS = (120.0, "a guess")
"""Seconds per annotation where no paper reports how long it takes."""

READING_MINUTES = 3.0
"""Time for consent and instructions."""

WIDELY = 0.05
"""By so much of its annotations a launch may differ from its plan."""


@dataclass(frozen=True)
class Workload:
    """Frozen record of the work that is left, and its cost.

    `hours` is the work of all annotators, of which they are `annotating` without reading and onboarding. `unit_pay` is
    paid for each unit, `bonus` to the winner of a game, `fee` to the platform.
    """

    units: int
    done: int
    annotations: int
    controls: int
    annotators: int
    seconds: float
    source: str
    hours: float
    annotating: float
    unit_pay: float = 0.0
    bonus: float = 0.0
    fee: float = 0.0

    @property
    def minutes_per_unit(self) -> float:
        return 60 * self.annotating / max(1, self.units)

    @property
    def pay(self) -> float:
        """Return what annotators get for units."""
        return self.unit_pay * self.units

    @property
    def cost(self) -> float:
        return self.pay + self.bonus + self.fee

    @property
    def hourly(self) -> float:
        """Return the pay per hour, without bonus."""
        if not self.hours:
            return 0.0
        return self.pay / self.hours

    def fair_pay(self, wage: float) -> float:
        """Return the least pay for a unit that is `wage` per hour or more."""
        return math.ceil(round(100 * wage * self.hours / max(1, self.units), 6)) / 100

    def paid(self, unit_pay: float, fee: float, game: bool = False) -> Self:
        """Return the work with its cost: `fee` is the platform's share, the winner of a `game` gets a unit's pay."""
        bonus = 0.0
        if game and self.units:
            bonus = unit_pay
        return replace(self, unit_pay=unit_pay, bonus=bonus, fee=fee * (unit_pay * self.units + bonus))


def workload(
    survey: Survey,
    units: Sequence[Unit],
    seeds: Mapping[str, str],
    done: Collection[str] = (),
    controls: int | None = None,
    took: Took | None = None,
) -> Workload:
    """Return the work on the units that are not `done`.

    Parameters
    ----------
    survey : Survey
        With the launch's limits; one of several tasks is narrowed to one.
    seeds : mapping
        The seeds of conversations, by conversation id.
    controls : int, optional
        How many controls there are; enough, if it isn't known.
    took : Took, optional
        Time of an annotation, where another one than the survey's is known.
    """
    limits = survey.limits
    left = [unit for unit in units if unit.unit_id not in done]
    annotators = annotators_needed(left, seeds, limits.units_per_annotator)
    seconds, source = took or took_of(survey)
    each = limits.controls_per_unit
    if controls is not None:
        each = min(each, controls)
    mixed = each * len(left)
    if survey.control_first:
        mixed = each * annotators
    annotations = annotations_of(left)
    exercises = len(rounds(survey.training, 0))
    if survey.onboarding:
        exercises = len(survey.onboarding[0])
    annotating = (annotations + mixed) * seconds / 3600
    return Workload(
        units=len(left),
        done=len(units) - len(left),
        annotations=annotations,
        controls=mixed,
        annotators=annotators,
        seconds=seconds,
        source=source,
        hours=annotating + annotators * (60 * READING_MINUTES + exercises * seconds) / 3600,
        annotating=annotating,
    )


def took_of(survey: Survey) -> Took:
    """Return how long an annotation takes, and the source of the figure."""
    took = survey.about.took
    if len(survey.tasks) == 1:
        took = survey.tasks[0].took
    return took or GUESS


def units_of_task(units: Iterable[Unit], survey: Survey) -> list[Unit]:
    """Return the units that ask what the survey, which is narrowed to a task, asks."""
    return [unit for unit in units if len(items_of_task(unit.items, survey)) == len(unit.items)]


def items_of_task(items: Iterable[Item], survey: Survey) -> list[Item]:
    """Return the items that ask what the survey, which is narrowed to a task, asks."""
    names = {question.name for question in survey.questions}
    return [item for item in items if names.issuperset(item.questions)]


def annotators_needed(units: Iterable[Unit], seeds: Mapping[str, str], allowance: int) -> int:
    """Return how many annotators do all units if one after the other takes the first `allowance` units that fit.

    As at the desk, crowded units come first, and nobody gets two units of a block, nor a conversation or seed twice.
    """
    every = [marks_of(unit.items, seeds) | {f"block {unit.block_id}"} for unit in units]
    left = [every[place] for place in crowded_first(every)]
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


def annotations_of(units: Iterable[Unit]) -> int:
    """Return how many annotations units are, controls aside."""
    return sum(len(unit.items) for unit in units)


def is_another_size(annotations: int, planned: int) -> bool:
    """Return whether a launch has many more or fewer annotations than planned."""
    return abs(annotations - planned) > WIDELY * planned
