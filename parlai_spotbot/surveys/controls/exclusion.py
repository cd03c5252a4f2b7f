"""Exclusion of annotators who missed too many controls.

Controls of a launch are part of its plan, and with them how many may be missed: who misses more is left out in every
survey. No other rule leaves anybody out; judges aren't subject to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parlai_spotbot.analysis.annotators.controls import failed_annotators
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.surveys.controls import MODULES, kind_of_mark, on_five
from parlai_spotbot.surveys.survey import Survey


def graded_controls(judgements: Iterable[Judgement], survey: Survey) -> dict[str, dict[str, dict[str, int]]]:
    """Source -> worker_id -> how many controls were `answered`, and how many of these `missed`.

    Of two answers to one question the first counts. A control counts once enough of it was answered; controls of a kind
    that can't be graded are passed over.
    """
    answers_by_control: dict[tuple, dict[tuple[str, str], object]] = {}
    questions: dict[str, set[tuple[str, str]]] = {}
    for row in judgements:
        if row.control in MODULES:
            key = (row.source, row.worker_id, row.annotation_id, row.control, row.survey)
            answers_by_control.setdefault(key, {}).setdefault((row.question, row.target), row.answer)
            questions.setdefault(row.survey, set()).add((row.question, row.target))
    graded: dict[str, dict[str, dict[str, int]]] = {}
    for (source, worker, _, control, name), answers in answers_by_control.items():
        kind = kind_of_mark(control)
        if not kind.complete(answers, questions[name]):
            continue
        counts = graded.setdefault(source, {}).setdefault(worker, {"answered": 0, "missed": 0})
        counts["answered"] += 1
        counts["missed"] += kind.missed(control, on_five(answers, survey))
    return graded


def failed_people(judgements: Iterable[Judgement], survey: Survey) -> dict[str, str]:
    """Return the people who missed more controls than the survey allows, and the reason; judges never do."""
    return failed_annotators(graded_controls(judgements, survey).get(HUMAN, {}), survey.limits.control_mistakes)


def without_failed(judgements: Sequence[Judgement], survey: Survey) -> list[Judgement]:
    """Return the judgements without those of people who missed more controls than the survey allows."""
    failed = failed_people(judgements, survey)
    return [row for row in judgements if row.source != HUMAN or row.worker_id not in failed]
