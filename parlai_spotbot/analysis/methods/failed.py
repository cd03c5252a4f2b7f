"""Which annotators are left out: who misses controls, whose right answers are known, and who never gives a reason.

The server grades while people work, by the same rules (`surveys.known`); here the same is found from the judgements,
for those that come from elsewhere, and for those who were stopped too late.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.known import EVERY_KIND, missed_by
from parlai_spotbot.surveys.survey import Survey

MISSED = "missed a control"
NO_REASON = "never gave a reason"


def failed_annotators(
    judgements: Iterable[Judgement], survey: Survey | None = None
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Annotator -> why to leave them out, and annotator -> how many controls were `answered` and `missed`.

    More may be missed than the survey's `control_mistakes` allows: none, without a survey. Nobody is left out for
    reasons where nobody gave any. Of two answers to one question the first counts. All judgements are one source's.
    """
    allowed = survey.limits.control_mistakes if survey is not None else 0
    controls: dict[tuple[str, str, str], dict[tuple[str, str], object]] = {}
    people: dict[str, bool] = {}
    for row in judgements:
        told = row.question == "reason" and isinstance(row.answer, str) and bool(row.answer.strip())
        people[row.worker_id] = people.get(row.worker_id, False) or told
        if row.control in EVERY_KIND:
            key = (row.worker_id, row.annotation_id, row.control)
            controls.setdefault(key, {}).setdefault((row.question, row.target), row.answer)
    graded: dict[str, dict[str, int]] = {}
    for (worker, _, control), answers in controls.items():
        own = graded.setdefault(worker, {"answered": 0, "missed": 0})
        own["answered"] += 1
        own["missed"] += missed_by(control, answers)
    failed = {worker: NO_REASON for worker, told in people.items() if not told} if any(people.values()) else {}
    return failed | {worker: MISSED for worker, own in graded.items() if own["missed"] > allowed}, graded
