"""The rankings of a study as LaTeX tables, whole and in a form that fits a column of a two-column paper."""

from __future__ import annotations

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
"""Titles of columns that a compact table has, with the name before and the first of the finding's bars after them."""


def latex_tables(read: Sequence[SurveyData]) -> dict[str, str]:
    """Return the tables of each survey's rankings, by the source that comes first, by the names of their files."""
    texts: dict[str, str] = {}
    for contents in read:
        for source in contents.analysed_sources[:1]:
            about = f"{contents.asked.about.title}, {source_said(source)}"
            with known_to(contents):
                for finding, result in results_of(contents, source):
                    section = tell(finding, result)
                    if section and finding.bars and section.tables:
                        texts |= _files(f"{contents.survey}-{finding.name}", about, finding, section.tables)
    return texts


def _files(stem: str, about: str, finding: Finding, tables: Sequence[CardTable]) -> dict[str, str]:
    texts = {}
    for number, table in enumerate(tables, start=1):
        name = f"{stem}-{number}"
        texts[f"tables/{name}.tex"] = _latex(table, range(len(table.head)), about, name, "table*")
    columns = next(iter(finding.tables.values())).columns
    titles = [tables[0].head[0], *COMPACT, *(columns[name].title for name in finding.bars[:1])]
    kept = [place for place, title in enumerate(tables[0].head) if title in titles]
    name = f"{stem}-compact"
    texts[f"tables/{name}.tex"] = _latex(tables[0], kept, about, name, "table")
    return texts


def _latex(table: CardTable, kept: Sequence[int], about: str, label: str, kind: str) -> str:
    """Return the columns of a table that are kept."""
    lines = [[latex(str(row[place])) for place in kept] for row in (table.head, *table.rows)]
    width = r"\columnwidth"
    if kind == "table*":
        width = r"\textwidth"
    caption = latex(f"{table.title}: {about}.")
    template = environment().get_template("latex_table.jinja")
    return template.render(lines=lines, width=width, caption=caption, label=label, kind=kind)
