"""Points of a unit's items, by its answers: 1 for the contestant that is named first, ½, 0, or between."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.records import NATURES, OUTCOMES, Judgement, Unit
from parlai_spotbot.sequential.registration import SPOTTING

LOW, WIDTH = SCALE[0], SCALE[-1] - SCALE[0]
"""Of the scale of ratings."""

WORTH = {answer: (1 + worth) / 2 for answer, worth in OUTCOMES.items()} | {f"{n}": (n - LOW) / WIDTH for n in SCALE}
"""Points of answers to questions other than who is human."""

Points = Mapping[str, float]
"""Points of the contestant that an item names first, by the item's id: 1, ½, 0, or between."""

Answered = Mapping[tuple[str, str], object]
"""Answers about an item by (question, target)."""


def points(answers: Answered, question: str) -> float:
    """Return the first contestant's points: 1 for a win, ½ for a tie, 0; of ratings the mean, on a scale from 0 to 1.

    NaN where the question wasn't answered.
    """
    if question != SPOTTING:
        given = [
            WORTH[str(answer)] for (name, _), answer in answers.items() if name == question and str(answer) in WORTH
        ]
        return float(np.mean(given)) if given else np.nan
    first, second = (answers.get((question, f"entity:{entity}")) for entity in (0, 1))
    if first not in NATURES or second not in NATURES:
        return np.nan
    return float(1 + np.sign(NATURES.index(second) - NATURES.index(first))) / 2


def points_of_rows(unit: Unit, rows: Iterable[Judgement], question: str) -> dict[str, float]:
    """Return the points of a unit's items by judgements; the mean of several, as of a judge's variants."""
    given: dict[str, dict[str, dict]] = {}
    for row in rows:
        given.setdefault(row.item_id, {}).setdefault(row.annotation_id, {})[row.question, row.target] = row.answer
    points_of = {}
    for item in unit.items:
        values = [points(answers, question) for answers in given.get(item.item_id, {}).values()]
        numbers = [value for value in values if not np.isnan(value)]
        points_of[item.item_id] = float(np.mean(numbers)) if numbers else np.nan
    return points_of


def points_by_unit(
    units: Iterable[Unit], rows: Iterable[Judgement], question: str, failed: Container[str] = ()
) -> dict[str, Points]:
    """Return the points of the units that were answered; {} of those whose annotator is among the `failed`."""
    by_unit: dict[str, list[Judgement]] = {}
    for row in rows:
        by_unit.setdefault(row.unit_id, []).extend([] if row.worker_id in failed else [row])
    taken = [(unit, by_unit[unit.unit_id]) for unit in units if unit.unit_id in by_unit]
    return {unit.unit_id: points_of_rows(unit, answers, question) if answers else {} for unit, answers in taken}
