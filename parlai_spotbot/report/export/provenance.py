"""What a copy says of how the study came about: the steps and fields that are known to be harmless, and no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any

from parlai_spotbot.records import Contestant
from parlai_spotbot.report.export.scrub import scrub, text
from parlai_spotbot.study_plan import Plan

SELFPLAY = ("versions", "domain", "seeds", "contestants", "counts", "overlap_with_training_data", "promise")
COLLECTION = ("package", "mephisto", "settings", "limits", "language", "controls", "ids", "platform")
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


def provenance(known: dict) -> tuple[dict, list[str]]:
    """The provenance of the copy, and the names of the steps that were left out."""
    found = {
        "selfplay": chosen(known.get("selfplay"), SELFPLAY),
        "pack": {survey: _without_checksum(scrub(own)) for survey, own in (known.get("pack") or {}).items()},
        "controls": scrub(known.get("controls") or {}),
        "judge": scrub(known.get("judge") or {}),
        "crowdsourcing": {survey: _collection(own) for survey, own in (known.get("crowdsourcing") or {}).items()},
        "import": scrub(known.get("import") or {}),
        "import_judgements": [scrub(own) for own in (known.get("import_judgements") or {}).values()],
    }
    left_out = [step for step in known if step not in found]
    return {step: value for step, value in found.items() if value}, sorted(left_out)


def _without_checksum(row: dict) -> dict:
    """The files are other ones now, so checksums of the originals would only serve to find those."""
    return {key: value for key, value in row.items() if not key.endswith("sha256")}


def _collection(row: dict) -> dict:
    found = chosen(row, COLLECTION)
    found["settings"] = chosen(row.get("settings"), SETTINGS)
    if row.get("tasks"):
        found["tasks"] = {task: _collection(own) for task, own in row["tasks"].items()}
    return found


def judge(row: dict, human_turns: bool = True) -> dict:
    """A judge's account of itself without what may quote conversations.

    The words that told people from bots are people's words too: they stay where `human_turns` do.
    """
    found = _without_texts(chosen(row, JUDGE))
    if not human_turns:
        found["variants"] = {
            name: {key: value for key, value in own.items() if key != "words"} if isinstance(own, dict) else own
            for name, own in found["variants"].items()
        }
    return found


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(inner) for key, inner in value.items() if key not in TEXTS}
    return [_without_texts(inner) for inner in value] if isinstance(value, list) else value


def plan(own: Plan) -> Plan:
    """The plan in force, with contestants' options and files cleaned."""
    contestants = {name: _contestant(contestant) for name, contestant in own.contestants.items()}
    return replace(own, contestants=contestants, domain=PurePath(own.domain).name or own.domain)


def _contestant(own: Contestant) -> Contestant:
    model_file, model = text(own.model_file), text(own.model)
    return replace(
        own,
        model_file=model_file,
        model=model if model or model_file else "removed",
        opt=scrub(own.opt),
        description=text(own.description),
        persona=text(own.persona),
    )
