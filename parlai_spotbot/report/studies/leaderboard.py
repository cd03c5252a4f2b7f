"""The leaderboard over studies: every contestant's results side by side, by survey and source, and what may be joined.

Win rates of different pools aren't comparable, since they depend on the opponents; where studies share contestants, one
Davidson model over all their matches is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.joint_ranking import joint
from parlai_spotbot.findings.sections import Name, Table
from parlai_spotbot.findings.standings import (
    Opened,
    Standing,
    chosen_surveys,
    open_studies,
    said_criterion,
    source_order,
    standings,
)
from parlai_spotbot.findings.study_moves import shown
from parlai_spotbot.report.studies.charts import side_by_side
from parlai_spotbot.report.studies.pages import CriterionPart, FigureStyle, all_looks, folder, render, source_title
from parlai_spotbot.surveys import about_of
from parlai_spotbot.wording import between, counted, listed

POOLS = (
    "A win rate is a mean over the opponents in its own study. A weak pool makes high win rates, so figures of "
    "different columns can't be compared where the pools differ."
)
CAPTION = "Each mark is a contestant's score in one study, with its 95 % interval; {}the studies differ by the mark."


def write_leaderboard(
    paths: Sequence[str | Path], out: str | Path | None = None, survey: str | None = None, seed: int = 0
) -> Path:
    """Write the leaderboard of one study or more, and return the page's path; errors as those of `write_compare`."""
    studies = open_studies(paths)
    surveys = chosen_surveys(studies, survey, 1)
    target, looks = folder(out, studies), all_looks(studies)
    sections = []
    for number, name in enumerate(surveys):
        having = [s for s in studies if name in s.judged()]
        contents = [s.contents(name) for s in having]
        parts = _parts(having, contents, looks, number, seed)
        sections.append(
            {
                "anchor": f"survey-{number}",
                "title": about_of(name).title,
                "parts": parts,
                "pools": POOLS if _differ(contents) else "",
            }
        )
    compared = (target / "compare.html").exists()
    labels = [s.label for s in studies]
    return render("studies_leaderboard.html", studies, target, sections=sections, labels=labels, compared=compared)


def _differ(contents: Sequence[Contents]) -> bool:
    """Whether the studies have different pools."""
    return len({tuple(sorted(own.bots)) for own in contents}) > 1


def _parts(
    studies: Sequence[Opened], contents: Sequence[Contents], looks: dict, number: int, seed: int
) -> list[CriterionPart]:
    found = [(s.label, own) for s, c in zip(studies, contents, strict=True) for own in standings(c)]
    parts = []
    for source in sorted({own.source for _, own in found}, key=source_order):
        mine = [(label, own) for label, own in found if own.source == source]
        criteria = list(dict.fromkeys(own.criterion for _, own in mine))
        part = None
        for place, criterion in enumerate(criteria):
            own = {label: standing for label, standing in mine if standing.criterion == criterion}
            style = FigureStyle(looks, f"l{number}-{len(parts)}-{place}")
            made = _part(source, criterion, own, style, _differ(contents))
            if part is None:
                part = made
                _join(part, [(s, c) for s, c in zip(studies, contents, strict=True) if s.label in own], source, seed)
            else:
                part.folded.append(made)
        parts.append(part)
    return parts


def _part(source: str, criterion: str, own: dict[str, Standing], style: FigureStyle, differ: bool) -> CriterionPart:
    part = CriterionPart(source_title(source, said_criterion(criterion)), source)
    labels = list(own)
    rows = _rows(own)
    what = next(iter(own.values())).what
    found = {
        (label, bot): (standing.score[bot], standing.ci.get(bot))
        for label, standing in own.items()
        for bot in standing.order
        if standing.score.get(bot) is not None
    }
    drawing = side_by_side(labels, rows, found, what, style)
    if drawing is not None:
        part.figures.append((drawing, CAPTION.format("a contestant keeps its colour, ")))
    part.tables.append(_table(own, rows, what, differ))
    return part


def _rows(own: dict[str, Standing]) -> list[str]:
    """The contestants: those of most studies first, then by their mean rank in these."""
    places: dict[str, list[int]] = {}
    for standing in own.values():
        for rank, bot in enumerate((*standing.order, *standing.too_few)):
            places.setdefault(bot, []).append(rank)
    return sorted(places, key=lambda bot: (-len(places[bot]), sum(places[bot]) / len(places[bot]), bot))


def _table(own: dict[str, Standing], rows: Sequence[str], what: str, differ: bool) -> Table:
    lines = [(Name(bot), *(_cell(standing, bot, what) for standing in own.values())) for bot in rows]
    if any(standing.people for standing in own.values()):
        told, show = [], partial(shown, "win rate")
        for standing in own.values():
            share, ci = standing.people or (None, None)
            told.append("–" if share is None else f"{show(share)}{between(ci, show)} taken for people")
        lines.append(("people", *told))
    lines.append(("annotations", *(str(standing.annotations) for standing in own.values())))
    how = (
        f"A cell holds the range of ranks that the study's own ranking gives (#1 is the best; those of one range "
        f"can't be told apart), then the {what} with its 95 % interval; – where the study has no such contestant."
    )
    if any(len(standing.groups) > 1 for standing in own.values()):
        how += " Contestants of different groups never met: neither ranks nor scores compare between them."
    if unordered := [label for label, standing in own.items() if standing.no_scale]:
        how += f" In {listed(unordered)} there is no single order: one scale doesn't fit who beats whom."
    if differ:
        how += f" {POOLS}"
    return Table(f"{what.capitalize()} by study", how, ("", *own), lines)


def _cell(standing: Standing, bot: str, what: str) -> str:
    if bot not in standing.order:
        few = standing.too_few.get(bot)
        return "–" if few is None else f"not ranked, {counted(few, 'comparison')}"
    show = partial(shown, what)
    return f"#{standing.places(bot)} · {show(standing.score.get(bot))}{between(standing.ci.get(bot), show)}"


def _join(part: CriterionPart, found: Sequence[tuple[Opened, Contents]], source: str, seed: int) -> None:
    """Add one ranking over all studies, where there can be one."""
    if len(found) < 2:
        return
    result = joint([(study.label, contents) for study, contents in found], source)
    if result is not None:
        part.text += result.text
        part.tables += result.tables
