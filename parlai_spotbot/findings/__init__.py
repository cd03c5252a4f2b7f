"""Findings: one file for each, which computes it from the answers.

A finding is a module of one of the folders here that declares `FINDING` (see `findings.finding`); those that other
folders have, too, stand together in its module `shared`, as `FINDINGS`. A folder holds the findings of one form of
answers (`FORM`, see `findings.answers`): annotations of segments, choices, ratings, labels, candidates, votes. A survey
names the folders, or single findings of them, in its declaration (`Survey.about`).
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from parlai_spotbot import plugin
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.surveys import Survey

if TYPE_CHECKING:
    from parlai_spotbot.findings.answers import Form
    from parlai_spotbot.findings.finding import Finding


def findings_of(survey: Survey) -> list[Finding]:
    """The findings of a survey in the order in which the report tells them; [] of one whose answers nobody knows."""
    finding_by_name: dict[str, Finding] = {}
    for place in survey.about.findings:
        folder, _, name = place.partition(".")
        for module, finding in _findings_of_folder(folder, name, f"survey '{survey.name}'").items():
            if name or not finding.surveys or survey.name in finding.surveys:
                finding_by_name[f"{folder}.{module}"] = finding
    return sorted(finding_by_name.values(), key=lambda finding: finding.place)


def forms_of(survey: Survey) -> list[Form]:
    """The forms of answers that the findings of a survey are of, each once."""
    return list({id(finding.form): finding.form for finding in findings_of(survey)}.values())


def check_findings(survey: Survey, where: str) -> None:
    """Raise `UserError` where a survey names findings that there aren't."""
    folders = [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
    for place in survey.about.findings:
        folder, _, name = place.partition(".")
        if folder not in folders or not plugin.names(f"{__name__}.{folder}", "FINDING"):
            raise UserError(f"{where}: about.findings names {folder!r}: no such folder.", nearest(folder, folders))
        _findings_of_folder(folder, name, f"{where}: about.findings")


def _findings_of_folder(folder: str, name: str, where: str) -> dict[str, Finding]:
    """Return the findings of a folder, or the one of a `name`: those of modules, and those that its module `shared` has
    as other folders do."""
    package = f"{__name__}.{folder}"
    findings = {module: plugin.find(package, "FINDING", module, where) for module in plugin.names(package, "FINDING")}
    if find_spec(f"{package}.shared"):
        findings |= {finding.name: finding for finding in import_module(f"{package}.shared").FINDINGS}
    if name and name not in findings:
        raise UserError(f"{where} {name}: no such finding.", nearest(name, findings))
    if name:
        return {name: findings[name]}
    return findings
