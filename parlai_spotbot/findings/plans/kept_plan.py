"""The plan that a study keeps in provenance.json: the last one of a survey that was made before people answered."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.selfplay.plan import check_new_folder
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.study_plan import Plan

STEP = "plan"
"""What provenance.json calls it; it holds a plan a survey."""

NUMBERS = ("difference", "needed", "power", "conversations", "annotations", "workers", "hours", "cost")
"""What is kept of the study that was asked for."""


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
