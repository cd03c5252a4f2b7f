"""Flags of annotators by how they worked and by missed controls, in every survey.

Who collects answers and who analyses them calls this, so both say the same of the same annotators. Nobody is left out
of a figure for a flag; see `exclusion` for who is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis.annotators.work import work_table
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.surveys.controls.exclusion import failed_people, graded_controls
from parlai_spotbot.surveys.survey import Survey

MISSED = "missed controls"
"""Who missed some, though no more than are allowed."""

MAX_UNITS = 3
"""The paper's limit."""


def max_units_of(survey: Survey) -> int | None:
    """Return how many units an annotator may do: the paper's number, unless the launch allows more.

    None in surveys that are not about segments: there a conversation may well be shown twice.
    """
    if all(question.name != "nature" for question in survey.questions):
        return None
    return max(MAX_UNITS, survey.limits.units_per_annotator)


def flagged_people(
    judgements: Sequence[Judgement], conversations: Mapping[str, Conversation], survey: Survey
) -> pd.DataFrame:
    """`work_table` of the people among `judgements`, with `MISSED` among the flags."""
    people = [row for row in judgements if row.source == HUMAN]
    table = work_table(people, conversations, max_units_of(survey))
    for worker in missed_some(people, survey):
        if worker in table.index:
            table.at[worker, "flags"].insert(0, MISSED)
    return table


def missed_some(judgements: Sequence[Judgement], survey: Survey) -> list[str]:
    """Return the people who missed controls, but no more than are allowed."""
    failed = failed_people(judgements, survey)
    graded = graded_controls(judgements, survey).get(HUMAN, {})
    return sorted(worker for worker, row in graded.items() if row["missed"] and worker not in failed)


def flags_by_task(
    judgements: Sequence[Judgement], conversations: Mapping[str, Conversation], survey: Survey
) -> dict[str, list[str]]:
    """worker_id -> flags; of a survey that is annotated task by task, each flag that some task raises."""
    task_of = {question: task.name for task in survey.tasks for question in task.questions}
    parts: dict[str, list[Judgement]] = {}
    for row in judgements:
        parts.setdefault(task_of.get(row.question, ""), []).append(row)
    flags: dict[str, dict[str, None]] = {}
    for part in parts.values():
        for worker, worker_flags in flagged_people(part, conversations, survey)["flags"].items():
            flags.setdefault(str(worker), {}).update(dict.fromkeys(worker_flags))
    return {worker: list(names) for worker, names in flags.items()}
