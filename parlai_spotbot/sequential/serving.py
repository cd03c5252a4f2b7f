"""Serving until settled on disk: units are drawn while people answer, and written down before anybody gets one."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, Unit, indexed
from parlai_spotbot.sequential.course import Course, counted
from parlai_spotbot.sequential.evidence import nearest
from parlai_spotbot.sequential.kept import Keeper
from parlai_spotbot.sequential.points import Points, points
from parlai_spotbot.sequential.registration import Registration, pool_path, read_pool, register, registered
from parlai_spotbot.sequential.settled_request import SettledRequest
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import study_survey
from parlai_spotbot.surveys.packing.units_file import answers_of
from parlai_spotbot.wording import filled

UNIT_SIZE = 10
"""Items that a person gets, or the survey's unit size where that is smaller."""

SPARE = 1.1
"""Places for people, by units that may still be drawn: some miss controls, and their answers don't count."""

OVER = ("settled", "deadline")
"""Reasons to end after which nothing is drawn in place of a unit that is lost."""

LINES = own_data(__file__)
"""Templates of texts."""


class Serving:
    """A survey that people answer until it is settled.

    Parameters
    ----------
    data : SurveyFiles
    plan : Registration
    deadline : str
        ISO time after which nothing is handed out; "" for the plan's.
    kept : Path, optional
        File in which the course's state is kept, so that a restart is quick.

    Attributes
    ----------
    until : str
        The deadline with its time zone; "" for none.
    pool : list of Item
        Items to draw from.
    drawn : list of Unit
        Units in the order in which they were drawn.
    course : Course
        After `load`.
    """

    course: Course
    _loaded: tuple[list[tuple[str, Points]], set[str]] | None = None
    _journal: checksums.RecordedJournal | None = None
    _foreseen: tuple[tuple[int, int, int], float] = (-1, -1, -1), 0.0

    def __init__(self, data: SurveyFiles, plan: Registration, deadline: str = "", kept: Path | None = None):
        self._keeper = None if kept is None else Keeper(kept)
        self.until = _local(deadline or plan.deadline or "")
        self.data = data
        self.plan = plan
        self.deadline = datetime.fromisoformat(self.until).timestamp() if self.until else math.inf
        self.pool = read_pool(data)
        self.drawn = list(data.units)
        self._talks = indexed(data.study.conversations())
        self._answered: dict[str, Points] = {}
        self._lost: set[str] = set()

    def load(self, answered: Mapping[str, Points], lost: Iterable[str] = ()) -> None:
        """Take over the points of the units that are done, by their ids in order of time, and the ids of lost ones.

        Lost are those that were given back or late, and those of an older ledger whose answers are gone, though others
        were drawn by them.
        """
        self._answered = dict(answered)
        self._lost = {*lost, *counted(self.drawn).difference(answered)}
        self._loaded = (list(answered.items()), {*lost})
        self.course = Course(
            self.plan, self.pool, self._talks, self.drawn, self._answered, self._lost, keeper=self._keeper
        )

    def holds(self, answered: Mapping[str, Points], lost: Iterable[str]) -> bool:
        """Return True if it has loaded just this, and nothing has happened since."""
        return self._loaded == (list(answered.items()), {*lost})

    def points(self, items: Iterable[dict]) -> Points:
        """Return the points of a unit's items as the ledger's record has them; controls have none."""
        points_by_unit = {}
        for one in items:
            answers = {(row["question"], row["target"]): row["answer"] for row in one["answers"]}
            if not one["control"]:
                points_by_unit[one["item_id"]] = points(answers, self.plan.question)
        return points_by_unit

    @property
    def ended(self) -> str:
        """Reason that nothing more is drawn, see `Course.ended`, or "deadline"; "" while units are drawn."""
        if time.time() >= self.deadline:
            return "deadline"
        return self.course.ended

    def draw(self) -> Unit | None:
        """Draw the next unit and write it to units.jsonl; None where all has ended."""
        self._loaded = None
        unit = None if self.ended else self.course.draw()
        if unit is None:
            return None
        try:
            self._journal = self._journal or checksums.RecordedJournal(self.data.units_path)
            self._journal.append(unit.to_json())
        except UserError as err:  # the disk is full: as if it had not been drawn
            self.load(self._answered, self._lost)
            raise OSError(err.problem) from err
        self.drawn.append(unit)
        self.course.keep()
        return unit

    def take(self, unit_id: str, given: Points) -> None:
        """Count the answers to a unit; {} where they don't count."""
        self._loaded = None
        self._answered[unit_id] = given
        self.course.close(unit_id, given)

    def lose(self, unit_id: str) -> None:
        """Give up a unit that was given back or is late: another one is drawn in its place."""
        self._loaded = None
        self._lost.add(unit_id)
        self.course.lose(unit_id)

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
        kept = {unit.unit_id for unit in self.drawn} - self._lost
        if self.ended in OVER:
            kept = {*self._answered, *out}
        shown = [unit for unit in self.drawn if unit.unit_id in kept]
        items = tuple(self.pool)
        size = self.plan.unit_size
        more = math.ceil(SPARE * self.left)
        return shown + [Unit(f"{n}", self.plan.survey, f"{n}", 0, 0, items[:size]) for n in range(more)]

    def figures(self) -> dict[str, Any]:
        """Return how many pairs are settled, how many of them equal, how many answers are counted, and what is left.

        `expected` are units that will still be drawn, about; `until` is the deadline.
        """
        course = self.course
        mark = (len(course.path), len(self.drawn), course.out)
        if mark != self._foreseen[0]:
            self._foreseen = mark, course.expected
        open_, differ, equal = course.evidence.tally
        return {
            "pairs": open_ + differ + equal,
            "open_pairs": open_,
            "settled": differ + equal,
            "equal": equal,
            "answers": int(course.evidence.answers),
            "budget": self.plan.budget,
            "expected": min(_units(self.plan, self._foreseen[1]), self.left),
            "ended": self.ended,
            "until": self.until,
            "margin": self.plan.margin,
        }

    def pairs(self) -> list[dict[str, Any]]:
        """Return a row of each two contestants, see `Course.pairs`, always in the same order."""
        order = range(len(self.plan.contestants))
        return self.course.pairs(order, *nearest(self.course.proven, self.plan.rules))

    def announced(self) -> str:
        """Return in lines by which plan it is served."""
        return filled(LINES["announced"], plan=self.plan, contestants=len(self.plan.contestants), **self.figures())


