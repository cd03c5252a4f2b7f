"""Serving until settled on disk: units are drawn while people answer, and written down before anybody gets one."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from parlai_spotbot import checksums, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, Unit, indexed
from parlai_spotbot.sequential.course import Course, Points, counted, points
from parlai_spotbot.sequential.registration import Registration, drawn_units, pool_path, read_pool, register, registered
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.units_file import answers_of
from parlai_spotbot.wording import filled

UNIT_SIZE = 10
"""Items that a person gets, or the survey's unit size where that is smaller."""

SPARE = 1.1
"""Places for people, by units that may still be drawn: some miss controls, and their answers don't count."""

OVER = ("settled", "deadline")
"""Reasons to end after which not even a unit that somebody gave back is handed out again."""

LINES = own_data(__file__)
"""Templates of texts."""


class Serving:
    """A survey that people answer until it is settled.

    Parameters
    ----------
    study : Study
    plan : Registration
    deadline : str
        ISO time after which nothing is handed out; "" for none.

    Attributes
    ----------
    pool : list of Item
        Items to draw from.
    drawn : list of Unit
        Units in the order in which they were drawn.
    course : Course
        After `load`.
    """

    course: Course
    _journal: checksums.Journal | None = None

    def __init__(self, study: Study, plan: Registration, deadline: str = ""):
        self.study, self.plan, self.deadline = study, plan, _moment(deadline)
        self.pool, self.drawn = read_pool(study, plan.survey), drawn_units(study, plan.survey)
        self._talks = indexed(study.conversations())
        self._answered: dict[str, Points] = {}

    def load(self, answered: Mapping[str, Points]) -> None:
        """Take over the points of the units that are done, by their ids.

        Where answers are gone by which others were drawn, as with an older ledger, these count for nothing.
        """
        self._answered = {unit.unit_id: {} for unit in self.drawn[: counted(self.drawn)]} | dict(answered)
        self.course = Course(self.plan, self.pool, self._talks, self.drawn, self._answered)

    def points(self, items: Iterable[dict]) -> Points:
        """Return the points of a unit's items as the ledger's record has them; controls have none."""
        given = {one["item_id"]: one["answers"] for one in items if not one["control"]}
        by_target = {item: {(a["question"], a["target"]): a["answer"] for a in rows} for item, rows in given.items()}
        return {item: points(answers, self.plan.question) for item, answers in by_target.items()}

    @property
    def ended(self) -> str:
        """Why nothing more is drawn, see `Course.ended`, or "deadline"; "" while units are drawn."""
        return "deadline" if time.time() >= self.deadline else self.course.ended

    def draw(self) -> Unit | None:
        """Draw the next unit and write it to units.jsonl; None where all has ended."""
        unit = None if self.ended else self.course.draw()
        if unit is None:
            return None
        try:
            self._journal = self._journal or checksums.Journal(self.study.units_path(self.plan.survey))
            self._journal.append(unit.to_json())
        except UserError as err:  # the disk is full: as if it had not been drawn
            self.load(self._answered)
            raise OSError(err.problem) from err
        self.drawn.append(unit)
        return unit

    def take(self, unit_id: str, given: Points) -> None:
        """Count the answers to a unit; {} where they don't count."""
        self._answered[unit_id] = given
        self.course.close(unit_id, given)

    def close(self) -> None:
        """Record the units file as it is now."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    # -- how far it is -------------------------------------------------------------------------------------------------
    @property
    def left(self) -> int:
        """Units that may still be drawn, about: nobody knows how many items of each show people alone."""
        done = int(self.course.evidence.answers) + self.course.out
        return 0 if self.ended else _units(self.plan, self.plan.budget - done)

    def planned(self, out: Collection[str] = ()) -> list[Unit]:
        """Return the units drawn, and as many as may still be drawn, with a tenth more for people who don't count.

        At the end they are only those done or `out`.
        """
        kept = {*self._answered, *out} if self.ended in OVER else {unit.unit_id for unit in self.drawn}
        shown = [unit for unit in self.drawn if unit.unit_id in kept]
        items, size = tuple(self.pool), self.plan.unit_size
        more = math.ceil(SPARE * self.left)
        shown += [Unit(f"{n}", self.plan.survey, f"{n}", 0, 0, items[:size]) for n in range(more)]
        if not shown:
            raise UserError("--deadline: it is past, and nobody has been handed a unit.", "Name a later time.")
        return shown

    def figures(self) -> dict[str, int | str]:
        """Return how many pairs are settled, how many of them equal, and how many answers are counted."""
        open_, differ, equal = self.course.evidence.tally
        counts = {"pairs": open_ + differ + equal, "settled": differ + equal, "equal": equal}
        return {**counts, "answers": int(self.course.evidence.answers), "ended": self.ended}

    def announced(self) -> str:
        """Return in lines by which plan it is served."""
        return filled(LINES["announced"], plan=self.plan, contestants=len(self.plan.contestants), **self.figures())


def progress(counts: Mapping[str, Any], pay: float, currency: str) -> str:
    """Return how far it is, by the `figures` and the units planned and done, each of which costs `pay`."""
    money = {"spent": pay * counts["done"], "most": pay * counts["units"], "currency": currency}
    texts = [LINES["progress"], LINES["money"] if pay else "", LINES["ended"].get(counts["ended"], "")]
    return filled("".join(texts), **counts, **money)


def _units(plan: Registration, comparisons: int) -> int:
    """Return how many units hold so many comparisons, on average."""
    return max(1, math.ceil(comparisons / (plan.unit_size * (1 - plan.people))))


def _moment(deadline: str) -> float:
    """Return an ISO time in seconds since the epoch; of none infinity."""
    if not deadline:
        return math.inf
    try:
        return datetime.fromisoformat(deadline).timestamp()
    except ValueError:
        raise UserError(f"--deadline {deadline}: no time.", "Write it like 2026-03-01T18:00, in local time.") from None


class PlannedStudy(Study):
    """A study whose units are those that may be drawn, for whoever makes controls like their items."""

    def units(self, survey: str) -> list[Unit]:
        """Return all items to draw from, in as many units as are planned."""
        plan, pool = registered(self, survey), read_pool(self, survey)
        count = _units(plan, plan.budget) if plan else 1
        return [Unit(f"{n}", survey, f"{n}", 0, 0, tuple(pool[n::count])) for n in range(count)]


def forget(study: Study, survey: str) -> None:
    """Take back a plan that nothing was launched by; the caller holds the study's lock."""
    if answers_of(study, survey) is None:
        for path in (study.units_path(survey), study.settled_path(survey), pool_path(study, survey)):
            checksums.remove(path)


def prepared(study: Study, survey: str, request: SettledRequest | None, unit_size: int | None = None) -> PlannedStudy:
    """Register a survey that people answer until it is settled, or check its registration; return what may be drawn.

    Until it is launched another plan may take its place. The caller holds the study's lock.
    """
    earlier = registered(study, survey)
    if request is None and (unit_size is not None or earlier is None):
        raise UserError("--unit-size, --deadline: go with --until 'settled'.", "Add that, or leave them out.")
    if request is not None:
        if earlier and earlier.source == HUMAN:
            forget(study, survey)
        size = min(UNIT_SIZE, get_survey(survey, study).unit_size) if unit_size is None else unit_size
        register(study, survey, HUMAN, request, unit_size=size)
    elif earlier and earlier.source != HUMAN:
        raise UserError(
            f"{study.settled_path(survey)}: registered for {earlier.source}, whose answers choose what is shown.",
            f"Take another --study for people, or go on: {hints.command('judge', study.path, survey)}",
        )
    return PlannedStudy(study.path, study.plan, study.base, study.extensions, study.gone)
