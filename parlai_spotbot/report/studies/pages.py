"""What the pages over several studies share: parts, links, templates; the same studies give the same bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.sections import Table
from parlai_spotbot.findings.standings import Opened
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import PALETTE, Look, looks
from parlai_spotbot.report.parts import CAUTION, said
from parlai_spotbot.report.templating import environment, script

COMPARE, LEADERBOARD = "compare.html", "leaderboard.html"


@dataclass
class CriterionPart:
    """What one source says by one criterion: sentences, figures with captions, tables; further criteria are folded."""

    title: str
    source: str = HUMAN
    text: list[str] = field(default_factory=list)
    figures: list[tuple[Markup, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    folded: list[CriterionPart] = field(default_factory=list)

    @property
    def caution(self) -> str:
        return "" if self.source == HUMAN else CAUTION


@dataclass(frozen=True)
class FigureStyle:
    """How a figure is drawn, and what it is called."""

    looks: dict[str, Look]
    name: str


@dataclass(frozen=True)
class Link:
    """A study in the list at the top of a page; `href` is "" where it has no report yet."""

    label: str
    href: str
    about: str


def all_looks(studies: Sequence[Opened]) -> dict[str, Look]:
    """One look a contestant throughout: first those of the first study, in the order of its plan, then the others."""
    names: dict[str, None] = {}
    for study in studies:
        names.update(dict.fromkeys(study.plan.contestants))
        names.update(dict.fromkeys(sorted({e for c in study.conversations for e in c.entities} - {HUMAN})))
    return looks(list(names))


def links(studies: Sequence[Opened], out: Path) -> list[Link]:
    """Where each study's own report is, relative to the folder of the page."""
    found = []
    for study in studies:
        report = study.study.report_path
        relative = os.path.relpath(report.resolve(), out.resolve())
        href = quote(Path(relative).as_posix()) if report.exists() else ""
        plan = study.plan
        about = f"{plan.domain}, {len(plan.contestants)} contestants"
        about += f", {len(study.conversations)} conversations" if study.conversations else ""
        found.append(Link(study.label, href, about))
    return found


def source_title(source: str, what: str = "") -> str:
    return f"{said(source)}{': ' + what if what else ''}"


def render(template: str, studies: Sequence[Opened], out: Path, **context) -> Path:
    """Write a page into the folder `out` and return its path."""
    env = environment()
    text = env.get_template(template).render(
        **script(),
        palette=list(enumerate(PALETTE)),
        looks=all_looks(studies),
        human=HUMAN,
        links=links(studies, out),
        **context,
    )
    path = out / {"studies_compare.html": COMPARE, "studies_leaderboard.html": LEADERBOARD}[template]
    files.write_text(path, text.encode("utf-8", "replace").decode("utf-8"))
    return path


def folder(out: str | Path | None, studies: Sequence[Opened]) -> Path:
    """Where pages go: `out`, by default the folder ``compared`` beside the first study."""
    path = Path(out) if out else studies[0].study.path.resolve().parent / "compared"
    if path.exists() and not path.is_dir():
        raise UserError(f"--out {path}: is a file, expected a folder.", "Name a folder, new or old.")
    return path
