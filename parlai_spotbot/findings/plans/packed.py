"""What a study has of a plan: what was assumed, and how much is packed."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from parlai_spotbot import checksums
from parlai_spotbot.findings.plan_request import OF_DESIGN
from parlai_spotbot.findings.plans.kept_plan import STEP
from parlai_spotbot.records import judged_name

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

ASSUMED = (*OF_DESIGN, "looks", "calibration")
"""What a plan assumes of a study, whatever its size."""


def assumed(contents: SurveyData) -> dict[str, float]:
    """Return what a plan assumes that is kept with the analysis, or else before people answered; {} where there is
    none."""
    path = contents.folder / "plan.json"
    recorded = {"plan": contents.recorded(STEP)}
    if path.exists():
        recorded = checksums.read_json(path)
    plans = [recorded.get("plan"), *recorded.get("by_source", {}).values()]
    design = next((plan["design"] for plan in plans if plan), {})
    return {name: design[name] for name in ASSUMED if name in design}


def packed_size(contents: SurveyData, of: str) -> tuple[int, int, int]:
    """Return the fewest conversations (or comparisons) of a pair or contestant, the annotations of each of them, and
    how many contestants there are."""
    talks = {talk.conversation_id: talk for talk in contents.conversations}
    shown: dict[tuple, set[tuple]] = defaultdict(set)
    names: set[str] = set()
    annotations = 0
    for unit in contents.units:
        for item in unit.items:
            own = [talks[name] for name in item.conversation_ids if name in talks]
            if of == "matches":
                compared = [name for talk in own if talk.kind == "pairs" for name in talk.entities]
            else:
                judged = item.judged or (None,) * len(own)
                compared = [judged_name(talk, entity) or "" for talk, entity in zip(own, judged, strict=False)]
            if compared:
                shown[(*sorted(compared), *item.questions)].add(item.conversation_ids)
                names.update(compared)
                annotations += 1
    different = sum(map(len, shown.values()))
    if not different:
        return 0, 0, 0
    return min(map(len, shown.values())), max(1, round(annotations / different)), len(names)
