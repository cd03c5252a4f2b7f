"""The plan that a study keeps in provenance.json: the last one of a survey that was made before people answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plan_request import OF_DESIGN
from parlai_spotbot.records import HUMAN, judged_name
from parlai_spotbot.selfplay.plan import check_new_folder
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.study_plan import Plan

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

STEP = "plan"
"""What provenance.json calls it; it holds a plan a survey."""

NUMBERS = ("difference", "needed", "power", "conversations", "annotations", "workers", "hours", "cost")
"""What is kept of the study that was asked for."""

ASSUMED = (*OF_DESIGN, "looks", "calibration")
"""What a plan assumes of a study, whatever its size."""


def check_place(folder: Path, survey: str) -> None:
    """Raise `UserError` where no plan can be kept: people have answered, or other files are there."""
    if not Study.exists(folder):
        check_new_folder(folder)
        return
    data = Study.open(folder).load(survey)
    if data.recorded("crowdsourcing") or any(row.source == HUMAN for row in data.judgements):
        raise UserError(
            f"--study {folder}: people answer survey {survey} already, and a plan is made before.",
            "Leave out --bots to plan on their answers as a pilot's, or name another --study.",
        )


def keep(folder: Path, survey: str, numbers: Mapping[str, Any], made_by: Mapping[str, Any]) -> Path:
    """Keep the numbers of a plan and what it was made by, dated, in a study or where one will be; return the file.

    The same plan again keeps its date. Raises `UserError` where the plan has no size, or there is no place for it.
    """
    if numbers["asked"]["needed"] is None:
        raise UserError("Out of reach of any study: no plan to keep.", "Plan for a larger --difference.")
    check_place(folder, survey)
    nothing = Plan("", {})  # no matter what conversations are planned, if any
    study = Study(folder, nothing, nothing)
    asked = {name: numbers["asked"][name] for name in NUMBERS}
    plan = {**made_by, **asked, "design": numbers["design"], "simulation": numbers["simulation"]}
    with study.lock("spotbot_plan"):
        data = SurveyFiles(study, survey)
        before = data.recorded(STEP)
        if {**before, "date": None} != {**plan, "date": None}:
            data.record(STEP, {**plan, "date": datetime.now(UTC).date().isoformat()})
    return study.provenance_path


def assumed_of(contents: SurveyData) -> dict[str, float]:
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
