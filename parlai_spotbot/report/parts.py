"""Parts of a report's section: one `SourcePart` for each source, people first."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import Drawing, Look, looks
from parlai_spotbot.wording import counted, people_said, source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import CardChart, CardTable
    from parlai_spotbot.findings.survey_data import SurveyData

CAUTION = "automatic judge"

FOLDER = "DIR"
"""Stands for the study's folder in commands."""


@dataclass(frozen=True)
class SourcePart:
    """Record of what one source has to say in one section: `text` is a sentence or two, `caption` says how to read the
    drawing, `rule` how a judge decides.

    `source` is "" where it matters to nobody who judged.
    """

    title: str
    source: str = ""
    drawing: Drawing | None = None
    caption: str = ""
    tables: list[CardTable] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    rule: str = ""

    @property
    def empty(self) -> bool:
        return not (self.drawing or self.tables or self.text or self.rule)


@dataclass(frozen=True)
class SurveyView:
    """Record of what the sections of one survey are made from: its contents, and how each contestant looks.

    `prefix` goes before all its anchors: empty for the survey that comes first.
    """

    contents: SurveyData
    prefix: str = ""

    @cached_property
    def looks(self) -> dict[str, Look]:
        return looks(self.contents.bots)

    def figure_name(self, chart: str, source: str) -> str:
        """Return what a figure is called: the prefix of its ids, and the name of its files. Of two sources that would
        come out alike each has its number."""
        sources = self.contents.sources
        name = _bare(source)
        if [_bare(other) for other in sources].count(name) > 1:
            name = f"{name}_{sources.index(source)}"
        return f"{self.contents.survey}-{chart}-{name}".rstrip("-")

    def signed(self, chart: CardChart, source: str) -> CardChart:
        """Return a chart with its footer, which says what its title, the first sentence of its caption, does not."""
        _, _, further = chart.caption.partition(". ")
        return replace(chart, footer=self.footer(source, further))

    def footer(self, source: str, how: str) -> str:
        """Return how to read a figure, of which study it is, who answered, and on which day last."""
        contents = self.contents
        bots = counted(len(contents.bots), "contestant")
        sentences = [how.rstrip("."), f"{contents.asked.about.title}, {contents.study.plan.domain}, {bots}"]
        if source:
            last = max((row.submitted_at[:10] for row in contents.judgements if row.source == source), default="")
            sentences.append(", until ".join(filter(None, [upper_first(answers_of(contents, source)), last])))
        return ". ".join([*filter(None, sentences), "Made by parlai_spotbot."])


def answers_of(contents: SurveyData, source: str, analysed: str = "") -> str:
    """Return who a source is, and how much it answered: "5 people (60 annotations)"."""
    what = "annotation"
    if contents.counted:
        what = "vote"
    who = source_said(source)
    if source == HUMAN:
        who = people_said(contents.people(source))
    return f"{who} ({counted(contents.annotations(source), what)}{analysed})"


def _bare(source: str) -> str:
    """A source as part of an id and of a file's name."""
    return re.sub(r"[^a-z0-9]+", "_", source_said(source).lower())


def source_title(source: str) -> str:
    """A source as a title."""
    return upper_first(source_said(source))


def caution_of(source: str) -> str:
    """Return what is next to the name of a judge, "" of people and of no source; what that means is said once, on the
    second screen."""
    if source in ("", HUMAN):
        return ""
    return CAUTION


def here(study: Path, text: str) -> str:
    """A command without the path of this machine: a page is the same wherever it lies, and opened from the study's own
    folder it fills in where that is."""
    words = shlex.split(text)
    words[0] = hints.PROGRAM
    return shlex.join({str(study): FOLDER}.get(word, word) for word in words)