def _units(plan: Registration, comparisons: float) -> int:
    """Return how many units hold so many comparisons, on average."""
    return max(1, math.ceil(comparisons / (plan.unit_size * (1 - plan.people))))


def _local(deadline: str) -> str:
    """Return an ISO time with its time zone, the local one where it names none; "" for none."""
    try:
        return deadline and datetime.fromisoformat(deadline).astimezone().isoformat()
    except (ValueError, OverflowError):
        raise UserError(f"--deadline {deadline}: no time.", "Write it like 2026-03-01T18:00, in local time.") from None


class PlannedFiles(SurveyFiles):
    """A survey whose units are those that may be drawn, for whoever makes controls like their items."""

    @cached_property
    def units(self) -> list[Unit]:
        """All items to draw from, in as many units as are planned."""
        plan = registered(self)
        pool = read_pool(self)
        count = _units(plan, plan.budget) if plan else 1
        return [Unit(f"{n}", self.survey, f"{n}", 0, 0, tuple(pool[n::count])) for n in range(count)]


def forget(data: SurveyFiles) -> None:
    """Take back a plan that nothing was launched by; the caller holds the study's lock."""
    if answers_of(data) is None:
        for path in (data.units_path, data.settled_path, pool_path(data)):
            checksums.remove(path)


def prepared(
    data: SurveyFiles,
    request: SettledRequest | None,
    unit_size: int | None = None,
    deadline: str = "",
    control_mistakes: int | None = None,
) -> PlannedFiles:
    """Register a survey that people answer until it is settled, or check its registration; return what may be drawn.

    Until it is launched another plan may take its place. The caller holds the study's lock.
    """
    deadline = _local(deadline)
    earlier = registered(data)
    if request is not None:
        if earlier and earlier.source == HUMAN:
            forget(data)
        size = min(UNIT_SIZE, study_survey(data).unit_size) if unit_size is None else unit_size
        launch = {"deadline": deadline, "control_mistakes": control_mistakes}
        register(data, HUMAN, request, unit_size=size, **launch)
    elif unit_size is not None or earlier is None:
        raise UserError("--unit-size, --deadline: go with --until 'settled'.", "Add that, or leave them out.")
    elif earlier.source != HUMAN:
        raise UserError(
            f"{data.settled_path}: registered for {earlier.source}, whose answers choose what is shown.",
            hints.Remedy("Take another --study for people, or go on: ", data.command("judge")),
        )
    plan = registered(data)
    if plan and plan.control_mistakes not in (None, control_mistakes):
        raise UserError(
            f"{data.settled_path}: registered with control_mistakes {plan.control_mistakes}, not "
            f"{control_mistakes}: units were drawn by whose answers count.",
            "Set it back under limits in the settings (--config).",
        )
    return PlannedFiles(data.study, data.survey)
