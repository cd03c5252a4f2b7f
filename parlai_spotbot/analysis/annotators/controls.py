"""Annotators who missed too many controls (items with a known right answer), and results without them.

Controls are never analysed as data. `surveys.controls` grades the answers to them; who misses more than the launch
allows is left out of all main figures, with the results of everybody next to them (`compare_everybody`).
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
    """Return the numbers of controls `answered`, `missed` and `allowed`, who `failed`, and the numbers by annotator.

    `allowed` is None for judges, to whom the limit does not apply.
    """
    answered, missed = (sum(row[key] for row in graded.values()) for key in ("answered", "missed"))
    return {
        "answered": answered,
        "missed": missed,
        "allowed": allowed,
        "failed": sorted(failed),
        "by_annotator": {worker: dict(row) for worker, row in sorted(graded.items())},
    }


def compare_everybody(kept: Mapping, every: Mapping) -> dict:
    """Return what changes in a ranking if annotators who are left out of the main figures are in.

    Parameters
    ----------
    kept, every : mapping
        The main ranking and the one with everybody, each with `order`, `score` and `score_ci` {name: …}, and `pairs`
        (a, b, `p_adjusted`).

    Returns
    -------
    dict
        `order`, `score` and `score_ci` of `every`; `same_order`; `changed` [{a, b, before, after}], the pairs whose
        verdict (who is ahead, or None where they can't be distinguished at .05) is another; `largest`, the largest
        change of a score.
    """
    before, after = _verdicts(kept), _verdicts(every)
    changed = [
        {"a": a, "b": b, "before": before.get((a, b)), "after": after.get((a, b))}
        for a, b in dict.fromkeys([*before, *after])
        if before.get((a, b)) != after.get((a, b))
    ]
    old, new = kept["score"], every["score"]
    changes = [abs(new[name] - old[name]) for name in old if None not in (old[name], new.get(name))]
    largest = max((change for change in changes if change == change), default=None)
    result = {key: every[key] for key in ("order", "score", "score_ci")}
    return result | {"same_order": kept["order"] == every["order"], "changed": changed, "largest": largest}


def _verdicts(ranking: Mapping) -> dict[tuple[str, str], str | None]:
    """Return who is clearly ahead of every two (a < b), None where they can't be told apart."""
    verdicts: dict[tuple[str, str], str | None] = {}
    for pair in ranking["pairs"]:
        a, b, p = pair["a"], pair["b"], pair["p_adjusted"]
        clear = p is not None and p < 0.05
        ahead = a if (ranking["score"].get(a) or 0) >= (ranking["score"].get(b) or 0) else b
        verdicts[min(a, b), max(a, b)] = ahead if clear else None
    return verdicts
