"""Puts the page together from contents, figures and tables, and writes it: the same study gives the same bytes.

Text of conversations, contestants and annotators is data: the templates escape everything, and the page's own policy
forbids any request and any script but its own, which it knows by its hash.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.render import tell
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.sections import CardTable, Name, Section
from parlai_spotbot.findings.survey_data import SurveyData, surveys_of, without_sources
from parlai_spotbot.findings.whole_study import findings_of_study
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, have_texts
from parlai_spotbot.report import appendix, charts, downloads, first_screen, reader_data
from parlai_spotbot.report.chapters import Chapter, PageSection, SourceCard, card, chapter_of, known_to, part_of_source
from parlai_spotbot.report.charts.headline import headline
from parlai_spotbot.report.drawing import Drawing
from parlai_spotbot.report.first_screen import FirstScreen, ScreenStep
from parlai_spotbot.report.lead import in_order
from parlai_spotbot.report.parts import SurveyView, here
from parlai_spotbot.report.second_screen import second_screen
from parlai_spotbot.report.templating import environment, write_text
from parlai_spotbot.study import Study
from parlai_spotbot.wording import NONE, counted

FAILURE = ("contestant", "kind", "conversation_id")

READ = "Points with 95% intervals where they are known; contestants in one band share their places."


@dataclass(frozen=True)
class Panel:
    """A chapter of the page: `cards` are rankings of a survey by other sources than the one that leads."""

    anchor: str
    heading: str
    sections: list[PageSection] = field(default_factory=list)
    cards: list[SourceCard] = field(default_factory=list)
    missing: ScreenStep | None = None


def render(read: Sequence[SurveyData], paper: Mapping[str, str], without: Sequence[str]) -> tuple[str, list[Drawing]]:
    """The page as text, the surveys in the order given, and its figures. `paper` are the texts of the appendix,
    `without` the sources that were left out."""
    views = [SurveyView(read[0]), *(SurveyView(contents, f"{contents.survey}-") for contents in read[1:])]
    view, contents = views[0], read[0]
    chapters = [chapter_of(view) for view in views]
    screen = first_screen.first_screen(chapters[0])
    figure = _figure(chapters[0], screen)
    of_study = told_of_study(views, without)
    careful = [section for _, sections in of_study for _, section in sections]
    whole = _whole_study(view, of_study)
    finished = {c.conversation_id for c in contents.conversations}
    text = (
        environment()
        .get_template("page.html")
        .render(
            plan=contents.study.plan,
            looks=view.looks,
            chapters=chapters,
            screen=screen,
            found=second_screen(chapters, careful, failures_sentence(contents.failures, finished), without),
            figure=figure,
            panels=_panels(chapters, screen, whole),
            spoken=_can_be_read(contents),
            reading=reader_data.as_data(reader_data.collect(views)),
            failures=failures_table(contents.failures, finished),
            paper=appendix.section(paper),
            here=partial(here, contents.study.path),
        )
    )
    sections = [section for chapter in chapters for section in chapter.sections]
    parts = [part for section in [*sections, *whole] for part in section.parts]
    drawings = [part.drawing for part in parts]
    return text, [drawing for drawing in (figure, *drawings) if drawing]


def _can_be_read(contents: SurveyData) -> bool:
    """Return whether the study has conversations to read, or will have some."""
    return have_texts(contents.conversations) and (bool(contents.conversations) or not contents.counted)


def _whole_study(view: SurveyView, told: Sequence[tuple[Finding, list]]) -> list[PageSection]:
    """Return what findings on the whole study say, drawn."""
    whole = []
    for finding, sections in told:
        parts = [part_of_source(view, source, section) for source, section in sections]
        whole.append(PageSection(finding.name, finding.heading, parts))
    return whole


def _figure(chapter: Chapter, screen: FirstScreen) -> Drawing | None:
    """The ranking of the first screen as a figure, to be taken away; None where it has no order."""
    contents = chapter.view.contents
    if screen.lead is None:
        return None
    name = chapter.view.figure_name("headline", screen.lead.source)
    chart = screen.lead.card.chart
    if chart:
        chart = replace(chart, caption=f"{screen.answer} {chart.caption}")
        return charts.draw(chapter.view.signed(chart, screen.lead.source), chapter.view.looks, name)
    if not screen.lead.card.clusters:
        return None
    whole = card(contents, screen.lead.source)
    if whole is None:
        return None
    footer = chapter.view.footer(screen.lead.source, READ)
    return headline(whole.card, chapter.view.looks, name, screen.answer, footer)


def _panels(chapters: Sequence[Chapter], screen: FirstScreen, whole: list[PageSection]) -> list[Panel]:
    """Return the chapters that hold anything."""
    panels = []
    for chapter in chapters:
        contents = chapter.view.contents
        sources = contents.sources
        if chapter is chapters[0] and screen.lead:
            sources = [source for source in sources if source != screen.lead.source]
        cards = list(filter(None, [card(contents, source) for source in sources]))
        missing = None
        if chapter is chapters[0]:  # "Be careful" names the sources that rank nobody
            cards = [ranking for ranking in cards if ranking.card.clusters or ranking.card.table]
        else:
            missing = first_screen.missing(contents)
        if chapter.sections or cards or missing:
            heading = f"{chapter.title}: {chapter.question}"
            panels.append(Panel(chapter.anchor, heading, chapter.sections, cards, missing))
    if whole:
        panels.append(Panel("whole-study", "The whole study", whole))
    return panels


def told_of_study(
    views: Sequence[SurveyView], without: Sequence[str] = ()
) -> list[tuple[Finding, list[tuple[str, Section]]]]:
    """Return what findings on the whole study say, each with its (source, section)s; those with nothing stay away."""
    contents = views[0].contents
    surveys = [view.contents for view in views]
    told = []
    checksums.check_files(contents.study.path, ("analysis/", "nuc/analysis/"), "Run the command that wrote it again.")
    with known_to(contents):
        for finding in findings_of_study():
            results = finding.compute(surveys)
            sections = [(source, tell(finding, Result(source, frames))) for source, frames in results.items()]
            sections = [(source, section) for source, section in sections if section and source not in without]
            if sections:
                told.append((finding, sections))
    return told


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
    folder = study.report_path.parent
    files.remove_unfinished(folder)
    write_text(study.report_path, text)
    appendix.write(folder / "appendix", paper)
    downloads.write(drawn, folder / downloads.FOLDER)
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
    rows = []
    for failure in failures:
        contestant, kind, conversation = (str(failure.get(name, NONE)) for name in FAILURE)
        state = "still missing"
        if failure.get("conversation_id") in finished:
            state = "played later"
        rows.append((Name(contestant), kind, conversation, str(failure.get("message", "")), state))
    return CardTable(rows=rows, folded=len(rows) > 12, **own_data(__file__))


def failures_sentence(failures: list[dict], finished: set[str]) -> str:
    """Return how many failures there are, whose most are, and how many conversations are missing; "" of none."""
    if not failures:
        return ""
    [(most, count)] = Counter(str(failure.get("contestant", NONE)) for failure in failures).most_common(1)
    missing = {failure.get("conversation_id") for failure in failures} - finished
    lost = "none is missing now"
    if missing:
        lost = f"{counted(len(missing), 'conversation is', 'conversations are')} still missing"
    return f"{counted(len(failures), 'failure')}, most of {most} ({count}); {lost}."
