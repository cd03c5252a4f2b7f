"""Provenance in a published copy: only the steps and fields that are known to be harmless."""

from dataclasses import replace
from pathlib import PurePath
from typing import Any

from parlai_spotbot.records import Contestant
from parlai_spotbot.report.export.scrub import scrub, text
from parlai_spotbot.study_plan import Plan

SELFPLAY = ("versions", "domain", "seeds", "contestants", "counts", "overlap_with_training_data", "promise")
COLLECTION = ("package", "mephisto", "settings", "limits", "language", "controls", "ids")
SETTINGS = ("provider", "pay", "currency", "minutes_per_unit", "qualifications", "limits", "minimum_wage")
JUDGE = (
    "judge",
    "seed",
    "version",
    "rule",
    "trained_on",
    "variants",
    "definitions",
    "units",
    "answered",
    "note",
    "model",
    "prompt",
    "prompts",
    "options",
)
TEXTS = ("examples", "reasons", "texts", "transcripts", "raw", "replies")
"""What may quote conversations or free answers."""


def chosen(row: Any, keys: tuple[str, ...]) -> dict:
    """The fields that are named, cleaned."""
    return {key: scrub(row[key]) for key in keys if isinstance(row, dict) and key in row}


def provenance(recorded: dict) -> tuple[dict, list[str]]:
    """The provenance of the copy, and the names of the steps that were left out."""
    given = {step: value or {} for step, value in recorded.items()}
    result = {
        "selfplay": chosen(given.get("selfplay"), SELFPLAY),
        "pack": {survey: _without_checksum(scrub(packed)) for survey, packed in given.get("pack", {}).items()},
        "controls": scrub(given.get("controls")),
        "judge": scrub(given.get("judge")),
        "crowdsourcing": {survey: _collection(row) for survey, row in given.get("crowdsourcing", {}).items()},
        "margin": given.get("margin"),
        "import": scrub(given.get("import")),
        "import_judgements": [scrub(imported) for imported in given.get("import_judgements", {}).values()],
    }
    left_out = [step for step in recorded if step not in result]
    return {step: value for step, value in result.items() if value}, sorted(left_out)


def _without_checksum(row: dict) -> dict:
    """The files are other ones now, so checksums of the originals would only serve to find those."""
    return {key: value for key, value in row.items() if not key.endswith("sha256")}


def _collection(row: dict) -> dict:
    result = chosen(row, COLLECTION)
    result["settings"] = chosen(row.get("settings"), SETTINGS)
    if row.get("tasks"):
        result["tasks"] = {task: _collection(task_row) for task, task_row in row["tasks"].items()}
    return result


def judge(row: dict, human_turns: bool = True) -> dict:
    """A judge's account of itself without what may quote conversations.

    The words that told people from bots are people's words too: they stay where `human_turns` do.
    """
    described = _without_texts(chosen(row, JUDGE))
    for variant in described["variants"].values():
        if not human_turns:
            variant.pop("words", None)
    return described


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(inner) for key, inner in value.items() if key not in TEXTS}
    return [_without_texts(inner) for inner in value] if isinstance(value, list) else value


def plan(original: Plan) -> Plan:
    """The plan in force, with contestants' options and files cleaned."""
    contestants = {name: _contestant(contestant) for name, contestant in original.contestants.items()}
    return replace(original, contestants=contestants, domain=text(PurePath(original.domain).name or original.domain))


def _contestant(contestant: Contestant) -> Contestant:
    model_file, model = text(contestant.model_file), text(contestant.model)
    return replace(
        contestant,
        model_file=model_file,
        model=model if model or model_file else "removed",
        opt=scrub(contestant.opt),
        description=text(contestant.description),
        persona=text(contestant.persona),
        code="",
    )
