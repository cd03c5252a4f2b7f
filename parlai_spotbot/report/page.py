"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but its own, which it knows by its hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings.render import tell
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.sections import CardTable, Name
from parlai_spotbot.findings.survey_data import SurveyData, surveys_of, without_sources
from parlai_spotbot.findings.whole_study import findings_of_study
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import appendix, downloads, first_screen, reader_data
from parlai_spotbot.report.chapters import Chapter, PageSection, SourceCard, card, chapter_of, known_to, part_of_source
from parlai_spotbot.report.drawing import PALETTE, Drawing
from parlai_spotbot.report.lead import in_order
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.report.second_screen import second_screen
from parlai_spotbot.report.templating import environment, script
from parlai_spotbot.wording import NONE, counted

if TYPE_CHECKING:
    from parlai_spotbot.findings.finding import Finding
    from parlai_spotbot.findings.sections import Section
    from parlai_spotbot.report.first_screen import FirstScreen, ScreenStep
    from parlai_spotbot.study import Study


@dataclass(frozen=True)
class Panel:
    """A chapter of the page: `cards` are rankings of a survey by other sources than the one that leads."""

    anchor: str
    heading: str
    sections: list[PageSection] = field(default_factory=list)
    cards: list[SourceCard] = field(default_factory=list)
    missing: ScreenStep | None = None


def render(
    contents: list[SurveyData], paper: Mapping[str, str] | None = None, without: Sequence[str] = ()
) -> tuple[str, list[Drawing]]:
    """The page as text, the surveys in the order given; and its figures. `paper` is made here if not given; `without`
    are the sources that were left out."""
    views = [
        SurveyView(survey_contents, f"{survey_contents.survey}-" if number else "")
        for number, survey_contents in enumerate(contents)
    ]
    paper = paper or appendix.appendix_of(contents)
    context = _context(views, paper, without)
    text = environment().get_template("page.html").render(**script(), **context)
    return text, downloads.drawings(context["parts"])


def _context(views: list[SurveyView], paper: Mapping[str, str], without: Sequence[str]) -> dict[str, Any]:
    view, contents = views[0], views[0].contents
    plan = contents.study.plan
    chapters = [chapter_of(own) for own in views]
    screen = first_screen.first_screen(chapters[0])
    of_study = told_of_study(views, without)
    careful = [own for _, message in of_study for _, own in message]
    failed = contents.failures, {c.conversation_id for c in contents.conversations}
    whole = whole_study(view, of_study)
    sections = [section for chapter in chapters for section in chapter.sections]
    parts = [part for section in [*sections, *whole] for part in section.parts]
    spoken = bool(contents.conversations) or not contents.counted
    return {
        "plan": plan,
        "palette": list(enumerate(PALETTE)),
        "looks": view.looks,
        "human": HUMAN,
        "chapters": chapters,
        "parts": parts,
        "screen": screen,
        "found": second_screen(chapters, careful, failures_sentence(*failed), without),
        "figure": _figure(chapters[0], screen),
        "panels": _panels(chapters, screen, whole),
        "spoken": spoken,
        "reading": reader_data.data(views, {chapter.name: chapter.title for chapter in chapters}),
        "failures": failures_table(*failed),
        "paper": appendix.section(paper),
    }


def _figure(chapter: Chapter, screen: FirstScreen) -> Drawing | None:
    """The figure of the ranking that the first screen shows, to be taken away."""
    if screen.lead is None:
        return None
    parts = [part for section in chapter.sections for part in section.parts if part.source == screen.lead.source]
    return next((part.figure.drawing for part in parts if part.figure), None)


def _panels(chapters: Sequence[Chapter], screen: FirstScreen, whole: list[PageSection]) -> list[Panel]:
    panels = []
    for number, chapter in enumerate(chapters):
        lead = screen.lead.source if screen.lead and not number else ""
        contents = chapter.view.contents
        cards = [c for source in contents.sources if source != lead and (c := card(contents, source))]
        if not number:  # "Be careful" names the sources that rank nobody
            cards = [c for c in cards if c.card.clusters or c.card.table]
        missing = first_screen.missing(contents) if number else None
        heading = f"{chapter.title}: {chapter.question}"
        panels.append(Panel(chapter.anchor, heading, chapter.sections, cards, missing))
    if whole:
        panels.append(Panel("whole-study", "The whole study", whole))
    return panels


