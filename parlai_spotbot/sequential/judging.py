"""A judge that answers units as they are drawn, and stops as soon as every two contestants are settled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from typing import Any, Protocol

from parlai_spotbot import checksums
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Conversation, Item, Judgement, Unit, indexed
from parlai_spotbot.sequential.course import Course, points_in_order
from parlai_spotbot.sequential.points import points_of_rows
from parlai_spotbot.sequential.registration import Registration
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.terminal import Bar
from parlai_spotbot.wording import filled, part_of

LINES: dict[str, str] = own_data(__file__)
"""What is said of a course, by why it ended."""

AWAY = "the answers to a comparison are incomplete, and what is shown next depends on them"


class Answering(Protocol):
    """What is needed of `parlai_spotbot.judges.Judge`."""

    name: str
    stopped: str
    at_once: int

    def ask(self, units: Sequence[Unit], done: Callable[[Unit], None] = ...) -> None:
        """Get ready the answers to units."""

    def answer(self, unit: Unit) -> list[Judgement]:
        """Return the answers to a unit."""
        ...

    def is_answered(self, unit: Unit, rows: Sequence[Judgement]) -> bool:
        """Return True if `rows` are all answers to a unit."""
        ...


def course_of(
    talks: Iterable[Conversation],
    plan: Registration,
    pool: Sequence[Item],
    units: Sequence[Unit],
    rows: Iterable[Judgement],
    waiting: Container[Unit],
) -> Course:
    """Return the course after the units drawn so far, see `points_in_order`."""
    given = points_in_order(units, rows, plan.question, waiting)
    return Course(plan, pool, indexed(talks), units, given)


def judge_until_settled(
    data: SurveyFiles, course: Course, judge: Answering, have: Collection[str], progress: bool
) -> None:
    """Let a judge answer unit after unit until the course has ended; those that are out first.

    As many units are out at once as the judge answers at once; they are counted in that order. A unit is written down
    before it is answered, and its answers all together, so that the same command goes on wherever it stopped. `have`
    are the ids of answers that are on disk.
    """
    plan = course.plan
    pairs = len(plan.contestants) * (len(plan.contestants) - 1) // 2
    with (
        checksums.RecordedJournal(data.units_path) as units,
        checksums.RecordedJournal(data.judgements_path) as answers,
        Bar(f"judge {judge.name}", plan.budget, "answer", shown=progress) as bar,
    ):
        while batch := _batch(course, units, judge.at_once):
            judge.ask(batch)
            for unit in batch:
                rows = judge.answer(unit)
                if not judge.is_answered(unit, rows):
                    judge.stopped = judge.stopped or AWAY
                    return
                if new := [row for row in rows if row.judgement_id not in have]:
                    answers.append(*new)
                course.close(unit.unit_id, points_of_rows(rows, plan.question))
                bar.at(float(course.evidence.answers))
                bar.note(f"{course.path[-1][1]} of {pairs} pairs settled")


def _batch(course: Course, units: checksums.RecordedJournal, at_once: int) -> list[Unit]:
    """Return the units that are out; more are drawn where none of those drawn together was counted yet."""
    batch = course.waiting
    counted = len(course.path)
    while len(batch) < at_once and all(unit.rotation == counted for unit in batch):
        if (unit := course.draw()) is None:
            break
        units.append(unit)
        batch.append(unit)
    return batch


def most_units(course: Course) -> list[Unit]:
    """Return units of the comparisons that may still be drawn, as many as the budget allows."""
    left = max(course.plan.budget - len(course.blocks), 0)
    return [Unit(item.item_id, course.plan.survey, "", 0, 0, (item,)) for item in course.drawable[:left]]


def standing(course: Course) -> dict[str, Any]:
    """Return how a course stands, ready for JSON: why it `ended`, answers, pairs by verdict, and all as `text`."""
    open_, differ, equal = course.evidence.tally
    answers = int(course.evidence.answers)
    pairs = open_ + differ + equal
    numbers = {"ended": course.ended, "answers": answers, "budget": course.plan.budget}
    numbers |= {"saved": course.plan.budget - answers, "differ": differ, "equal": equal, "open": open_}
    parts = [part_of(differ, pairs, "pair", "differs", "differ")]
    parts += [f"{count} {word}" for count, word in ((equal, "equal"), (open_, "open")) if count]
    return numbers | {"text": filled(LINES[course.ended], **numbers, of_pairs=", ".join(parts))}
