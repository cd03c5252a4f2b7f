"""Chapter of one survey: the sections of its findings, each with a part for every source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of, judge_account, render
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import charts
from parlai_spotbot.report.certified import certificate_section
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import SourcePart, SurveyView, source_title
from parlai_spotbot.surveys.packing import packing_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import Card, Section
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.report.drawing import Look

AUDIT = "audit"
"""Anchor of the section with all probes: of the source that leads, they stand on the second screen."""


@dataclass(frozen=True)
class PageSection:
    """A section as the page shows it; `anchor` is unique on the page."""

    anchor: str
    heading: str
    parts: list[SourcePart] = field(default_factory=list)


@dataclass(frozen=True)
class Chapter:
    """One survey on the page; `first` are the sections whose sentences are on the first screen, `told` all others,
    each with its source."""

    view: SurveyView
    sections: list[PageSection]
    first: list[tuple[str, Section]]
    told: list[tuple[str, Section]]

    @property
    def anchor(self) -> str:
        return f"survey-{self.view.contents.survey}"

    @property
    def title(self) -> str:
        return self.view.contents.asked.about.title

    @property
    def question(self) -> str:
        return self.view.contents.asked.about.question

    @property
    def played(self) -> bool:
        """Return whether annotators open the dialogue themselves."""
        return self.view.contents.asked.layout == "opening"

    @property
    def segmented(self) -> bool:
        """Return whether what annotators see is cut to the plan's lengths."""
        survey = self.view.contents.asked
        return survey.known and packing_of(survey).cuts and not self.played


def chapter_of(view: SurveyView) -> Chapter:
    """The sections of a survey."""
    with known_to(view.contents):
        told = _sections(view.contents)
        sections = _shown(view, told)
    first = [(source, section) for _, source, section in told if section.first]
    others = [(source, section) for _, source, section in told if not section.first]
    return Chapter(view, sections, first, others)


def results_of(contents: SurveyData, source: str) -> Iterator[tuple[Finding, Result]]:
    """The findings of a survey that found something of a source, in their order, each with what it tells from."""
    others = {name: by_source[source] for name, by_source in contents.analysis.items() if source in by_source}
    annotators = {worker: called for (whose, worker), called in contents.annotators.items() if whose == source}
    for finding in findings_of(contents.asked):
        if finding.name in others:
            yield finding, Result(source, others[finding.name], others, annotators)


def _sections(contents: SurveyData) -> list[tuple[Finding, str, Section]]:
    """(finding, source, section): all that the findings of the survey tell, in their order, source by source."""
    told = []
    for source in contents.sources:
        for finding, result in results_of(contents, source):
            section = render.tell(finding, result)
            if section:
                told.append((finding, source, section))
    return told


def _shown(view: SurveyView, told: list[tuple[Finding, str, Section]]) -> list[PageSection]:
    """The sections in the order of findings, then judges' accounts, one part a source; what nobody has anything to say
    of stays away, and so does what the second screen says. A judge's part beside people's is its first sentence and
    its figure; tables are in the CSV files."""
    findings = findings_of(view.contents.asked)
    if not findings:
        return [PageSection(f"{view.prefix}results", "Results", unknown(view))]
    shown = [(source, section) for _, source, section in sorted(told, key=lambda one: findings.index(one[0]))]
    for source, judge in view.contents.judges.items():
        account = render.tell(judge_account.FINDING, Result(source, judge_account.frames_of(judge)))
        for section in (account, certificate_section(view.contents, source)):
            if section:
                shown.append((source, section))
    of_people = {section.anchor for source, section in shown if source == HUMAN}
    sections: dict[str, PageSection] = {}
    for source, section in _below_second_screen(view, shown):
        if section.first:
            section = replace(section, text=[])
        part = part_of_source(view, source, section)
        if source != HUMAN and section.anchor in of_people:
            part = replace(part, text=part.text[:1], caption="", tables=[])
        if part.empty:
            continue
        page_section = sections.get(section.anchor)
        if page_section is None:
            page_section = PageSection(f"{view.prefix}{section.anchor}", section.heading)
            sections[section.anchor] = page_section
        page_section.parts.append(part)
    return list(sections.values())


def _below_second_screen(view: SurveyView, shown: list[tuple[str, Section]]) -> Iterator[tuple[str, Section]]:
    """Yield the (source, section)s without what the second screen says of the source that leads the page."""
    lead = lead_of(view.contents)
    for source, section in shown:
        if view.prefix or lead is None or lead.source != source:
            yield source, section
        elif section.anchor != AUDIT or SETTLED in view.contents.analysis:
            how = [text for _, text in section.how]
            yield source, replace(section, text=[text for text in section.text if text not in how])


def part_of_source(view: SurveyView, source: str, section: Section) -> SourcePart:
    """A source's part of a section, with its figure drawn."""
    name = ""
    if section.chart:
        if source:
            name = view.figure_name(section.chart.name, source)
        section = replace(section, chart=view.signed(section.chart, source))
    return part_of(section, view.looks, source, name)


def part_of(section: Section, looks: Mapping[str, Look], source: str = "", figure: str = "") -> SourcePart:
    """A section drawn, its figure under a name of its own, or the chart's; of no source it bears its own heading."""
    title = section.heading
    if source:
        title = source_title(source)
    part = SourcePart(title, source, tables=section.tables, text=section.text, rule=section.rule)
    if section.chart is None:
        return part
    drawing = charts.draw(section.chart, looks, figure or section.chart.name)
    return replace(part, drawing=drawing, caption=section.chart.caption)


@contextmanager
def known_to(contents: SurveyData) -> Iterator[None]:
    """Raise `UserError` where sections miss a key of the results, which another version wrote."""
    try:
        yield
    except KeyError as err:
        raise UserError(
            f"{contents.folder}: nothing of {err}. " + (contents.outdated or "It was made by another version."),
            contents.remedy("analyze"),
        ) from err


def unknown(view: SurveyView) -> list[SourcePart]:
    """Return what there is of a survey whose answers nobody knows."""
    contents = view.contents
    folder = contents.folder.relative_to(contents.study.path).as_posix()
    parts = []
    for source in contents.sources:
        names = [name for name, by_source in contents.analysis.items() if source in by_source]
        text = "No statistics are known for this survey, so there is nothing to draw."
        if names:
            text = f"Analysed: {', '.join(names)}. The results are in {folder}, as JSON."
        parts.append(
            SourcePart(source_title(source), source, text=[f"{contents.annotations(source)} annotations.", text])
        )
    return parts


@dataclass(frozen=True)
class SourceCard:
    """One source's ranking as the page shows it; `more` contestants stand elsewhere."""

    source: str
    card: Card
    more: int = 0


def card(contents: SurveyData, source: str) -> SourceCard | None:
    """The ranking of one source, whatever the survey; nothing where there is none."""
    for finding, result in results_of(contents, source):
        found_card = render.card(finding, result)
        if found_card is not None:
            return SourceCard(source, found_card)
    return None
