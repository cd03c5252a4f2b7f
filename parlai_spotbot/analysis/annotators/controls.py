"""Annotators who missed too many controls (items with a known right answer), and results without them.

Controls are never analysed as data. `surveys.controls` grades the answers to them; who misses more than the launch
allows is left out of all main figures, with the results of everybody next to them (`compare_everybody`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

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

    `allowed` is None for judges, to whom the limit does not apply.
    """
    answered, missed = (sum(row[key] for row in graded.values()) for key in ("answered", "missed"))
    return {
        "answered": answered,
        "missed": missed,
        "allowed": allowed,
        "failed": sorted(failed),
        "annotators": len(graded),
    }


def compare_everybody(kept: Sequence[pd.DataFrame], every: Sequence[pd.DataFrame]) -> dict:
    """Return what changes in a ranking if annotators who are left out of the main figures are in.

    Parameters
    ----------
    kept, every : sequence of two frames
        The main ranking and the one with everybody: the contestants, best first (bot, score), and the pairs (a, b,
        p_adjusted).

    Returns
    -------
    dict
        `order` of `every`; `same_order`; `changed` [{a, b, before, after}], the pairs whose
        verdict (who is ahead, or None where they can't be distinguished at .05) is another; `largest`, the largest
        change of a score.
    """
    before = _verdicts(*kept)
    after = _verdicts(*every)
    changed = [
        {"a": a, "b": b, "before": before.get((a, b)), "after": after.get((a, b))}
        for a, b in dict.fromkeys([*before, *after])
        if before.get((a, b)) != after.get((a, b))
    ]
    old, new = (scores.set_index("bot")["score"].astype(float) for scores, _ in (kept, every))
    changes = (new - old).abs().dropna()
    return {
        "order": new.index.tolist(),
        "same_order": list(old.index) == list(new.index),
        "changed": changed,
        "largest": changes.max() if len(changes) else None,
    }


def _verdicts(contestants: pd.DataFrame, pairs: pd.DataFrame) -> dict[tuple[str, str], str | None]:
    """Return who is clearly ahead of every two (a < b), None where they can't be told apart."""
    scores = contestants.set_index("bot")["score"].astype(float).fillna(0.0)
    verdicts: dict[tuple[str, str], str | None] = {}
    for a, b, p in zip(pairs["a"], pairs["b"], pairs["p_adjusted"].astype(float), strict=True):
        verdicts[min(a, b), max(a, b)] = None
        if p < 0.05:
            verdicts[min(a, b), max(a, b)] = a if scores.get(a, 0.0) >= scores.get(b, 0.0) else b
    return verdicts
