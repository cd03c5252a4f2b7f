"""The page that shows how a ranking moved from study to study, by survey, source and criterion."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings import study_moves
from parlai_spotbot.findings.standings import (
    Opened,
    Standing,
    chosen_surveys,
    open_studies,
    said_criterion,
    source_order,
    standings,
)
from parlai_spotbot.findings.study_moves import StudyStep, step, with_holm
from parlai_spotbot.report.studies import differences
from parlai_spotbot.report.studies.charts import slopes
from parlai_spotbot.report.studies.pages import CriterionPart, FigureStyle, all_looks, folder, render, source_title
from parlai_spotbot.surveys import about_of
from parlai_spotbot.wording import listed, source_said

RANKS = (
    "Above: ranks among the contestants that the studies shown have in common, best at the top. Below: the scores "
    "behind them, with 95 % intervals; marks are set apart so that they don't hide each other."
)


def write_compare(
    paths: Sequence[str | Path], out: str | Path | None = None, survey: str | None = None, seed: int = 0
) -> Path:
    """Compare two studies or more, each with the one before it, and return the page's path.

    `survey`: by default every survey that two of them share. Missing studies, judgements or analysis are a `UserError`
    that names the command that makes them.
    """
    studies = open_studies(paths)
    if len(studies) < 2:
        raise UserError(
            "--compare: two different studies are needed.", "Write for example --compare studies/one studies/two."
        )
    surveys = chosen_surveys(studies, survey, 2)
    target = folder(out, studies)
    looks = all_looks(studies)
    sections = []
    for number, name in enumerate(surveys):
        having = [s for s in studies if name in s.judged()]
        contents = [s.contents(name) for s in having]
        table, same = differences.table(having, contents)
        parts = _parts(having, [standings(own) for own in contents], looks, number, seed)
        left_out = [s.label for s in studies if s not in having]
        sections.append(
            {
                "anchor": f"survey-{number}",
                "title": about_of(name).title,
                "parts": parts,
                "plan": table,
                "same": same,
                "left_out": f"Without judgements of this survey: {listed(left_out)}." if left_out else "",
                "warnings": differences.warnings(having),
            }
        )
    return render("studies_compare.html", studies, target, sections=sections, labels=[s.label for s in studies])


def _parts(
    studies: Sequence[Opened], found: Sequence[list[Standing]], looks: dict, number: int, seed: int
) -> list[CriterionPart]:
    """A part a source, with those of further criteria folded away in it."""
    sources = sorted({own.source for each in found for own in each}, key=source_order)
    parts = []
    for source in sources:
        by_criterion: dict[str, list[tuple[str, Standing]]] = {}
        for study, each in zip(studies, found, strict=True):
            for own in each:
                if own.source == source:
                    by_criterion.setdefault(own.criterion, []).append((study.label, own))
        main = None
        for place, (criterion, own) in enumerate(by_criterion.items()):
            style = FigureStyle(looks, f"s{number}-{len(parts)}-{place}")
            part = _part(source, criterion, own, style, seed)
            if main is None:
                main = part
                lacking = [s.label for s in studies if s.label not in {label for label, _ in own}]
                if lacking:
                    main.text.append(f"No judgements by {source_said(source)} in {listed(lacking)}.")
            else:
                main.folded.append(part)
        if main is not None:
            parts.append(main)
    return parts


def _part(
    source: str, criterion: str, own: Sequence[tuple[str, Standing]], style: FigureStyle, seed: int
) -> CriterionPart:
    part = CriterionPart(source_title(source, said_criterion(criterion)), source)
    if len(own) < 2:
        part.text.append("Only one of the studies has this, so there is nothing to compare.")
        return part
    steps = with_holm([step(a, one, b, two, seed) for (a, one), (b, two) in itertools.pairwise(own)])
    for each in steps:
        part.text.append(" ".join([*study_moves.sentences(each), _left_out(each)]).strip())
    part.figures = _figures(own, steps, style)
    for each in steps:
        part.tables += [
            t for t in (study_moves.table_of_moves(each), study_moves.table_of_pairs(each)) if t is not None
        ]
    every = steps if len(own) == 2 else [step(a, x, b, y, seed) for (a, x), (b, y) in itertools.combinations(own, 2)]
    part.tables.append(study_moves.table_of_correlations(every))
    return part


def _left_out(own: StudyStep) -> str:
    """The contestants that only one of the two studies ranks, and those in common that never met the others."""
    apart = [name for name in own.only_before if name in own.only_after]
    alone = [
        f"only in {label}: {listed(found)}"
        for label, names in ((own.before, own.only_before), (own.after, own.only_after))
        if (found := [name for name in names if name not in apart])
    ]
    alone += [f"never met the others: {listed(apart)}"] * bool(apart)
    return f"Left out, {'; '.join(alone)}." if alone else ""


def _figures(own: Sequence[tuple[str, Standing]], steps: Sequence[StudyStep], style: FigureStyle) -> list[tuple]:
    """A chart over all studies where they share two contestants; one a step that shares more."""
    common = [n for n in own[0][1].order if all(n in each.common for each in steps)]
    if any(standing.no_scale for _, standing in own):
        return []
    figures, shown = [], len(common) if len(common) > 1 else 0
    if shown:
        scores = [standing.scores(common).of(common) for _, standing in own]
        figures.append((slopes([label for label, _ in own], scores, own[0][1].what, style), RANKS))
    for place, each in enumerate(steps):
        if len(each.common) > max(shown, 1):
            labels, scores = [each.before, each.after], [each.first, each.second]
            drawing = slopes(labels, scores, own[0][1].what, replace(style, name=f"{style.name}-{place}"))
            figures.append((drawing, f"From {each.before} to {each.after}. {RANKS}"))
    return figures
