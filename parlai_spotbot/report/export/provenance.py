"""Provenance in a published copy: only the steps and fields that are known to be harmless."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Contestant
from parlai_spotbot.report.export.scrub import scrub, text
from parlai_spotbot.study_plan import Plan

FIELDS = own_data(__file__)
"""The fields that are known to be harmless, of each step; `texts` may quote conversations or free answers."""


def chosen(row: Any, kind: str) -> dict:
    """The fields of a step that are harmless, cleaned."""
    return {key: scrub(row[key]) for key in FIELDS[kind] if isinstance(row, dict) and key in row}


def provenance(recorded: dict) -> tuple[dict, list[str]]:
    """The provenance of the copy, and the names of the steps that were left out."""
    given = {step: value or {} for step, value in recorded.items()}
    result = {
        "plan": scrub(given.get("plan")),
        "selfplay": chosen(given.get("selfplay"), "selfplay"),
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
    result = chosen(row, "collection")
    result["settings"] = chosen(row.get("settings"), "settings")
    if row.get("tasks"):
        result["tasks"] = {task: _collection(task_row) for task, task_row in row["tasks"].items()}
    return result


def judge(row: dict, human_turns: bool = True) -> dict:
    """A judge's account of itself without what may quote conversations.

    The words that told people from bots are people's words too: they stay where `human_turns` do.
    """
    described = _without_texts(chosen(row, "judge"))
    if not human_turns:
        for variant in described["variants"].values():
            variant.pop("words", None)
    return described


def _without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_texts(inner) for key, inner in value.items() if key not in FIELDS["texts"]}
    if isinstance(value, list):
        return list(map(_without_texts, value))
    return value


def plan(original: Plan, coded: Collection[str] = ()) -> Plan:
    """The plan in force, with contestants' options and files cleaned; the code of those `coded` is in the copy."""
    contestants = {name: _contestant(contestant) for name, contestant in original.contestants.items()}
    for name in coded:
        contestants[name] = replace(contestants[name], code="code")
    return replace(original, contestants=contestants, domain=text(PurePath(original.domain).name or original.domain))


def _contestant(contestant: Contestant) -> Contestant:
    model_file = text(contestant.model_file)
    model = text(contestant.model)
    if not (model or model_file):
        model = "removed"
    return replace(
        contestant,
        model_file=model_file,
        model=model,
        opt=scrub(contestant.opt),
        description=text(contestant.description),
        persona=text(contestant.persona),
        code="",
    )
