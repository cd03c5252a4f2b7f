"""Parts of a report's section: one `SourcePart` for each source, people first."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from markupsafe import Markup

from parlai_spotbot import hints
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import looks
from parlai_spotbot.wording import source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import CardTable
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.study import Study

CAUTION = "automatic judge"

FOLDER = "DIR"
"""Stands for the study's folder in commands."""


@dataclass(frozen=True)
class Figure:
    """A drawing, and how to read it."""

    drawing: Markup
    caption: str


@dataclass(frozen=True)
class SourcePart:
    """Record of what one source has to say in one section: `text` is a sentence or two.

    `source` is "" where it matters to nobody who judged.
    """

    title: str
    source: str = ""
    figure: Figure | None = None
    tables: list[CardTable] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    @property
    def caution(self) -> str:
        return caution_of(self.source) if self.source else ""

    @property
    def empty(self) -> bool:
        return not (self.figure or self.tables or self.text)


class SurveyView:
    """Record of what the sections of one survey are made from: its contents, and how each contestant looks.

    `prefix` goes before all its anchors: empty for the survey that comes first.
    """

    def __init__(self, contents: SurveyData, prefix: str = ""):
        self.contents = contents
        self.prefix = prefix
        self.bots = contents.bots
        self.looks = looks(self.bots)

    def figure_name(self, chart: str, source: str) -> str:
        """Return what a figure is called: the prefix of its ids, and the name of its files."""
        return f"{self.contents.survey}-{chart}-{self._short(source)}"

    def _short(self, source: str) -> str:
        """A source as part of an id and of a file's name; numbered where two would come out alike."""
        plain = [_bare(s) for s in self.contents.sources]
        bare_name = _bare(source)
        return f"{bare_name}_{self.contents.sources.index(source)}" if plain.count(bare_name) > 1 else bare_name


def _bare(source: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", source_said(source).lower())


def said(source: str) -> str:
    """A source as a title."""
    return upper_first(source_said(source))


def caution_of(source: str) -> str:
    """Return what is next to the name of a source that isn't people; what that means is said once, on the second
    screen."""
    return "" if source == HUMAN else CAUTION


def here(study: Study, text: str) -> str:
    """A command without the path of this machine: a page is the same wherever it lies, and opened from the study's own
    folder it fills in where that is."""
    words = shlex.split(text)
    return " ".join([hints.PROGRAM, *(FOLDER if word == str(study.path) else shlex.quote(word) for word in words[1:])])
