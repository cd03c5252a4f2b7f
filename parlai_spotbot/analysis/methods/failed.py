"""Which annotators are left out: who misses a control, whose answer is known, and who never gives a reason.

The server grades while people work; here the same is found from the judgements by the same rule (surveys.known), for
those that come from elsewhere too.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.known import EVERY_KIND, missed_by
from parlai_spotbot.surveys.survey import Survey

MISSED = "missed a control, whose answer is known"
NO_REASON = "never gave a reason"


def failed_annotators(
    judgements: Iterable[Judgement], survey: Survey | None = None
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Annotator -> why to leave them out, and annotator -> how many controls were `answered` and `missed`.

    More may be missed than the survey's `control_mistakes` allows: none, without a survey. Nobody is left out for
    reasons where nobody gave any. All judgements are one source's.
    """
    allowed = survey.limits.control_mistakes if survey is not None else 0
    graded: dict[str, dict[str, int]] = {}
    people, reasoned = [], set()
    answers: dict[tuple[str, str, str], dict[tuple[str, str], object]] = {}
    for row in judgements:
        people.append(row.worker_id)
        if row.question == "reason" and isinstance(row.answer, str) and row.answer.strip():
            reasoned.add(row.worker_id)
        if row.control in EVERY_KIND:
            key = (row.worker_id, row.annotation_id, row.control)
            answers.setdefault(key, {}).setdefault((row.question, row.target), row.answer)
    for (worker, _, control), given in answers.items():
        own = graded.setdefault(worker, {"answered": 0, "missed": 0})
        own["answered"] += 1
        own["missed"] += missed_by(control, given)
    failed = {worker: MISSED for worker, own in graded.items() if own["missed"] > allowed}
    if reasoned:
        failed = {worker: NO_REASON for worker in dict.fromkeys(people) if worker not in reasoned} | failed
    return failed, graded