def told_of_study(
    views: Sequence[SurveyView], without: Sequence[str] = ()
) -> list[tuple[Finding, list[tuple[str, Section]]]]:
    """Return what findings on the whole study say, each with its (source, section)s; those with nothing stay away."""
    contents, found = views[0].contents, []
    checksums.check_files(contents.study.path, ("analysis/", "nuc/analysis/"), "Run the command that wrote it again.")
    with known_to(contents):
        for finding in findings_of_study():
            results = finding.compute(contents.study, [view.contents.survey for view in views])
            message = [(name, own) for name, data in results.items() if (own := tell(finding, Result(name, data)))]
            if message := [(name, own) for name, own in message if name not in without]:
                found.append((finding, message))
    return found


def whole_study(view: SurveyView, told: Sequence[tuple[Finding, list]]) -> list[PageSection]:
    """Return the same, drawn."""
    return [
        PageSection(finding.name, finding.heading, [part_of_source(view, *section) for section in sections])
        for finding, sections in told
    ]


def build_report(study: Study, survey: str | None = None, without: Sequence[str] = ()) -> Path:
    """Write the report to ``report/index.html``, its figures to ``report/figures``, texts for a paper to
    ``report/appendix``, and return the page's path.

    `survey` comes first (by default the one whose answers are worth most, see `report.lead`), then all others that have
    judgements. What the judges `without` answered is left out, which the page says. Whatever has not been made yet
    (units, judgements, analysis) is said on the page with the command that makes it.

    Raises
    ------
    UserError
        Where the study has no such survey or judge, or one of its files is malformed.
    """
    study = study.remaining()
    read = surveys_of(study, survey)
    sources = _left_out(read, without)
    read = in_order([without_sources(contents, sources) for contents in read], named=survey is not None)
    paper = appendix.appendix_of(read)
    text, drawn = render(read, paper, sources)
    files.remove_unfinished(study.report_path.parent)
    # A lone surrogate in a conversation is no text that a file can hold.
    files.write_text(study.report_path, text.encode("utf-8", "replace").decode("utf-8"))
    appendix.write(study, paper)
    downloads.write(drawn, study.report_path.parent / downloads.FOLDER)
    return study.report_path


def _left_out(read: Sequence[SurveyData], without: Sequence[str]) -> list[str]:
    """The sources of the judges that are to be left out, by the judges' names."""
    source_by_name = {
        source.removeprefix("judge:"): source for contents in read for source in contents.sources if source != HUMAN
    }
    for name in without:
        if name not in source_by_name:
            raise UserError(f"--without-judge {name}: no such judge answered.", nearest(name, source_by_name))
    return [source_by_name[name] for name in dict.fromkeys(without)]


def failures_table(failures: list[dict], finished: set[str]) -> CardTable | None:
    """One row a failure; `finished` are the conversations that a later run completed."""
    if not failures:
        return None
    rows = [
        (
            Name(str(row.get("contestant", NONE))),
            str(row.get("kind", NONE)),
            str(row.get("conversation_id", NONE)),
            str(row.get("message", "")),
            "played later" if row.get("conversation_id") in finished else "still missing",
        )
        for row in failures
    ]
    how = (
        "What went wrong in self-play, each with its conversation; whether a later run completed it. Missing "
        "conversations make a pair's numbers less certain, and not at random where one bot fails at a certain kind of "
        "turn."
    )
    head = ("Contestant", "Kind", "Conversation", "Message", "")
    return CardTable("Failures", how, head, rows, folded=len(rows) > 12)


def failures_sentence(found: list[dict], finished: set[str]) -> str:
    """Return how many failures there are, whose most are, and how many conversations are missing; "" of none."""
    if not found:
        return ""
    [(most, count)] = Counter(str(row.get("contestant", NONE)) for row in found).most_common(1)
    missing = len({row.get("conversation_id") for row in found} - finished)
    lost = f"{counted(missing, 'conversation')} {'is' if missing == 1 else 'are'} still missing"
    return f"{counted(len(found), 'failure')}, most of {most} ({count}); {lost if missing else 'none is missing now'}."
