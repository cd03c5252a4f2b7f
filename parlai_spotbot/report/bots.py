"""A part of the page for each contestant: what it is, and what the first survey's answers say of it alone."""

from __future__ import annotations

from parlai_spotbot.findings.finding import Result
from parlai_spotbot.report import charts
from parlai_spotbot.report.chapters import Chapter, PageSection, findings_with, known_to, results
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import SourcePart, said

DRAWN = 24
"""Figures are drawn for as many contestants; of more, the figures of all tell."""


def bots(chapter: Chapter) -> list[PageSection]:
    """A section for each contestant, in the order of the ranking; what it is, then what its answers say."""
    view = chapter.view
    contents, lead = view.contents, lead_of(view.contents)
    if lead is None:
        return []
    others = dict(results(contents))[lead.source]
    order = Result(lead.source, {}, others, tuple(contents.bots)).order
    with known_to(contents):
        return [
            PageSection(f"bot-{contents.bots.index(bot)}", bot, [_part(chapter, lead.source, others, bot)])
            for bot in order
            if bot in contents.bots
        ]


def _part(chapter: Chapter, source: str, others: dict, bot: str) -> SourcePart:
    view, found = chapter.view, []
    for finding, result in findings_with(view.contents, source, others):
        found += finding.of_bot(result, bot)
    few = len(view.bots) <= DRAWN
    number = view.bots.index(bot)
    figures = [
        charts.figure(chart, view.looks, view.figure_name(f"{chart.name}-bot{number}", source))
        for section in found
        for chart in section.charts
        if few
    ]
    text = [_what(view.contents.study.plan.contestants.get(bot)), *(text for section in found for text in section.text)]
    return SourcePart(
        said(source),
        source,
        [figure for figure in figures if figure.drawing is not None],
        [table for section in found for table in section.tables],
        [sentence for sentence in text if sentence],
        links=[link for section in found for link in section.links],
    )


def _what(contestant: object) -> str:
    """What a contestant is, as its pool says."""
    if contestant is None:
        return ""
    agent = " · ".join(own for own in (contestant.model, contestant.model_file) if own)
    return f"{agent}. {contestant.description}".strip(". ") + "."
