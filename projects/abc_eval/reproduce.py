"""The whole reproduction: reads what is at hand, makes and writes every table that it allows, as CSV, JSON and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

import parlai_spotbot
from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.abc_eval import full
from parlai_spotbot.importers.abc_eval_labels import released_labels
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.projects.abc_eval import all_answers, arithmetic, figures, nine_labels
from parlai_spotbot.projects.abc_eval.release import Release, find
from parlai_spotbot.projects.cells import PaperTable, reached

PARTS = {
    "labels": "nine labels of 108 conversations (behavior-classification-results.json)",
    "published": "arithmetic on the published tables (paper_tables)",
    "whole": "every answer of the project (data.json)",
}
"""Folders of the tables and what they are made of."""


@dataclass(frozen=True)
class AbcEvalSettings:
    """`replicates` of every bootstrap, and where chance starts."""

    seed: int = 0
    replicates: int = 1000


def paper_values() -> dict:
    """What the paper prints."""
    return yaml.safe_load((Path(__file__).parent / "paper.yaml").read_text(encoding="utf-8"))


def reproduce(
    paths: Sequence[Path | str],
    out: Path | str,
    settings: AbcEvalSettings = AbcEvalSettings(),
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, PaperTable]]:
    """Every table that the data at `paths` allow, written under `out`; returns them by part (`PARTS`).

    All data are read, and bad ones refused, before anything is written.
    """
    release, result = find(paths), {}
    labels = released_labels(release.labels) if release.labels else None
    project = full(release.project) if release.project else None
    if labels is not None:
        result["labels"] = _labels(labels, release, settings, progress)
    result["published"] = _published(release, progress)
    if project is not None:
        result["whole"] = _whole(project, release, settings, progress)
    _write(Path(out), result, release, settings, project)
    return result


def _labels(
    imported: ImportedStudy, release: Release, settings: AbcEvalSettings, progress: Callable[[str], None]
) -> dict[str, PaperTable]:
    rows = nine_labels.labelled(imported)
    makers: dict[str, Callable[[np.random.Generator], PaperTable]] = {
        "agreement": lambda _: nine_labels.agreement(rows, release.tables),
        "rates": lambda rng: nine_labels.rates(rows, release.tables, rng),
        "judges": lambda rng: nine_labels.judges(rows, settings.replicates, rng),
    }
    tables = {}
    for name, make in makers.items():
        progress(f"labels: {name}")
        tables[name] = make(np.random.default_rng(settings.seed))
    return tables


def _published(release: Release, progress: Callable[[str], None]) -> dict[str, PaperTable]:
    paper, folder = paper_values(), release.tables
    makers: dict[str, Callable[[], PaperTable]] = {
        "intervals": lambda: arithmetic.intervals(folder),
        "table5": lambda: arithmetic.table5(paper, folder),
        "sensitivity": lambda: arithmetic.sensitivity(folder),
        "table9": lambda: arithmetic.table9(paper, folder),
        "table10": lambda: arithmetic.table10(paper, folder),
        "screening": lambda: arithmetic.screening(folder),
        "figure3": lambda: arithmetic.figure3(folder),
    }
    return _made("published", makers, progress)


def _whole(
    imported: ImportedStudy, release: Release, settings: AbcEvalSettings, progress: Callable[[str], None]
) -> dict[str, PaperTable]:
    paper, folder = paper_values(), release.tables
    try:
        own = all_answers.all_answers_of(imported, settings.seed, lambda stem: progress(f"whole: {stem}"))
    except ValueError as err:
        raise UserError(f"{release.project}: {err}.", "Name the file as its authors published it.") from err
    makers: dict[str, Callable[[], PaperTable]] = {
        "agreement": lambda: all_answers.agreement(own, folder),
        "rates": lambda: all_answers.rates(own, folder),
        "table5": lambda: all_answers.table5(own, paper),
        "figure2": lambda: all_answers.figure2(own, folder),
        "figure3": lambda: all_answers.figure3(own, folder),
        "table9": lambda: all_answers.table9(own, folder),
        "table10": lambda: all_answers.table10(own, paper),
        "screening": lambda: all_answers.screening(own, folder),
    }
    return _made("whole", makers, progress)


def _made(
    part: str, makers: Mapping[str, Callable[[], PaperTable]], progress: Callable[[str], None]
) -> dict[str, PaperTable]:
    tables = {}
    for name, make in makers.items():
        progress(f"{part}: {name}")
        tables[name] = make()
    return tables


def _write(
    out: Path,
    result: dict[str, dict[str, PaperTable]],
    release: Release,
    settings: AbcEvalSettings,
    project: ImportedStudy | None,
) -> None:
    made_by = {
        "package": f"parlai_spotbot {parlai_spotbot.__version__}",
        "seed": settings.seed,
        "replicates": settings.replicates,
        "sources": release.sources,
    }
    for part, tables in result.items():
        for name, table in tables.items():
            files.write_text(out / part / f"{name}.csv", files.frame_csv(table.frame()))
        text = "\n\n".join(table.text() for table in tables.values())
        if part == "whole" and project is not None and project.about["oddities"]:
            odd = [f"  {row['count']:>6}  {row['what']}: {row['rule']}" for row in project.about["oddities"]]
            text += "\n\nWhat is odd about the data, and what is done about it\n" + "\n".join(odd)
        files.write_text(out / part / "tables.txt", text + "\n")
        files.write_json(
            out / part / "tables.json", {"made_by": made_by, "tables": {name: t.json() for name, t in tables.items()}}
        )
    if "labels" in result:
        figures.draw(out / "labels", result["labels"])
    files.write_text(out / "summary.txt", summary(result, release) + "\n")


def summary(result: dict[str, dict[str, PaperTable]], release: Release) -> str:
    """One line a table: how many of the paper's values come out; what differs; which data are not the published."""
    lines = []
    for part, tables in result.items():
        hit, of = reached(tables.values())
        lines.append(f"{part}: {PARTS[part]}: {hit} of {of} values reached to their digits")
        lines += [f"  {name:<11} {table.verdict}" for name, table in tables.items()]
    others = [name for name, about in release.sources.items() if about["published"] is False]
    if others:
        lines.append(f"not the published files, byte for byte: {', '.join(others)}")
    missing = [PARTS[part] for part in PARTS if part not in result]
    return "\n".join([*lines, *(f"not at hand: {what}" for what in missing)])
