"""Files of a copy for publication that repeat the study: domain, code, texts, tables, ``repeat.sh``.

Templates are ``published.txt`` and ``repeat.txt``; what the fields of the rows mean is ``release.yaml``.
"""

import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from parlai_spotbot import __version__, checksums, files
from parlai_spotbot.findings.analyze import analyze, columns_in_words
from parlai_spotbot.findings.options import Options
from parlai_spotbot.findings.survey_data import SurveyData
from parlai_spotbot.hints import option_words
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import Contestant
from parlai_spotbot.report.appendix import instructions_of
from parlai_spotbot.report.templating import environment
from parlai_spotbot.selfplay.contestant_files import digests, source_files
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_of

FIELDS: dict[str, dict[str, str]] = own_data(__file__)
"""What the fields of rows mean, by file."""

CODE = "code"
"""The folder of a copy with the modules that contestants name."""

TABLES = "tables"
"""The folder of a copy with the tables of its analyses, by survey."""


def copy_code(study: Study, folder: Path) -> tuple[str, ...]:
    """Copy the modules that contestants name into a copy's folder of code; return whose are there.

    Only modules below a contestant's own folder of code are copied, and only those that are still as they were when it
    played.
    """
    played = study.provenance().get("selfplay", {}).get("contestants", {})
    copied = []
    for name, contestant in study.plan.contestants.items():
        recorded = played.get(name, {}).get("code_sha256")
        if not contestant.code or not recorded or digests(contestant, "").get("code_sha256") != recorded:
            continue
        root = Path(contestant.code).resolve()
        sources = [path.resolve() for path in source_files(contestant)]
        if all(path.is_relative_to(root) for path in sources):
            for path in sources:
                files.write_bytes(folder / CODE / path.relative_to(root), path.read_bytes())
            copied.append(name)
    return tuple(copied)


def unplayable(study: Study, plan: Plan, human_turns: bool) -> str:
    """Return why self-play can't be repeated from a copy with this plan; "" where it can.

    That a contestant's model can be had is not known here: the script tries it.
    """
    if "selfplay" not in study.provenance() or "import" in study.provenance():
        return "the conversations were not played by this package"
    if study.extended_by():
        return "the study was extended after its first conversations"
    if not human_turns:
        return "what people said is not in this copy"
    for name, contestant in study.plan.contestants.items():
        if not _whole(plan.contestants[name], contestant):
            return f"the code or the options of {name} are not in this copy"
    return ""


def _whole(copy: Contestant, original: Contestant) -> bool:
    """Return True if a copy's entry is all that the contestant needs."""
    return copy.same_bot(original) and bool(copy.code) == bool(source_files(original))


def analysis_options(folder: Path) -> dict[str, Any]:
    """Return the options of the last analysis in a folder, without defaults; {} where there is none."""
    options: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        made_by = checksums.read_json(path, "analysis file").get("made_by", {})
        options |= {"seed": made_by.get("seed"), **(made_by.get("options") or {})}
    default = vars(Options())
    return {name: options[name] for name in default if options.get(name) not in (None, [], default[name])}


def write_tables(folder: Path, options: Mapping[str, Mapping[str, Any]]) -> None:
    """Analyse the copy in a folder and keep the tables; `options` are those of each survey's analysis."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "study"
        shutil.copytree(folder, path)
        checksums.write_manifest(path, checksums.new_manifest(path))
        for survey, chosen in options.items():
            study = Study.open(path)
            analyze(study, survey, **chosen)
            for table in sorted(study.analysis_path(survey).glob("*.csv")):
                files.write_bytes(folder / TABLES / survey / table.name, table.read_bytes())


def complete(folder: Path, surveys: Sequence[SurveyData], analyses: Mapping[str, Path], why_not: str) -> None:
    """Write tables and texts of a copy; `analyses` are the original's folders, `why_not` as of `write_texts`."""
    options = {name: analysis_options(path) for name, path in analyses.items() if path.exists()}
    write_tables(folder, options)
    write_texts(folder, surveys, options, why_not)


def differing_tables(folder: Path, analyses: Mapping[str, Path]) -> list[str]:
    """Return the tables of a copy that `analyses`, the folders of the study by survey, have with other bytes, or
    haven't."""
    names = []
    for table in sorted((folder / TABLES).rglob("*.csv")):
        original = analyses[table.parent.name] / table.name
        if not original.exists() or original.read_bytes() != table.read_bytes():
            names.append(f"{table.parent.name}/{table.name}")
    return names


def write_texts(
    folder: Path, surveys: Sequence[SurveyData], options: Mapping[str, Mapping[str, Any]], why_not: str
) -> None:
    """Write README, data dictionary, instructions and ``repeat.sh`` of a copy.

    `surveys` are those of the original, `options` those of the analyses; `why_not` self-play can't be repeated.
    """
    study = surveys[0].study
    facts = {
        "commands": {survey: _command(survey, chosen) for survey, chosen in options.items()},
        "why_not": why_not,
        "versions": study.provenance().get("selfplay", {}).get("versions", {}),
        "package": __version__,
        "fields": FIELDS,
        "csv": {name: columns_in_words(survey_of(study.load(name))) for name in options},
        "there": {path.name for path in folder.rglob("*")},
        "instructions": instructions_of(surveys),
    }
    templates = environment().overlay(autoescape=False)
    files.write_text(folder / "README.md", templates.get_template("published.txt").render(facts))
    files.write_text(folder / "repeat.sh", templates.get_template("repeat.txt").render(facts))
    if facts["instructions"]:
        files.write_text(folder / "instructions.md", facts["instructions"])


def _command(survey: str, options: Mapping[str, Any]) -> str:
    """Return the command that analyses a survey with such options."""
    return shlex.join(["spotbot", "analyze", *option_words({"study": "study", "survey": survey, **options})])
