"""Works that the report and the methods paragraph cite, read from ``references.bib``.

A key is the first author's name and the year, as a table's or figure's ``cite`` holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENTRY = re.compile(r"@\w+\{([^,]+),\n(.*?)^\}\n?", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True)
class Publication:
    """Frozen record of a publication: `authors` are "Family, Given", `where` is volume, issue and pages."""

    key: str
    authors: tuple[str, ...]
    title: str
    venue: str = ""
    year: int = 0
    doi: str = ""
    where: str = ""
    bibtex: str = ""

    @property
    def short(self) -> str:
        """Return the citation in a text: Deriu et al. 2020."""
        names = [author.split(",")[0] for author in self.authors]
        who = names[0] if len(names) == 1 else " & ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{who} {self.year}"

    @property
    def said(self) -> str:
        """Return the line of a list of references."""
        if not self.authors:
            return self.title
        names = ", ".join(_initials(author) for author in self.authors)
        text = f"{names} ({self.year}): {self.title}. {self.venue}{', ' + self.where if self.where else ''}."
        return f"{text} doi:{self.doi}" if self.doi else text


def _initials(author: str) -> str:
    family, _, given = author.partition(", ")
    return f"{family} {''.join(part[0] for part in re.split(r'[ -]', given) if part)}".strip()


@cache
def publications() -> dict[str, Publication]:
    """Return the works of ``references.bib`` by key."""
    text = (Path(__file__).parent / "references.bib").read_text(encoding="utf-8")
    return {match[1]: _publication(match) for match in ENTRY.finditer(text)}


def _publication(entry: re.Match) -> Publication:
    fields = {name: re.sub(r"\\([&%$#_])", r"\1", value) for name, value in FIELD.findall(entry[2])}
    venue = next(fields[name] for name in ("journal", "booktitle", "publisher") if name in fields)
    authors = tuple(fields["author"].split(" and "))
    rest = (venue, int(fields["year"]), fields.get("doi", ""), fields.get("note", ""), entry[0])
    return Publication(entry[1], authors, fields["title"], *rest)


def short(key: str) -> str:
    """Return how a work is cited; the key itself for a work that is not in the file."""
    return publications()[key].short if key in publications() else key


def used(cited: Iterable[Iterable[str]]) -> list[Publication]:
    """Return the works of these lists of keys, each once, by author and year; an unknown key is its own title."""
    keys = {key for cited_keys in cited for key in cited_keys}
    works = [publications()[key] for key in keys if key in publications()]
    works.sort(key=lambda work: (work.authors[0].lower(), work.year, work.key))
    return works + [Publication(key, (), key) for key in sorted(keys - set(publications()))]
