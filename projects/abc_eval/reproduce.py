"""The whole reproduction: reads what is at hand, makes and writes every table that it allows, as CSV, JSON and text."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.projects.abc_eval import all_answers, arithmetic, nine_labels
from parlai_spotbot.projects.abc_eval.import_format import full
from parlai_spotbot.projects.abc_eval.release import AbcEvalSettings, Release, find
from parlai_spotbot.projects.abc_eval.released_labels import released_labels
from parlai_spotbot.projects.cells import PaperTable, reached, write_tables

PARTS = {
    "labels": "nine labels of 108 conversations (behavior-classification-results.json)",
    "published": "arithmetic on the published tables (paper_tables)",
    "whole": "every answer of the project (data.json)",
}
"""Folders of the tables and what they are made of."""


PUBLISHED = ("intervals", "table5", "sensitivity", "table9", "table10", "screening", "figure3")
WHOLE = ("agreement", "rates", "table5", "figure2", "figure3", "table9", "table10", "screening")
"""Tables made by the functions of their names in `arithmetic` and in `all_answers`."""


def reproduce(
    paths: Sequence[Path | str],
    out: Path | str,
    settings: AbcEvalSettings,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, dict[str, PaperTable]]:
    """Every table that the data at `paths` allow, written under `out`; returns them by part (`PARTS`).

    All data are read, and bad ones refused, before anything is written.
    """
    release = find(paths)
    result = {}
    for part, makers in _makers(release, settings, progress).items():
        result[part] = {}
        for name, make in makers.items():
            progress(f"{part}: {name}")
            result[part][name] = make()
    for part, tables in result.items():
        write_tables(Path(out) / part, tables)
    files.write_text(Path(out) / "summary.txt", summary(result, release) + "\n")
    return result


def _makers(
    release: Release, settings: AbcEvalSettings, progress: Callable[[str], None]
) -> dict[str, dict[str, Callable[[], PaperTable]]]:
    """Read what is at hand; return by part and table how each is made."""
    folder = release.tables
    makers = {}
    if release.labels:
        rows = nine_labels.labelled(released_labels(release.labels))
        makers["labels"] = {
            "agreement": lambda: nine_labels.agreement(rows, folder),
            "rates": lambda: nine_labels.rates(rows, folder),
            "judges": lambda: nine_labels.judges(rows, settings.replicates, np.random.default_rng(settings.seed)),
        }
    makers["published"] = {name: partial(getattr(arithmetic, name), folder) for name in PUBLISHED}
    if release.project:
        try:
            project = full(release.project)
            answers = all_answers.all_answers_of(
                project, folder, settings.seed, lambda stem: progress(f"whole: {stem}")
            )
        except ValueError as err:
            raise UserError(f"{release.project}: {err}.", "Name the file as its authors published it.") from err
        makers["whole"] = {name: partial(getattr(all_answers, name), answers) for name in WHOLE}
    return makers


def summary(result: dict[str, dict[str, PaperTable]], release: Release) -> str:
    """One line a table: how many of the paper's values come out; what differs; which data are not the published."""
    lines = []
    for part, tables in result.items():
        hit, total = reached(tables.values())
        lines.append(f"{part}: {PARTS[part]}: {hit} of {total} values reached to their digits")
        lines += [f"  {name:<11} {table.verdict}" for name, table in tables.items()]
    if release.changed:
        lines.append(f"not the published files, byte for byte: {', '.join(release.changed)}")
    missing = [PARTS[part] for part in PARTS if part not in result]
    return "\n".join([*lines, *(f"not at hand: {what}" for what in missing)])
