"""What a reader sees first of a survey: who ranks where by each source, how sure that is, and what would settle it.

The rest of the page explains it. Bars are drawn by the page itself, so that they are text to a screen reader.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from parlai_spotbot.findings import findings_of, needs
from parlai_spotbot.findings.contents import DEFAULT, Contents
from parlai_spotbot.findings.sections import Card, Section
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import Chapter, known_to, result_of, results
from parlai_spotbot.report.parts import caution_of, said
from parlai_spotbot.surveys import about_of
from parlai_spotbot.wording import source_said

FEW = 6
"""A judge's table of more criteria starts folded."""

MANY = 12
"""So does a judge's ranking of more bots."""


@dataclass(frozen=True)
class SourceCard:
    """One source's card as the page shows it."""

    title: str
    caution: str
    card: Card
    folded: bool


@dataclass(frozen=True)
class FirstScreen:
    """The first screen of a survey: `counts` are tiles, `missing` notes on what is to be made yet, `more` sections."""

    counts: list[tuple[str, str]]
    missing: list[str]
    cards: list[SourceCard]
    more: list[Section]


def first_screen(chapter: Chapter) -> FirstScreen:
    """Everything a reader should see before scrolling."""
    contents = chapter.view.contents
    with known_to(contents):
        cards = [shown for source in contents.sources if (shown := card(contents, source)) is not None]
        tiles = counts(contents)
    return FirstScreen(tiles, missing(contents), cards, chapter.first or before(contents))


def card(contents: Contents, source: str) -> SourceCard | None:
    """The ranking of one source, whatever the survey; nothing where there is none."""
    others = dict(results(contents)).get(source, {})
    for finding in findings_of(contents.survey):
        found = finding.card(result_of(contents, source, finding.name, others)) if finding.name in others else None
        if found is not None:
            return SourceCard(said(source), caution_of(source), found, source != HUMAN and _long(found, contents))
    return None


def _long(card: Card, contents: Contents) -> bool:
    if card.table is not None:
        return len(card.table.rows) > FEW
    judges = [source for source in contents.sources if source != HUMAN]
    return len(judges) > 2 or sum(len(members) for _, members in card.clusters) > MANY


def before(contents: Contents) -> list[Section]:
    """Where nobody has judged yet: what the plain design of matches asks for."""
    planning = about_of(contents.survey).planning
    if HUMAN in contents.sources or planning is None or planning.of != "matches":
        return []
    return needs.before(len(contents.bots), 2 * len(contents.study.plan.segments))


def counts(contents: Contents) -> list[tuple[str, str]]:
    """The tiles: what there is, and how much of it."""
    told = [
        tile
        for source, others in results(contents)
        for finding in findings_of(contents.survey)
        if finding.name in others
        for tile in finding.tiles(result_of(contents, source, finding.name, others))
    ]
    if contents.counted:
        return [(f"{len(contents.bots):,}", "contestants"), *told]
    kinds = Counter(c.kind for c in contents.conversations)
    of_bots, mixed = kinds["pairs"] + kinds["self"], kinds["human_model"]
    selves = f", {kinds['self']:,} of them of a bot with itself" if kinds["self"] else ""
    tiles = [(f"{of_bots:,}", f"conversations of bots{selves}"), (f"{kinds['people']:,}", "conversations of people")]
    if mixed:
        tiles.append((f"{mixed:,}", "conversations of a bot with a person"))
    tiles.append((f"{contents.units:,}", "units (sittings of one annotator)"))
    for source in contents.sources:
        workers = sum(s == source for s, _ in contents.annotators)
        whose = f"people ({workers})" if source == HUMAN else f"{source_said(source)} ({workers} variants)"
        tiles.append((f"{contents.annotations(source):,}", f"annotations by {whose}"))
    return [*tiles, (f"{len(contents.judgements):,}", "judgements in all"), *told]


def missing(contents: Contents) -> list[str]:
    """What has not been made yet or is out of date, with the command that makes it."""
    notes = []
    study = "--study DIR" if contents.survey == DEFAULT else f"--study DIR --survey {contents.survey}"
    if not contents.units:
        notes.append(f"There are no units yet. Run: parlai spotbot_pack {study}")
    if not contents.judged:
        notes.append(
            "There are no judgements yet. Let people answer the units, or for a quick look an automatic judge: "
            f"parlai spotbot_judge {study}"
        )
    elif not contents.analysis:
        notes.append(f"The judgements are not analysed yet. Run: parlai spotbot_analyze {study}")
    elif why := contents.outdated:
        notes.append(f"{why} Run: parlai spotbot_analyze {study}")
    if contents.sources and HUMAN not in contents.sources:
        notes.append(
            "No person has judged anything here: all verdicts below are an automatic judge's, for a quick look."
        )
    return notes
