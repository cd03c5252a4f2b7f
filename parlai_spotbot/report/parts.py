"""What a section of the report is made of: one `Part` a source, people first, and what all sections share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import rows
from parlai_spotbot.report.contents import Contents
from parlai_spotbot.report.drawing import Look, looks

CAUTION = "automatic judge — no substitute for people"


class Figure(NamedTuple):
    """A drawing, how to read it, and the sentence that says it to everybody; `method` and `cite` on demand.

    `title` stands above a drawing that has none within. A `folded` figure is opened by its title.
    """

    drawing: Markup
    caption: str
    sentence: str = ""
    method: str = ""
    cite: tuple[str, ...] = ()
    title: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Part:
    """What one source has to say in one section: `text` is a sentence or two, `orders` are rankings with labels."""

    source: str
    title: str
    caution: str
    figures: list[Figure] = field(default_factory=list)
    tables: list[rows.Table] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    orders: list[tuple[str, list[rows.Name]]] = field(default_factory=list)

    def __post_init__(self):
        object.__setattr__(self, "figures", [Figure(*figure) for figure in self.figures])

    @property
    def empty(self) -> bool:
        return not (self.figures or self.tables or self.text)


class Page:
    """What the sections of one survey are made from: its contents, and how each contestant looks.

    `prefix` goes before all its anchors and names of figures: empty for the survey that comes first. `pages` are those
    of all the study's surveys, in the order in which they stand, for sections that look at several.
    """

    def __init__(self, contents: Contents, prefix: str = ""):
        self.contents = contents
        self.prefix = prefix
        self.bots = contents.bots
        self.looks: dict[str, Look] = looks(self.bots)
        self.pages: list[Page] = [self]

    def ranked(self, source: str) -> list[str]:
        """The bots best first, as this source ranks them; those it doesn't rank are left out."""
        return self.contents.of("ranking", source).get("order") or self.bots

    def part(self, source: str, drawings: list, tables: list, text: list | None = None, orders=()) -> Part:
        """A source's part; what couldn't be drawn or tabled is left out. `drawings` hold `Figure`s or the like."""
        # A sentence whose figure can't be drawn is said all the same.
        lost = [sentence for drawing, _, *more in drawings if drawing is None for sentence in more[:1]]
        return Part(
            source=source,
            title=said(source),
            caution="" if source == HUMAN else CAUTION,
            figures=[Figure(*drawing) for drawing in drawings if drawing[0] is not None],
            tables=[table for table in tables if table is not None],
            text=[t for t in [*lost, *(text or [])] if t],
            orders=list(orders),
        )

    def id(self, stem: str, source: str) -> tuple[str, str]:
        """The figure's name (prefix of its ids, and its file's name) and the caution written into it."""
        return f"{self.contents.survey}-{stem}-{self._short(source)}", "" if source == HUMAN else CAUTION

    def _short(self, source: str) -> str:
        """A source as part of an id and of a file's name; numbered where two would come out alike."""
        plain = [re.sub(r"[^a-z0-9]+", "_", said(s).lower()) for s in self.contents.sources]
        own = re.sub(r"[^a-z0-9]+", "_", said(source).lower())
        if plain.count(own) > 1:
            return f"{own}_{self.contents.sources.index(source)}"
        return own


def said(source: str, inline: bool = False) -> str:
    """A source in words."""
    if source == HUMAN:
        return "people" if inline else "People"
    name = source.removeprefix("judge:")
    return f"judge {name}" if inline else f"Judge {name}"
