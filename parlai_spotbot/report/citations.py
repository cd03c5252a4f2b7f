"""Works that the report and the methods paragraph cite, read from ``references.bib``.

A key is the first author's name and the year, as a table's or figure's ``cite`` holds it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

ENTRY = re.compile(r"@\w+\{([^,]+),\n(.*?)^\}\n?", re.DOTALL | re.MULTILINE)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True)
class Publication:
    """Frozen record of a publication: the fields of its BibTeX entry, without braces and backslashes."""

    key: str
    fields: Mapping[str, str]
    bibtex: str = ""

    @property
    def authors(self) -> list[tuple[str, str]]:
        """Family name and initials of each."""
        authors = []
        for author in self.fields["author"].split(" and "):
            family, _, given = author.partition(", ")
            initials = [name[0] for name in re.findall(r"[^ -]+", given)]
            authors.append((family, "".join(initials)))
        return authors

    @property
    def short(self) -> str:
        """Return the citation in a text: Deriu et al. 2020."""
        names = [family for family, _ in self.authors]
        if len(names) > 2:
            return f"{names[0]} et al. {self.fields['year']}"
        return f"{' & '.join(names)} {self.fields['year']}"


@cache
def publications() -> dict[str, Publication]:
    """Return the works of ``references.bib`` by key."""
    works = {}
    for entry in ENTRY.finditer((Path(__file__).parent / "references.bib").read_text(encoding="utf-8")):
        fields = {name: re.sub(r"\\([&%$#_])|[{}]", r"\1", value) for name, value in FIELD.findall(entry[2])}
        works[entry[1]] = Publication(entry[1], fields, entry[0])
    return works


def short(key: str) -> str:
    """Return how a work is cited; the key itself for a work that is not in the file."""
    if key not in publications():
        return key
    return publications()[key].short


def used(cited: Iterable[Iterable[str]]) -> list[Publication]:
    """Return the works of these lists of keys, each once, by author and year; without those not in the file."""
    cited_keys = set(chain.from_iterable(cited))
    works = [work for key, work in publications().items() if key in cited_keys]
    return sorted(
        works, key=lambda work: (work.fields["author"].partition(" and ")[0].lower(), work.fields["year"], work.key)
    )
