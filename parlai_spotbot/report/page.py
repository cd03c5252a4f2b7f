"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but its own, which it knows by its hash.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.findings.contents import Contents, read_contents, surveys_of
from parlai_spotbot.findings.whole_study import all_of_it
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import appendix, citations, downloads, first_screen, reader_data
from parlai_spotbot.report.chapters import PageSection, chapter_of, part_of, part_of_source
from parlai_spotbot.report.drawing import PALETTE, Drawing
from parlai_spotbot.report.examples import examples
from parlai_spotbot.report.failures import failures_table
from parlai_spotbot.report.parts import CAUTION, SurveyView
from parlai_spotbot.report.templating import environment, script
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey, survey_names
from parlai_spotbot.surveys.packing import packing_of


def render(contents: list[Contents], paper: appendix.Appendix | None = None) -> tuple[str, list[Drawing]]:
    """The page as text, the first survey, then the others; and its figures. `paper` is made here if not given."""
    views = [SurveyView(own, f"{own.survey}-" if number else "") for number, own in enumerate(contents)]
    paper = paper or appendix.appendix_of(contents[0].study, appendix.profile_of(contents[0].study, contents))
    context = _context(views, paper)
    text = environment().get_template("page.html").render(**script(), **context)
    return text, downloads.drawings(context["parts"])


def _context(views: list[SurveyView], paper: appendix.Appendix) -> dict[str, Any]:
    view, contents = views[0], views[0].contents
    plan = contents.study.plan
    chapters = [chapter_of(own) for own in views]
    whole = whole_study(views)
    parts = [part for section in [*(s for own in chapters for s in own.sections), *whole] for part in section.parts]
    return {
        "plan": plan,
        "pairs": len(plan.all_pairs()),
        "palette": list(enumerate(PALETTE)),
        "looks": view.looks,
        "human": HUMAN,
        "caution": CAUTION,
        "chapters": chapters,
        "parts": parts,
        "firsts": {own.name: first_screen.first_screen(own) for own in chapters},
        "whole": whole,
        "sources": citations.used(thing.cite for part in parts for thing in [*part.figures, *part.tables]),
        "examples": examples(contents),
        "conversations": len(contents.conversations),
        "selfplay": _of_selfplay(contents),
        "spoken": bool(contents.conversations) or not contents.counted,
        "reading": reader_data.data(views, {own.name: own.title for own in chapters}),
        "failures": failures_table(contents.failures, {c.conversation_id for c in contents.conversations}),
        "made_by": {own.contents.survey: made for own in views if (made := own.contents.made_by.get("ranking"))},
        "paper": appendix.section(contents.study, paper),
        "provenance": contents.study.provenance(),
        "extensions": contents.study.extensions,
        "judge_files": [(own.contents.survey, own.contents.judges) for own in views],
    }


def whole_study(views: list[SurveyView]) -> list[PageSection]:
    """What is said of the study whatever the survey; what has nothing to say stays away, unless it is always said."""
    first, found = views[0], []
    for whole in all_of_it():
        results = whole.read(first.contents.study, [view.contents.survey for view in views])
        told = whole.tell(results) if results else ()
        parts = [part_of_source(first, source, own) if source else part_of(own, first.looks) for source, own in told]
        if parts or (whole.none and not first.contents.counted):
            found.append(PageSection(whole.name, whole.heading, parts, whole.none))
    return found


def _of_selfplay(contents: Contents) -> bool:
    """Whether the first survey shows what bots say to each other, or is to, rather than chats or questions."""
    if contents.conversations:
        return any(c.kind in ("pairs", "self") for c in contents.conversations)
    return contents.survey not in survey_names() or packing_of(get_survey(contents.survey)).of_conversations


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
    paper = appendix.appendix_of(study, appendix.profile_of(study, read))
    text, drawn = render(read, paper)
    # A lone surrogate in a conversation is no text that a file can hold.
    files.write_text(study.report_path, text.encode("utf-8", "replace").decode("utf-8"))
    appendix.write(study, paper)
    downloads.write(drawn, study.report_path.parent / downloads.FOLDER)
    return study.report_path
