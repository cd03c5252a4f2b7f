"""The rankings of a study as LaTeX tables, whole and in a form that fits a column of a two-column paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from parlai_spotbot.findings.render import tell
from parlai_spotbot.findings.schema import Column
from parlai_spotbot.findings.sections import Name
from parlai_spotbot.report.appendix.text_formats import environment, latex
from parlai_spotbot.report.chapters import known_to, results_of
from parlai_spotbot.wording import NONE, source_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.finding import Finding
    from parlai_spotbot.findings.sections import CardTable
    from parlai_spotbot.findings.survey_data import SurveyData

COMPACT = ("Group", "Places")
"""Titles of columns that a compact table has, beside the first, names, and the first of the finding's bars."""

LINES = 45
"""So many lines fit a page; of more there are several tables."""

WIDE = 24
"""A cell of more letters is set in several lines of 9 em."""

LETTERS = 12
"""At least so many letters fit each of them."""

NAMES = Column("name")

NUMBER = re.compile(r"[-−–+<.\d]|$")
"""How the cells of a column begin that is aligned at the right."""


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
    for part, rows in enumerate(_pages(table.rows, kept), start=1):
        label = name
        title = f"{table.title}: {about}"
        if part > 1:
            label = f"{name}-part{part}"
            title = f"{title} (part {part})"
        caption = f"{title}. {table.how}".strip()
        texts[f"tables/{label}.tex"] = _latex([table.head, *rows], kept, caption, label, kind)
    return texts


def _pages(rows: Sequence[Sequence], kept: Sequence[int]) -> list[list[Sequence]]:
    """Return the rows of each page."""
    pages: list[list[Sequence]] = [[]]
    lines = 0
    for row in rows:
        height = max(_height(str(row[place])) for place in kept)
        if lines + height > LINES:
            pages.append([])
            lines = 0
        pages[-1].append(row)
        lines += height
    return pages


def _letters(text: str) -> int:
    """Return how many letters a text is wide."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def _height(text: str) -> int:
    """Return how many lines a cell has at most."""
    if _letters(text) <= WIDE:
        return 1
    return -(-_letters(text) // LETTERS)


def _cell(cell: str) -> str:
    """Return a cell as LaTeX, a wide one in several lines."""
    text = str(cell)
    if isinstance(cell, Name):
        text = NAMES.show(text)
    if _letters(text) <= WIDE:
        return latex(text)
    return rf"\parbox[t]{{9em}}{{\raggedright\strut {latex(text, longest=8)}\strut}}"


def _latex(rows: Sequence[Sequence], kept: Sequence[int], caption: str, label: str, kind: str) -> str:
    lines = []
    for row in rows:
        first, *others = [_cell(row[place]) for place in kept]
        if first[:1] in ("[", "*"):  # after a line's end they would be read as its option
            first = f"{{}}{first}"
        lines.append([first, *others])
    columns = [[" [" in cell for cell in column if cell != latex(NONE)] for column in zip(*lines[1:], strict=True)]
    if any(map(any, columns)):
        caption = f"{caption} In brackets: 95% intervals."
    if any(any(column) and not all(column) for column in columns):
        caption = f"{caption} In rows that lack them, they are not known."
    width = r"\columnwidth"
    if kind == "table*":
        width = r"\textwidth"
    alignment = ""
    for place in kept:
        numbers = all(NUMBER.match(str(row[place])) for row in rows[1:])
        alignment += "r" if numbers and alignment else "l"
    template = environment().get_template("latex_table.jinja")
    return template.render(
        head=lines[0], lines=lines[1:], width=width, caption=latex(caption), label=label, kind=kind, alignment=alignment
    )
