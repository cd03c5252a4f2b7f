"""Facts of a survey about the people who answered: how many, what of it counts, who took part, pay for an hour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from parlai_spotbot.records import HUMAN, Judgement

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

ABOUT_THEMSELVES = "annotator"
"""Target of what annotators say about themselves."""

TOLD = ("control", "annotation by somebody who missed")
"""How the reasons for leaving annotations out begin that the paragraph tells in sentences of their own."""


def people_facts(contents: SurveyData) -> dict[str, Any]:
    """Return what the methods paragraph and the answer sheets say of people.

    Returns
    -------
    dict
        `given` and `analysed`: numbers of annotations, items and annotators, controls aside. `reasons`: how many
        annotations are not analysed for other reasons than controls, by the reason. `participants`: who came, failed,
        withdrew and handed nothing in, where a collection recorded it. `hourly`: pay for an hour of answering, None
        where pay or times are unknown.
    """
    people = [row for row in contents.judgements if row.source == HUMAN and row.target != ABOUT_THEMSELVES]
    kept = [row for row in contents.kept if row.source == HUMAN and row.target != ABOUT_THEMSELVES]
    analysed = _tally(row for row in kept if row.control is None)
    reasons = {}
    used, left_out = contents.used(HUMAN)
    if used is not None:
        analysed["annotations"] = used
    for reason, count in sorted(left_out.items()):
        if not reason.startswith(TOLD):
            reasons[re.sub(r"\b(annotation|vote)\b", r"\1s", reason, count=1)] = count
    provenance = contents.study.provenance()
    settings = provenance.get("crowdsourcing", {}).get(contents.survey, {}).get("settings", {})
    given = _tally(row for row in people if row.control is None)
    pay = settings.get("pay") or 0
    if contents.study.gone:  # what was answered about those isn't read, but was paid for
        pay = 0
    participants = provenance.get("participants", {}).get(contents.survey, {})
    if participants:
        ended = sum(participants.get(name, 0) for name in ("practice", "training", "withdrew"))
        participants = {**participants, "nothing": max(0, participants["came"] - ended - given["people"])}
    return {
        "given": given,
        "analysed": analysed,
        "reasons": reasons,
        "participants": participants,
        "hourly": _hourly(people, pay),
    }


def _tally(rows: Iterable[Judgement]) -> dict[str, int]:
    rows = list(rows)
    return {
        "annotations": len({row.annotation_id for row in rows}),
        "items": len({row.item_id for row in rows}),
        "people": len({row.worker_id for row in rows}),
    }


def _hourly(people: Sequence[Judgement], pay: float) -> float | None:
    """Return pay for an hour of answering, controls included; None where pay or the time of an answer is unknown."""
    seconds = {row.annotation_id: row.seconds for row in people}
    times = [value for value in seconds.values() if value is not None]
    if not pay or len(times) < len(seconds) or not sum(times):
        return None
    units = len({(row.worker_id, row.unit_id) for row in people})
    return 3600 * pay * units / sum(times)
