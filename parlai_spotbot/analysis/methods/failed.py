"""Which annotators are left out: who misses a pair whose better one is known, and who never gives a reason.

The server grades while people work; here the same is found from the judgements, for those that come from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.survey import Survey

MISSED = "missed a pair whose better one is known"
NO_REASON = "never gave a reason"
RIGHT = re.compile(r":(\d+)$")
"""A control of two conversations is named after the one that is the better: known_human:0."""


def failed_annotators(
    judgements: Iterable[Judgement], survey: Survey | None = None
) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """Annotator -> why to leave them out, and annotator -> how many known pairs were `answered` and `missed`.

    More may be missed than the survey's `control_mistakes` allows: none, without a survey. Nobody is left out for
    reasons where nobody gave any. All judgements are one source's.
    """
    allowed = survey.limits.control_mistakes if survey is not None else 0
    graded: dict[str, dict[str, int]] = {}
    people, reasoned, seen = [], set(), set()
    for row in judgements:
        people.append(row.worker_id)
        if row.question == "reason" and isinstance(row.answer, str) and row.answer.strip():
            reasoned.add(row.worker_id)
        right = right_answer(row.control)
        key = (row.annotation_id, row.question)
        if right is None or row.target != "pair" or row.question == "reason" or key in seen:
            continue
        seen.add(key)
        own = graded.setdefault(row.worker_id, {"answered": 0, "missed": 0})
        own["answered"] += 1
        own["missed"] += row.answer != right
    failed = {worker: MISSED for worker, own in graded.items() if own["missed"] > allowed}
    if reasoned:
        failed = {worker: NO_REASON for worker in dict.fromkeys(people) if worker not in reasoned} | failed
    return failed, graded


def right_answer(control: str | None) -> str | None:
    """The right choice in a control of two conversations; None where the kind says nothing of it."""
    found = RIGHT.search(control) if control else None
    return f"conversation:{found[1]}" if found else None
