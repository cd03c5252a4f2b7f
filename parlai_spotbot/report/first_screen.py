"""The first screen: the question, the answer in a sentence, places, what is uncertain, and what to do next.

All of it is of one survey and of the source that leads (`report.lead`). Bars are drawn by the page itself, so that they
are text to a screen reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from parlai_spotbot.findings import needs
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.sections import Card, Section
from parlai_spotbot.findings.sections import Step as NextStep
from parlai_spotbot.hints import command
from parlai_spotbot.judges.next_step import answers_by_people, next_step, settles
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.alarms import Alarm, alarms_of
from parlai_spotbot.report.chapters import Chapter, SourceCard, card, known_to
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import here
from parlai_spotbot.wording import source_said, upper_first

if TYPE_CHECKING:
    from parlai_spotbot.findings.source_accounts import SourceAccount
    from parlai_spotbot.findings.survey_data import SurveyData

ROWS = 8
"""So many contestants, or criteria, are on the first screen; the others behind it."""


ALARMS = 5
"""So many of the things that could be wrong are named on the first screen, the worst first; all stand on the second."""

FURTHER = 2
"""So many sentences of the ranking are on the first screen beside the verdict, one less where something could be wrong
with it."""

NEXT = 200
"""So many pairs to vote on the next step of an arena draws."""


@dataclass(frozen=True)
class ScreenStep:
    """Record of what to do next: a sentence, and the command that does it."""

    text: str
    command: str = ""


@dataclass(frozen=True)
class FirstScreen:
    """The first screen: `answer` is one sentence, `lead` the ranking, `uncertain` sentences on what isn't known,
    `alarms` what could be wrong."""

    title: str
    question: str
    answer: str
    lead: SourceCard | None = None
    uncertain: list[str] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    step: ScreenStep | None = None


def first_screen(chapter: Chapter) -> FirstScreen:
    """Everything a reader should see before scrolling."""
    contents = chapter.view.contents
    question = upper_first(chapter.question)
    with known_to(contents):
        account, lead = _lead(contents)
        if account is None or lead is None:
            return FirstScreen(chapter.title, question, _unanswered(contents), step=missing(contents))
        if not account.people:
            question = f"{question.rstrip('?')}, by {source_said(account.source)}?"
        alarms = alarms_of(contents, account.source)[:ALARMS]
        sentences = lead.card.text[1 : 1 + FURTHER - bool(alarms)]
        further = [text for text in sentences if not isinstance(text, (Caution, Fact))]
        shown = _shortened(replace(lead, card=replace(lead.card, text=[])))
        unsettled = [section for source, section in chapter.first if source == account.source] or before(contents)
        uncertain = [*further, *(text for section in unsettled for text in section.text)]
        steps = [section for section in unsettled if section.step]
        steps = steps or [section for source, section in chapter.told if source == account.source and section.step]
        step = _step(contents, lead.card, steps)
        return FirstScreen(chapter.title, question, _answer(account, lead), shown, uncertain, alarms, step)


def answer(contents: SurveyData) -> str:
    """Return what a survey says, in a sentence, by the source that leads."""
    with known_to(contents):
        account, lead = _lead(contents)
        return _unanswered(contents) if lead is None else _answer(account, lead)


def _lead(contents: SurveyData) -> tuple[SourceAccount | None, SourceCard | None]:
    account = lead_of(contents)
    return account, card(contents, account.source) if account else None


def _answer(account: SourceAccount, lead: SourceCard) -> str:
    sentence = lead.card.text[0]
    alone = account.people or sentence in account.sentences
    return sentence if alone else f"By {source_said(account.source)}: {sentence}"


def _shortened(source_card: SourceCard) -> SourceCard:
    """The same with as many contestants, or criteria, as a first screen holds."""
    table, results = source_card.card.table, source_card.card
    if table is not None:
        more = max(0, len(table.rows) - ROWS)
        return replace(
            source_card, card=replace(results, table=replace(table, rows=table.rows[:ROWS], folded=False)), more=more
        )
    clusters, left = [], ROWS
    for places, members in results.clusters:
        if members[:left]:
            clusters.append((places, members[:left]))
            left -= len(members[:left])
    more = sum(len(members) for _, members in results.clusters) - (ROWS - left)
    return replace(source_card, card=replace(results, clusters=clusters), more=more)


NONE_LEFT = "No answer is left to analyse: whoever answered missed more controls than the launch allows."


def _none_left(contents: SurveyData) -> bool:
    """Return True if every answer is a control or comes from somebody who failed the controls."""
    return not contents.counted and contents.judged and all(row.control is not None for row in contents.kept)


def _unanswered(contents: SurveyData) -> str:
    if _none_left(contents):
        return NONE_LEFT
    return "It isn't known yet: the answers are not analysed." if contents.judged else "Nothing has been judged yet."


def before(contents: SurveyData) -> list[Section]:
    """Return where no person has judged yet, and none decides: what the plain design of matches asks for."""
    planning = contents.asked.about.planning
    if HUMAN in contents.sources or SETTLED in contents.analysis or planning is None or planning.of != "matches":
        return []
    packed = sum(len(unit.items) for unit in contents.units)
    sentences = needs.before(len(contents.bots), 2 * len(contents.study.plan.segments), planning.seconds, packed)
    if not sentences:
        return []
    return [Section("needs", needs.TITLE, sentences[:1], first=True, step=NextStep(sentences[-1]))]


def _step(contents: SurveyData, lead: Card, sections: Sequence[Section]) -> ScreenStep | None:
    """The one thing to do next: make what is missing, or what the findings tell; people's answers where there are none
    or too few for a ranking, else more conversations of the pair that they name, if they are played here, or a plan."""
    if step := missing(contents):
        return step
    study, survey = contents.study, contents.survey
    if not contents.asked.known or (not sections and (HUMAN in contents.sources or SETTLED in contents.analysis)):
        return None
    if not sections:
        return ScreenStep("Let people answer, too.", here(study, answers_by_people(study, survey)))
    ranked = HUMAN in contents.sources and (lead.clusters or lead.table)
    first = sections[0].step
    if first.go_on:
        step = settles(study, survey)
    elif SETTLED in contents.analysis and not first.plan:
        return ScreenStep(first)
    elif not ranked:
        step = answers_by_people(study, survey)
    elif first.more and "selfplay" in study.provenance():
        step = command("selfchat", study.path, more=first.more)
    elif first.plan and survey == "votes":
        step = command("plan", study.path, survey, next=NEXT)
    elif first.plan and contents.asked.about.planning:
        step = command("plan", study.path, survey)
    else:
        return ScreenStep(first)
    return ScreenStep(first, here(study, step))


def missing(contents: SurveyData) -> ScreenStep | None:
    """Return what has not been made yet or is out of date, with the command that makes it."""
    study, survey = contents.study, contents.survey
    if not contents.asked.known:
        return None
    if not contents.judged:
        what = "There are no judgements yet. Let people answer, or for a quick look an automatic judge:"
        return ScreenStep(what if contents.units else "There are no units yet.", here(study, next_step(study, survey)))
    if _none_left(contents):
        return ScreenStep("More people are to answer.", here(study, answers_by_people(study, survey)))
    why = contents.outdated or ("" if contents.analysis else "The judgements are not analysed yet.")
    return ScreenStep(why, here(study, command("analyze", study.path, survey))) if why else None
