"""The rankings of a study as LaTeX tables, whole and in a form that fits a column of a two-column paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.findings.render import tell
from parlai_spotbot.report.appendix.text_formats import environment, latex
from parlai_spotbot.report.chapters import known_to, results_of
from parlai_spotbot.wording import source_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.finding import Finding
    from parlai_spotbot.findings.sections import CardTable
    from parlai_spotbot.findings.survey_data import SurveyData

COMPACT = ("Group", "Places")
"""Titles of columns that a compact table has, beside the first, names, and the first of the finding's bars."""

ROWS = 45
"""So many rows fit a page; of more there are several tables."""

FOREIGN = re.compile(r"[^\0-\u024f]")
"""Letters that LaTeX has not, but with another font."""


def latex_tables(read: Sequence[SurveyData]) -> dict[str, str]:
    """Return the tables of each survey's rankings, by the source that comes first, by the names of their files."""
    texts: dict[str, str] = {}
    for contents in read:
        for source in contents.analysed_sources[:1]:
            about = f"{contents.asked.about.title}, answers of {source_said(source)}"
            with known_to(contents):
                for finding, result in results_of(contents, source):
                    section = tell(finding, result)
                    if section and finding.bars and section.tables:
                        texts |= _files(f"{contents.survey}-{finding.name}", about, finding, section.tables)
    return texts


def _files(stem: str, about: str, finding: Finding, tables: Sequence[CardTable]) -> dict[str, str]:
    texts = {}
    for number, table in enumerate(tables, start=1):
        texts |= table_parts(table, range(len(table.head)), about, f"{stem}-{number}", "table*")
    columns = next(iter(finding.tables.values())).columns
    names = [column.title for column in columns.values() if column.kind == "name"]
    titles = [tables[0].head[0], *COMPACT, *names, *(columns[name].title for name in finding.bars[:1])]
    kept = [place for place, title in enumerate(tables[0].head) if title in titles]
    return texts | table_parts(tables[0], kept, about, f"{stem}-compact", "table")


def table_parts(table: CardTable, kept: Sequence[int], about: str, name: str, kind: str) -> dict[str, str]:
    """Return the columns of a table that are kept, by the names of files, a page each."""
    texts = {}
    for part, first in enumerate(range(0, max(len(table.rows), 1), ROWS), start=1):
        label = name
        title = f"{table.title}: {about}"
        if part > 1:
            label = f"{name}-part{part}"
            title = f"{title} (part {part})"
        rows = table.rows[first : first + ROWS]
        texts[f"tables/{label}.tex"] = _latex([table.head, *rows], kept, f"{title}.", label, kind)
    return texts


def _latex(rows: Sequence[Sequence], kept: Sequence[int], caption: str, label: str, kind: str) -> str:
    lines = []
    for row in rows:
        first, *others = [latex(str(row[place])) for place in kept]
        if first[:1] in ("[", "*"):  # after a line's end they would be read as its option
            first = f"{{}}{first}"
        lines.append([first, *others])
    if any(" [" in cell for cells in lines for cell in cells):
        caption = f"{caption} In brackets: 95% intervals."
    width = r"\columnwidth"
    if kind == "table*":
        width = r"\textwidth"
    template = environment().get_template("latex_table.jinja")
    return template.render(
        head=lines[0],
        lines=lines[1:],
        width=width,
        caption=latex(caption),
        label=label,
        kind=kind,
        foreign=FOREIGN.search(f"{lines} {caption}"),
    )
