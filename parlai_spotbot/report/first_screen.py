"""What a reader sees first of a survey: how much there is, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.contents import DEFAULT, Contents
from parlai_spotbot.report.parts import Page, said


@dataclass(frozen=True)
class First:
    """The first screen of a survey: `counts` are tiles, `missing` notes on what is to be made yet."""

    counts: list[tuple[str, str]]
    missing: list[str]


def first_screen(page: Page) -> First:
    return First(counts(page.contents), missing(page.contents))


def counts(contents: Contents) -> list[tuple[str, str]]:
    """The tiles: what there is, and how much of it."""
    people = sum(all(c.is_human) for c in contents.conversations)
    total = len(contents.conversations)
    tiles = [(str(total - people), "conversations of bots"), (str(people), "conversations of people")]
    tiles.append((str(contents.units), "units (sittings of one annotator)"))
    for source in contents.sources:
        workers = sum(s == source for s, _ in contents.annotators)
        whose = f"people ({workers})" if source == HUMAN else f"{said(source, inline=True)} ({workers} variants)"
        tiles.append((str(contents.annotations(source)), f"annotations by {whose}"))
    tiles.append((str(len(contents.judgements)), "judgements in all"))
    return tiles


def missing(contents: Contents) -> list[str]:
    """What has not been made yet or is out of date, with the command that makes it."""
    notes = []
    study = "--study DIR" if contents.survey == DEFAULT else f"--study DIR --survey {contents.survey}"
    if not contents.units:
        notes.append(f"There are no units yet. Run: parlai spotbot_pack {study}")
    if not contents.judgements:
        notes.append(
            "There are no judgements yet. Let people answer the units, or for a quick look an automatic judge: "
            f"parlai spotbot_judge {study}"
        )
    elif not contents.analysis:
        notes.append(f"The judgements are not analysed yet. Run: parlai spotbot_analyze {study}")
    for source in contents.outdated():
        notes.append(
            f"The judgements of {said(source, inline=True)} are not those that were analysed. "
            f"Run: parlai spotbot_analyze {study}"
        )
    if contents.judgements and HUMAN not in contents.sources:
        notes.append(
            "No person has judged anything here: all verdicts below are an automatic judge's, for a quick look."
        )
    return notes
