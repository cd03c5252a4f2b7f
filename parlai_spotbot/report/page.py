"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but its own, which it knows by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from parlai_spotbot import files
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import (
    appendix,
    citations,
    downloads,
    first_screen,
    hygiene,
    metrics,
    nuc,
    reading,
    rows,
    side_by_side,
)
from parlai_spotbot.report.blocks import NONE, Shown, block
from parlai_spotbot.report.contents import Contents, read_contents, surveys_of
from parlai_spotbot.report.drawing import PALETTE, Drawing
from parlai_spotbot.report.examples import examples
from parlai_spotbot.report.parts import CAUTION, Page, said
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_names

TEMPLATES = Path(__file__).parent / "templates"

SCRIPTS = ("tables.js", "reading.js")
"""The page's scripts, each a function of its own that runs at once; they go into one element, in this order."""

WHOLE_STUDY = [
    ("methods", "Methods side by side", side_by_side.section),
    ("metrics", "Which metric is worth its money?", metrics.section),
    ("nuc", "Next-Utterance Classification", nuc.section),
    ("hygiene", "Hygiene", hygiene.section),
]
"""Sections about the study whatever the survey, after the surveys' own: anchor, heading, builder of the parts.

A builder gets the page of the first survey; `Page.pages` holds those of all."""


def environment() -> Environment:
    """Templates that escape everything they are given."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["said"] = said
    env.filters |= {"cited": citations.short, "reference": citations.anchor}
    env.filters["links"] = downloads.links
    env.tests["name"] = lambda value: isinstance(value, rows.Name)
    return env


def script() -> dict[str, Any]:
    """The scripts of the page, and the hash by which its policy knows them."""
    text = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return {"script": Markup(text), "script_hash": base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}


def render(contents: list[Contents], paper: appendix.Appendix | None = None) -> tuple[str, list[Drawing]]:
    """The page as text, the first survey, then the others; and its figures. `paper` is made here if not given."""
    pages = [Page(own, f"{own.survey}-" if number else "") for number, own in enumerate(contents)]
    for page in pages:
        page.pages = pages
    paper = paper or appendix.appendix_of(contents[0].study, appendix.facts_of(contents[0].study, contents))
    context = _context(pages, paper)
    text = environment().get_template("page.html").render(**script(), **context)
    return text, downloads.drawings(context["parts"])


def _context(pages: list[Page], paper: appendix.Appendix) -> dict[str, Any]:
    page, contents = pages[0], pages[0].contents
    plan = contents.study.plan
    blocks = [block(own) for own in pages]
    made = [(anchor, heading, build(page)) for anchor, heading, build in WHOLE_STUDY]
    # A study of one survey has no methods to compare, and few have their metrics studied, which needn't be said.
    whole = [Shown(anchor, heading, found, NONE.get(anchor, "Not computed yet."))
             for anchor, heading, found in made if found or (anchor == "hygiene" and not contents.counted)]  # fmt: skip
    parts = [part for section in [*(s for own in blocks for s in own.sections), *whole] for part in section.parts]
    return {
        "plan": plan,
        "pairs": len(plan.all_pairs()),
        "palette": list(enumerate(PALETTE)),
        "looks": page.looks,
        "human": HUMAN,
        "caution": CAUTION,
        "blocks": blocks,
        "parts": parts,
        "firsts": {own.contents.survey: first_screen.first_screen(own) for own in pages},
        "whole": whole,
        "sources": citations.used(thing.cite for part in parts for thing in [*part.figures, *part.tables]),
        "examples": examples(contents),
        "conversations": len(contents.conversations),
        "selfplay": _of_selfplay(contents),
        "spoken": bool(contents.conversations) or not contents.counted,
        "reading": reading.data(pages, {own.name: own.title for own in blocks}),
        "failures": rows.failures(contents.failures, {c.conversation_id for c in contents.conversations}),
        "made_by": {own.contents.survey: made for own in pages if (made := own.contents.made_by.get("ranking"))},
        "paper": appendix.section(contents.study, paper),
        "provenance": contents.study.provenance(),
        "extensions": contents.study.extensions,
        "judge_files": [(own.contents.survey, own.contents.judges) for own in pages],
    }


def _of_selfplay(contents: Contents) -> bool:
    """Whether the first survey shows what bots say to each other, or is to, rather than chats or questions."""
    if contents.conversations:
        return any(c.kind in ("pairs", "self") for c in contents.conversations)
    known = contents.survey in survey_names()
    return not known or get_survey(contents.survey).packing not in ("contestants", "questions", "elsewhere")


def build_report(study: Study, survey: str | None = None) -> Path:
    """Write the report to ``report/index.html``, its figures to ``report/figures``, texts for a paper to
    ``report/appendix``, and return the page's path.

    `survey` (by default the first of the study's plan) comes first, then all others that have judgements. Whatever has
    not been made yet (units, judgements, analysis) is said on the page with the command that makes it.

    Raises
    ------
    UserError
        Where the study has no such survey, or one of its files is malformed.
    """
    first, *others = surveys_of(study, survey)
    contents = read_contents(study, first)
    read = [contents, *(read_contents(study, name, contents.conversations) for name in others)]
    paper = appendix.appendix_of(study, appendix.facts_of(study, read))
    text, drawn = render(read, paper)
    # A lone surrogate in a conversation is no text that a file can hold.
    files.write_text(study.report_path, text.encode("utf-8", "replace").decode("utf-8"))
    appendix.write(study, paper)
    downloads.write(drawn, study.report_path.parent / downloads.FOLDER)
    return study.report_path
