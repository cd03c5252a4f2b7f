"""For which uses a judge will do: valid, not valid or not known, by criteria that stand here and nowhere else.

A judge is valid for a use where its agreement with people is surely above what the use requires, and nothing below
forbids it. It requires `CRITERIA[use]` or, where people agree less with each other, as much as people do less `MARGIN`;
never less than `LEAST`. It is not valid where its agreement surely is below that. Everything else is not known.

`rank` and `gate` are forbidden where a judge surely favours somebody by more than `FAVOUR`, or the order of two sides
surely changes more than `FLIPS` of its verdicts; they aren't known where a single person labelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from parlai_spotbot.analysis.certificate.agreement import Measured, PeopleAlpha
from parlai_spotbot.analysis.certificate.labelled import LabelledVerdicts

VALID = "valid"
NOT_VALID = "not valid"
NOT_KNOWN = "not known"

USES = ("screen", "rank", "gate")
CRITERIA = {"screen": 0.2, "rank": 0.4, "gate": 0.6}
"""Alpha that a use requires: fair, moderate and substantial agreement (Landis & Koch 1977, Biometrics 33)."""

LEAST = 0.2
MARGIN = 0.1
FAVOUR = 0.2
FLIPS = 0.25

FEWEST = 8
"""Labels of the rarer answers, without which nothing is known."""

ENOUGH_PEOPLE = 5
"""People; of fewer, further labels tell less than further people."""

SMALLEST = 60
"""Labels that may settle a use, where there are too few for any statement."""

POWER = 1.43
"""Of an interval's half, what the gap has to be that is found with 80 % power."""

MOST = 10_000
"""Labels; a use that takes more is too near its limit to be told."""


@dataclass(frozen=True)
class UseStatus:
    """Status of a use, the code of its reason, the alpha that it `requires`, and how many more `labels` would settle
    it with 80 % power (0 where it is settled, None where no number of labels is known to)."""

    use: str
    status: str
    reason: str
    requires: float
    labels: int | None = 0


def statuses(
    table: LabelledVerdicts, judge: Measured, people: PeopleAlpha, favoured: list[dict], flipped: Mapping[str, float]
) -> list[UseStatus]:
    """Return the status of each use."""
    return [_status(use, table, judge, people, _forbidden(favoured, flipped)) for use in USES]


def _forbidden(favoured: list[dict], flipped: Mapping[str, float]) -> str:
    """Return the reason that a judge may not rank or gate: the kind of favour, or "flips"; "" if there is none."""
    worst = max(favoured, key=lambda record: record["surely"], default={"surely": 0, "kind": ""})
    if worst["surely"] > FAVOUR:
        return str(worst["kind"])
    if flipped and flipped["low"] > FLIPS:
        return "flips"
    return ""


def _status(use: str, table: LabelledVerdicts, judge: Measured, people: PeopleAlpha, forbidden: str) -> UseStatus:
    requires = required(use, people)
    limit = CRITERIA[use]
    apart = people.difference
    if lacking := _lacking(table):
        return UseStatus(use, NOT_KNOWN, lacking, requires, _least_labels(table))
    few_people = 1 < table.people < ENOUGH_PEOPLE
    if not np.isfinite(judge.low) and not few_people:
        return UseStatus(use, NOT_KNOWN, "no_interval", requires, SMALLEST)
    if forbidden and use != "screen":
        return UseStatus(use, NOT_VALID, forbidden, requires)
    as_people = judge.low > LEAST and apart.low > -MARGIN
    enough = judge.low > limit or as_people
    one_person = table.people == 1 and use != "screen"
    if judge.high < LEAST or (judge.high < limit and apart.high < -MARGIN):
        return UseStatus(use, NOT_VALID, "below", requires)
    if one_person:
        return UseStatus(use, NOT_KNOWN, "one_person", requires, max(SMALLEST, table.labels))
    if enough:
        return UseStatus(use, VALID, "above" if judge.low > limit else "as_people", requires)
    if judge.high < limit and not np.isfinite(apart.low):
        return UseStatus(use, NOT_KNOWN, "people_unknown", requires, None)
    if few_people:
        return UseStatus(use, NOT_KNOWN, "few_people", requires, max(SMALLEST, table.labels))
    if judge.low <= requires <= judge.high:
        return UseStatus(use, NOT_KNOWN, "unclear", requires, more_labels(table.labels, judge, requires))
    return UseStatus(use, NOT_KNOWN, "unclear_people", requires, more_labels(table.labels, apart, -MARGIN))


def required(use: str, people: PeopleAlpha) -> float:
    """Return the alpha that a use requires."""
    limit = CRITERIA[use]
    if np.isfinite(people.alpha.estimate):
        limit = min(limit, people.alpha.estimate - MARGIN)
    return max(LEAST, limit)


def _lacking(table: LabelledVerdicts) -> str:
    """Return the code of the first thing lacking for any statement, "" if nothing is."""
    counts = np.bincount(table.label, minlength=1)
    if not table.rows:
        return "no_labels"
    if counts.max() == table.rows:
        return "same_labels"
    if table.rows - counts.max() < FEWEST:
        return "few_labels"
    return ""


def _least_labels(table: LabelledVerdicts) -> int:
    """Return how many more labels may have enough of the rarer answers, as often as these come so far."""
    rare = table.rows - np.bincount(table.label, minlength=1).max()
    short = FEWEST - rare
    if rare:
        short = ceil(table.labels * short / rare)
    return int(max(short, SMALLEST - table.labels))


def more_labels(labels: int, judge: Measured, limit: float) -> int | None:
    """Return how many more labels would show, with 80 % power, on which side of a limit the agreement is."""
    gap = abs(judge.estimate - limit)
    half = judge.high - judge.estimate
    if judge.estimate > limit:
        half = judge.estimate - judge.low
    if gap <= 0:
        return None
    needed = ceil(labels * (half * POWER / gap) ** 2)
    if needed > MOST:
        return None
    return max(1, needed - labels)
