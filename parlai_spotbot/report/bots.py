"""A part of the page for each contestant: what it is, and what the first survey's answers say of it alone."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.finding import Result
from parlai_spotbot.report import charts
from parlai_spotbot.report.chapters import Chapter, PageSection, findings_with, known_to, results
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import SourcePart, said
from parlai_spotbot.wording import upper_first

COUNTS = ("requests", "prompt_tokens", "completion_tokens", "cost")
"""What a contestant behind a server counts, in its provenance."""

DRAWN = 24
"""Figures are drawn for as many contestants; of more, the figures of all tell."""

DESCRIBED = 100
"""So many contestants have a part, those ranked first; tables have all."""


def bots(chapter: Chapter) -> list[PageSection]:
    """Return a section for each contestant, those ranked first; what it is, then what its answers say."""
    view = chapter.view
    contents, lead = view.contents, lead_of(view.contents)
    if lead is None:
        return []
    others = dict(results(contents))[lead.source]
    ranked = Result(lead.source, {}, others, tuple(contents.bots)).order
    number = {bot: place for place, bot in enumerate(contents.bots)}
    order = [bot for bot in dict.fromkeys((*ranked, *contents.bots)) if bot in number][:DESCRIBED]
    with known_to(contents):
        return [PageSection(f"bot-{number[bot]}", bot, [_part(chapter, lead.source, others, bot)]) for bot in order]


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
    study = view.contents.study
    text = [_what(study.plan.contestants.get(bot)), *(text for section in found for text in section.text)]
    text.append(_took(study.provenance().get("selfplay", {}).get("contestants", {}).get(bot, {})))
    return SourcePart(
        said(source),
        source,
        [figure for figure in figures if figure.drawing is not None],
        [table for section in found for table in section.tables],
        [sentence for sentence in text if sentence],
        links=[link for section in found for link in section.links],
    )


def _took(about: Mapping) -> str:
    """What its turns took of a server, all runs together; "" of a contestant that runs here."""
    used = [run["usage"] for run in (about, *about.get("earlier", ())) if run.get("usage")]
    total = {name: sum(run.get(name) or 0 for run in used) for name in COUNTS}
    if not total["requests"]:
        return ""
    tokens = total["prompt_tokens"] + total["completion_tokens"]
    text = f"Its turns took {total['requests']:,} requests and {tokens:,} tokens"
    return f"{text}, {total['cost']:.4f} {used[-1].get('currency', '')}".rstrip() + "." if total["cost"] else f"{text}."


def _what(contestant: object) -> str:
    """What a contestant is, as its pool says."""
    if contestant is None:
        return ""
    if contestant.model == "imported":
        return f"{upper_first(contestant.description)}.".lstrip(".")
    agent = " · ".join(own for own in (contestant.model, contestant.model_file) if own)
    return f"{agent}. {contestant.description}".strip(". ") + "."
