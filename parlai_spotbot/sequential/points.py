"""Points of a unit's items, by its answers: 1 for the contestant that is named first, ½, 0, or between."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.records import NATURES, OUTCOMES, Judgement
from parlai_spotbot.sequential.registration import SPOTTING

LOW = SCALE[0]
WIDTH = SCALE[-1] - SCALE[0]
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
        given = [WORTH.get(str(answer), np.nan) for (name, _), answer in answers.items() if name == question]
        if len(given) == 1:
            return float(given[0])
        return float(pd.Series(given, dtype=float).mean())
    first, second = (answers.get((question, f"entity:{entity}")) for entity in (0, 1))
    if first not in NATURES or second not in NATURES:
        return np.nan
    return float(1 + np.sign(NATURES.index(second) - NATURES.index(first))) / 2


def points_of_rows(rows: Iterable[Judgement], question: str) -> Points:
    """Return the points of items by judgements; the mean of several annotations, as of a judge's variants."""
    given: dict[str, dict[str, dict]] = {}
    for row in rows:
        given.setdefault(row.item_id, {}).setdefault(row.annotation_id, {})[row.question, row.target] = row.answer
    found = {}
    for item, by_annotation in given.items():
        found[item] = float(pd.Series([points(answers, question) for answers in by_annotation.values()]).mean())
    return found


def points_by_unit(rows: Iterable[Judgement], question: str, failed: Container[str] = ()) -> dict[str, Points]:
    """Return the points of units in the order of their rows; {} of those whose annotator is among the `failed`."""
    answers: dict[str, list[Judgement]] = {}
    for row in rows:
        counting = answers.setdefault(row.unit_id, [])
        if row.worker_id not in failed:
            counting.append(row)
    return {unit_id: points_of_rows(counting, question) for unit_id, counting in answers.items()}
