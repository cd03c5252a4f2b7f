"""The second screen: how the answer was found, what could be wrong with it, and other answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN
from parlai_spotbot.findings.audit import of_level
from parlai_spotbot.judges import CAUTION
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.alarms import Alarm, alarms_of, audit_rows
from parlai_spotbot.report.chapters import card
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import said
from parlai_spotbot.wording import counted, listed, people_said, source_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import Section
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.report.chapters import Chapter

OTHERS = 6
"""So many other answers stand here; the rest stand with their surveys."""

CAREFUL = 6
"""So many cautions stand here beside the probes; the others where they belong."""


PACKING = 2
"""So many warnings of packing are among them, those of a surface that gives bots away first."""


@dataclass(frozen=True)
class OtherAnswer:
    """Record of what another survey, or another source, answers; `anchor` is where it stands whole."""

    survey: str
    source: str
    anchor: str
    answer: str


@dataclass(frozen=True)
class SecondScreen:
    """`how` are sentences by what they are of; `alarms` what could be wrong, the worst first, and `green` the titles of
    the probes that found nothing."""

    how: list[tuple[str, str]]
    others: list[OtherAnswer]
    further: int
    alarms: list[Alarm]
    green: list[str]

    @property
    def careful(self) -> list[str]:
        """Return the texts of the alarms."""
        return [alarm.text for alarm in self.alarms]


def second_screen(
    chapters: Sequence[Chapter], of_study: Sequence[Section], failures: str, without: Sequence[str]
) -> SecondScreen:
    """Return what is said of how the first survey's answer was found; `of_study` is told of the whole study, `failures`
    are self-play's, `without` are the sources left out."""
    first, contents = chapters[0], chapters[0].view.contents
    account = lead_of(contents)
    how = [("Conversations", _conversations(first)), ("Judged by", _judged_by(contents))]
    careful = []
    if edited := contents.study.provenance().get("changed_by_hand", {}).get("files"):
        careful.append(f"Files of this study were changed by hand: {listed(edited)}.")
    if gone := sorted(contents.study.gone):
        removed = f"{listed(gone)} {'is' if len(gone) == 1 else 'are'} left out of everything here"
        careful.append(f"{removed}; what was said and judged is kept.")
    careful += packing_warnings(contents)
    if without:
        careful.append(f"This page leaves out the answers of {listed(source_said(source) for source in without)}.")
    if account is not None:
        if not account.people:
            careful.append(f"{said(account.source)} is an {CAUTION}.")
        careful += account.sentences
        how.append(("Trust", account.trust))
        led = [section for source, section in first.told if source == account.source]
        how += [pair for section in led for pair in section.how]
        careful += [text for section in led for text in section.careful]
        for other in contents.accounts:
            careful += other.sentences if other.source != account.source else []
        others = [(source, section) for source, section in first.told if source != account.source]
        careful += [
            f"{said(source)}: {text}" for source, section in others for text in section.careful if text not in careful
        ]
    careful += [text for section in of_study for text in section.careful]
    if failures:
        careful.append(f"Self-play: {failures}")
    others = _others(chapters)
    alarms = alarms_of(contents, account.source) if account else []
    rows = audit_rows(contents, account.source) if account else ()
    green = [row["title"] for row in of_level(rows, GREEN)]
    return SecondScreen(
        how=[(what, text) for what, text in how if text],
        others=others[:OTHERS],
        further=max(0, len(others) - OTHERS),
        alarms=[*alarms, *(Alarm(AMBER, "", text) for text in dict.fromkeys(careful[:CAREFUL]))],
        green=green,
    )


def packing_warnings(contents: SurveyData) -> list[str]:
    """Return what packing warned of when it made the units of a survey, with the contestants' present names."""
    packed = (contents.study.provenance().get("pack") or {}).get(contents.survey) or {}
    warnings = packed.get("warnings") or []
    warnings = sorted(warnings, key=lambda warning: "tells it from people" not in warning)
    sentences = [f"Packing warned: {warning.rstrip('.')}." for warning in warnings[:PACKING]]
    more = counted(len(warnings) - PACKING, "more warning")
    return sentences + ([f"{more} of packing: see the texts for your paper."] if len(warnings) > PACKING else [])


def _others(chapters: Sequence[Chapter]) -> list[OtherAnswer]:
    """Return what other surveys answer; other sources of the first one stand right below."""
    others = []
    for chapter in chapters[1:]:
        contents = chapter.view.contents
        for account in contents.accounts:
            found = card(contents, account.source)
            if found is not None and found.card.text and found.card.text[0] not in account.sentences:
                others.append(OtherAnswer(chapter.title, said(account.source), chapter.anchor, found.card.text[0]))
    return others


def _conversations(chapter: Chapter) -> str:
    contents = chapter.view.contents
    if contents.counted:
        return f"none: votes on {counted(len(contents.bots), 'contestant')}"
    kinds = Counter(c.kind for c in contents.conversations)
    counts = [(kinds["pairs"], "of two bots"), (kinds["self"], "of a bot with itself")]
    counts += [(kinds["people"], "of two people"), (kinds["human_model"], "of a bot with a person")]
    text = listed(f"{count:,} {what}" for count, what in counts if count)
    lengths = sorted({row.exchanges for row in contents.judgements} - {0}) or contents.study.plan.segments
    if chapter.played:
        most = contents.study.plan.segments[-1]
        text += f", opened by the annotators themselves, up to {counted(most, 'exchange')}"
    elif chapter.segmented:
        shown = f"{listed(map(str, lengths))} exchanges" if lengths[1:] else counted(lengths[0], "exchange")
        text += f", shown in segments of {shown}"
    return text


def _judged_by(contents: SurveyData) -> str:
    judges = []
    for source in contents.sources:
        who = people_said(contents.people(source)) if source == HUMAN else source_said(source)
        what = "vote" if contents.counted else "annotation"
        judges.append(f"{who} ({counted(contents.annotations(source), what)}{_analysed(contents, source)})")
    return listed(judges)


def _analysed(contents: SurveyData, source: str) -> str:
    """Return how many annotations the figures are of, and why others are left out; "" where all of them count, or the
    figures are of other answers than there are now."""
    ranking = contents.made_by.get("ranking") or {}
    used = (ranking.get("used") or {}).get(source)
    if used is None or used == contents.annotations(source) or contents.outdated:
        return ""
    why = "; ".join(f"{count:,} × {reason}" for reason, count in (ranking["left_out"].get(source) or {}).items())
    return f", {used:,} of them analysed{f'; left out: {why}' if why else ''}"
