"""Who missed how many of the control segments: known people and known bots that are mixed into units.

Controls are never analysed as data. They only tell which annotators did not look, so that results can be shown with
and without them.
"""

from __future__ import annotations

from collections.abc import Iterable

from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.known import KINDS, missed


def graded_controls(judgements: Iterable[Judgement]) -> dict[str, dict[str, dict[str, int]]]:
    """Source -> worker_id -> how many controls were `answered`, and how many of these `missed`.

    A control counts once both entities were answered; of two answers to one question the first counts. Controls of a
    kind that nothing is known of are passed over.
    """
    natures: dict[tuple[str, str, str, str], dict[str, object]] = {}
    for row in judgements:
        if row.control in KINDS and row.question == "nature":
            key = (row.source, row.worker_id, row.annotation_id, row.control)
            natures.setdefault(key, {}).setdefault(row.target, row.answer)
    graded: dict[str, dict[str, dict[str, int]]] = {}
    for (source, worker, _, control), answers in natures.items():
        if not {"entity:0", "entity:1"} <= answers.keys():
            continue
        own = graded.setdefault(source, {}).setdefault(worker, {"answered": 0, "missed": 0})
        own["answered"] += 1
        own["missed"] += missed(control, [answers["entity:0"], answers["entity:1"]])
    return graded
