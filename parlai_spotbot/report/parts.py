"""What a section of the report is made of: one `Part` a source, people first, and what all sections share."""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import rows
from parlai_spotbot.report.contents import Contents
from parlai_spotbot.report.drawing import Look, looks

CAUTION = "automatic judge — no substitute for people"


@dataclass(frozen=True)
class Part:
    """What one source has to say in one section.

    `figures` are drawings with captions and, where there is one, the sentence that says it to everybody; `text` is a
    sentence or two.
    """

    source: str
    title: str
    caution: str
    figures: list[tuple[Markup, str, str]] = field(default_factory=list)
    tables: list[rows.Table] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    orders: list[tuple[str, list[rows.Name]]] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.figures or self.tables or self.text)


class Page:
    """What the sections are made from: the study's contents, and how each contestant looks."""

    def __init__(self, contents: Contents):
        self.contents = contents
        self.bots = contents.bots
        self.looks: dict[str, Look] = looks(self.bots)

    def ranked(self, source: str) -> list[str]:
        """The bots best first, as this source ranks them; those it doesn't rank are left out."""
        return self.contents.of("ranking", source).get("order") or self.bots

    def part(self, source: str, drawings: list, tables: list, text: list | None = None, orders=()) -> Part:
        """A source's part; what couldn't be drawn or tabled is left out."""
        # A sentence whose figure can't be drawn is said all the same.
        lost = [sentence for drawing, _, *plain in drawings if drawing is None for sentence in plain]
        return Part(
            source=source,
            title=said(source),
            caution="" if source == HUMAN else CAUTION,
            figures=[
                (drawing, caption, *plain, "")[:3] for drawing, caption, *plain in drawings if drawing is not None
            ],
            tables=[table for table in tables if table is not None],
            text=[t for t in [*lost, *(text or [])] if t],
            orders=list(orders),
        )

    def id(self, stem: str, source: str) -> tuple[str, str]:
        """The figure's name (prefix of its ids) and the caution written into it."""
        return f"{stem}{self.contents.sources.index(source)}", "" if source == HUMAN else CAUTION


def said(source: str, inline: bool = False) -> str:
    """A source in words."""
    if source == HUMAN:
        return "people" if inline else "People"
    name = source.removeprefix("judge:")
    return f"judge {name}" if inline else f"Judge {name}"
