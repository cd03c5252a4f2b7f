"""Chapter of one survey: the sections of its findings, each with a part for every source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import findings_of, judge_account, render
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import charts
from parlai_spotbot.report.parts import SourcePart, SurveyView, caution_of, said
from parlai_spotbot.surveys.packing import packing_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import Card, Section
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.report.drawing import Look


@dataclass(frozen=True)
class PageSection:
    """A section as the page shows it; `anchor` is unique on the page."""

    anchor: str
    heading: str
    parts: list[SourcePart]


@dataclass(frozen=True)
class Chapter:
    """One survey on the page; `first` are the sections whose sentences are on the first screen, `told` all others,
    each with its source."""

    name: str
    anchor: str
    title: str
    question: str
    view: SurveyView
    sections: list[PageSection] = field(default_factory=list)
    first: list[tuple[str, Section]] = field(default_factory=list)
    told: list[tuple[str, Section]] = field(default_factory=list)

    @property
    def played(self) -> bool:
        """Return whether annotators open the dialogue themselves."""
        return self.view.contents.asked.layout == "opening"

    @property
    def segmented(self) -> bool:
        """Return whether what annotators see is cut to the plan's lengths."""
        asked = self.view.contents.asked
        return asked.known and packing_of(asked).cuts and not self.played


def chapter_of(view: SurveyView) -> Chapter:
    """The sections of a survey."""
    name = view.contents.survey
    about = view.contents.asked.about
    with known_to(view.contents):
        told_sections = _told(view)
        sections = _shown(view, told_sections)
    first = [(source, section) for _, source, section in told_sections if section.first]
    rest = [(source, section) for _, source, section in told_sections if not section.first]
    return Chapter(name, f"survey-{name}", about.title, about.question, view, sections, first, rest)


def results(contents: SurveyData) -> Iterator[tuple[str, dict[str, dict]]]:
    """Each source that anything was found of, with what was, by the names of findings."""
    for source in contents.sources:
        results_of_source = {
            name: by_source[source] for name, by_source in contents.analysis.items() if source in by_source
        }
        if results_of_source:
            yield source, results_of_source


def result_of(contents: SurveyData, source: str, name: str, others: Mapping[str, dict]) -> Result:
    """Return what a finding tells from."""
    named = {worker: called for (whose, worker), called in contents.annotators.items() if whose == source}
    return Result(source, others[name], others, named)


def findings_with(contents: SurveyData, source: str, others: Mapping[str, dict]) -> Iterator[tuple[Finding, Result]]:
    """The findings of a survey that found something of a source, in their order, each with what it tells from."""
    for finding in findings_of(contents.asked):
        if finding.name in others:
            yield finding, result_of(contents, source, finding.name, others)


def _told(view: SurveyView) -> list[tuple[Finding, str, Section]]:
    """(finding, source, section): all that the findings of the survey tell, in their order, source by source."""
    return [
        (finding, source, section)
        for source, others in results(view.contents)
        for finding, result in findings_with(view.contents, source, others)
        if (section := render.tell(finding, result))
    ]


def _shown(view: SurveyView, told_sections: list[tuple[Finding, str, Section]]) -> list[PageSection]:
    """The sections in the order of findings, one part a source; what nobody has anything to say of stays away."""
    contents = view.contents
    if not (findings := findings_of(contents.asked)):
        return [PageSection(f"{view.prefix}results", "Results", unknown(view))]
    headings: dict[str, str] = {}
    parts: dict[str, list[SourcePart]] = {}
    for _, source, section in sorted(told_sections, key=lambda told: findings.index(told[0])):
        drawn = part_of_source(view, source, replace(section, text=[]) if section.first else section)
        if not drawn.empty:
            headings.setdefault(section.anchor, section.heading)
            before = parts.setdefault(section.anchor, [])
            before.append(_further(drawn) if before and before[0].source == HUMAN else drawn)
    for source, judge in contents.judges.items():
        if section := render.tell(judge_account.FINDING, Result(source, judge_account.frames_of(judge))):
            headings[section.anchor] = section.heading
            parts.setdefault(section.anchor, []).append(part_of_source(view, source, section))
    return [PageSection(f"{view.prefix}{anchor}", heading, parts[anchor]) for anchor, heading in headings.items()]


def _further(part: SourcePart) -> SourcePart:
    """Return a judge's part beside people's: its first sentence and its figure; tables are in the CSV files."""
    return replace(part, text=part.text[:1], figure=part.figure and replace(part.figure, caption=""), tables=[])


def part_of_source(view: SurveyView, source: str, section: Section) -> SourcePart:
    """A source's part of a section, with its figures drawn."""
    named = (lambda name: view.figure_name(name, source)) if source else str
    return part_of(section, view.looks, source, named)


def part_of(
    section: Section, looks: Mapping[str, Look], source: str = "", named: Callable[[str], str] = str
) -> SourcePart:
    """A section drawn; of no source it bears its own heading."""
    figure = charts.figure(section.chart, looks, named(section.chart.name)) if section.chart else None
    return SourcePart(said(source) if source else section.heading, source, figure, section.tables, section.text)


@contextmanager
def known_to(contents: SurveyData) -> Iterator[None]:
    """Raise `UserError` where sections miss a key of the results, which another version wrote."""
    try:
        yield
    except KeyError as err:
        raise UserError(
            f"{contents.study.analysis_path(contents.survey)}: nothing of {err}. "
            + (contents.outdated or "It was made by another version."),
            hints.run("analyze", contents.study.path, contents.survey),
        ) from err


def unknown(view: SurveyView) -> list[SourcePart]:
    """Return what there is of a survey whose answers nobody knows."""
    parts = []
    for source in view.contents.sources:
        names = [name for name, by_source in view.contents.analysis.items() if source in by_source]
        text = [f"{view.contents.annotations(source)} annotations."]
        if names:
            text.append(f"Analysed: {', '.join(names)}. The results are in {where(view.contents)}, as JSON.")
        else:
            text.append("No statistics are known for this survey, so there is nothing to draw.")
        parts.append(SourcePart(said(source), source, text=text))
    return parts


def where(contents: SurveyData) -> str:
    """The folder of the analysis, within the study."""
    return contents.study.analysis_path(contents.survey).relative_to(contents.study.path).as_posix()


@dataclass(frozen=True)
class SourceCard:
    """One source's ranking as the page shows it; `more` contestants stand elsewhere."""

    source: str
    title: str
    caution: str
    card: Card
    more: int = 0


def card(contents: SurveyData, source: str) -> SourceCard | None:
    """The ranking of one source, whatever the survey; nothing where there is none."""
    for finding, result in findings_with(contents, source, dict(results(contents)).get(source, {})):
        if (found_card := render.card(finding, result)) is not None:
            return SourceCard(source, said(source), caution_of(source), found_card)
    return None
