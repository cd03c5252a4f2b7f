"""Annotators who missed too many controls (items with a known right answer), and results without them.

Controls are never analysed as data. `surveys.controls` grades the answers to them; who misses more than the launch
allows is left out of all main figures, with the results of everybody next to them.
"""

from collections.abc import Collection, Iterable, Mapping

import pandas as pd

from parlai_spotbot.records import Judgement

Graded = Mapping[str, Mapping[str, int]]
"""worker_id -> numbers of controls `answered` and `missed`."""


def failed_annotators(graded: Graded, allowed: int) -> dict[str, str]:
    """Return who missed more controls than are `allowed`: worker_id -> why they are left out."""
    why = "missed a control" if not allowed else f"missed more than {allowed} control{'s' if allowed > 1 else ''}"
    return {worker: why for worker, row in sorted(graded.items()) if row["missed"] > allowed}


def lost(rows: pd.DataFrame, failed: Mapping[str, str]) -> dict[str, int]:
    """Return how many annotations of `rows` (annotation_id, worker_id) are left out with the `failed`, by the
    reason."""
    out = rows[rows["worker_id"].isin(list(failed))]
    counts = out.groupby(out["worker_id"].map(failed))["annotation_id"].nunique()
    return {f"annotation by somebody who {why}": int(count) for why, count in counts.items()}


def silent_annotators(judgements: Iterable[Judgement]) -> list[str]:
    """Return who never gave a reason (the free text "reason"); [] where nobody gave any. All are one source's."""
    gave_answer: dict[str, bool] = {}
    for row in judgements:
        given = row.question == "reason" and isinstance(row.answer, str) and bool(row.answer.strip())
        gave_answer[row.worker_id] = gave_answer.get(row.worker_id, False) or given
    return sorted(worker for worker, given in gave_answer.items() if not given) if any(gave_answer.values()) else []


def controls_summary(graded: Graded, allowed: int | None, failed: Collection[str]) -> dict:
    """Return the numbers of controls `answered`, `missed` and `allowed`, of `annotators` who answered any, and who
    `failed`.

    `allowed` is None for judges: the limit does not apply to them.
    """
    answered, missed = (sum(row[key] for row in graded.values()) for key in ("answered", "missed"))
    return {
        "answered": answered,
        "missed": missed,
        "allowed": allowed,
        "failed": sorted(failed),
        "annotators": len(graded),
    }
