"""The second screen: how the answer was found, what could be wrong with it, and other answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED
from parlai_spotbot.findings.audit import of_level
from parlai_spotbot.judges import CAUTION
from parlai_spotbot.records import have_texts
from parlai_spotbot.report.alarms import audit_rows
from parlai_spotbot.report.chapters import card
from parlai_spotbot.report.lead import lead_of
from parlai_spotbot.report.parts import answers_of, source_title
from parlai_spotbot.wording import counted, listed, source_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.sections import Section
    from parlai_spotbot.findings.source_accounts import SourceAccount
    from parlai_spotbot.findings.survey_data import SurveyData
    from parlai_spotbot.report.chapters import Chapter

OTHERS = 6
"""So many other answers stand here; the rest stand with their surveys."""

CAREFUL = 6
"""So many cautions stand here beside the probes; the others where they belong."""


PACKING = 2
"""So many warnings of packing are among them, those of a surface that gives bots away first."""


KINDS = {
    "pairs": "of two bots",
    "self": "of a bot with itself",
    "people": "of two people",
    "human_model": "of a bot with a person",
}
"""Kinds of conversations, in the order in which they are counted."""


@dataclass(frozen=True)
class OtherAnswer:
    """Record of what another survey, or another source, answers; `anchor` is where it stands whole."""

    survey: str
    source: str
    anchor: str
    answer: str


@dataclass(frozen=True)
class SecondScreen:
    """`how` are sentences by what they are of; `alarms` what could be wrong, the worst first, and `green` the probes
    that found nothing."""

    how: list[tuple[str, str]]
    others: list[OtherAnswer]
    further: int
    alarms: list[Mapping]
    green: list[Mapping]


def second_screen(
    chapters: Sequence[Chapter], of_study: Sequence[Section], failures: str, without: Sequence[str]
) -> SecondScreen:
    """Return what is said of how the first survey's answer was found; `of_study` is told of the whole study, `failures`
    are self-play's, `without` are the sources left out."""
    first, contents = chapters[0], chapters[0].view.contents
    how = [("Conversations", _conversations(first)), ("Judged by", judged_by(contents))]
    careful = [*_of_files(contents), *packing_warnings(contents)]
    if without:
        careful.append(f"This page leaves out the answers of {listed(map(source_said, without))}.")
    rows = []
    account = lead_of(contents)
    if account is not None:
        rows = audit_rows(contents, account.source)
        how.append(("Trust", account.trust))
        how += [pair for source, section in first.told if source == account.source for pair in section.how]
        careful += _of_answers(first, account)
    careful += [text for section in of_study for text in section.careful]
    if failures:
        careful.append(f"Self-play: {failures}")
    cautions = [{"level": AMBER, "title": "", "text": text, "step": ""} for text in dict.fromkeys(careful[:CAREFUL])]
    others = list(_others(chapters))
    return SecondScreen(
        how=[(what, text) for what, text in how if text],
        others=others[:OTHERS],
        further=max(0, len(others) - OTHERS),
        alarms=[*of_level(rows, RED, AMBER), *cautions],
        green=of_level(rows, GREEN),
    )


def _of_files(contents: SurveyData) -> list[str]:
    """Return what was changed by hand, and who is left out."""
    careful = []
    edited = contents.study.provenance().get("changed_by_hand", {}).get("files")
    if edited:
        careful.append(f"Files of this study were changed by hand: {listed(edited)}.")
    gone = sorted(contents.study.gone)
    if gone:
        verb = "are"
        if len(gone) == 1:
            verb = "is"
        careful.append(f"{listed(gone)} {verb} left out of everything here; what was said and judged is kept.")
    return careful


def _of_answers(chapter: Chapter, lead: SourceAccount) -> list[str]:
    """Return what to be careful of in the answers of the source that leads, then in those of others."""
    careful = []
    if not lead.people:
        careful.append(f"{source_title(lead.source)} is an {CAUTION}.")
    careful += lead.sentences
    warnings = [(source, text) for source, section in chapter.told for text in section.careful]
    careful += [text for source, text in warnings if source == lead.source]
    for account in chapter.view.contents.accounts:
        if account.source != lead.source:
            careful += account.sentences
    others = [
        f"{source_title(source)}: {text}" for source, text in warnings if source != lead.source and text not in careful
    ]
    return careful + others


def packing_warnings(contents: SurveyData) -> list[str]:
    """Return what packing warned of when it made the units of a survey, with the contestants' present names."""
    packed = contents.recorded("pack")
    warnings = packed.get("warnings") or []
    warnings = sorted(warnings, key=lambda warning: "tells it from people" not in warning)
    sentences = [f"Packing warned: {warning.rstrip('.')}." for warning in warnings[:PACKING]]
    more = len(warnings) - PACKING
    if more > 0:
        sentences.append(f"{counted(more, 'more warning')} of packing: see the texts for your paper.")
    return sentences


def _others(chapters: Sequence[Chapter]) -> Iterator[OtherAnswer]:
    """Yield what other surveys answer; other sources of the first one stand right below."""
    for chapter in chapters[1:]:
        contents = chapter.view.contents
        for account in contents.accounts:
            ranking = card(contents, account.source)
            if ranking is not None and ranking.card.text and ranking.card.text[0] not in account.sentences:
                yield OtherAnswer(chapter.title, source_title(account.source), chapter.anchor, ranking.card.text[0])


def _conversations(chapter: Chapter) -> str:
    contents = chapter.view.contents
    if contents.counted:
        return f"none: votes on {counted(len(contents.bots), 'contestant')}"
    if not have_texts(contents.conversations):
        rated = counted(len(contents.conversations), "text")
        return f"none: ratings of {rated} by {counted(len(contents.bots), 'contestant')}"
    counts = Counter(c.kind for c in contents.conversations)
    text = listed(f"{counts[kind]:,} {what}" for kind, what in KINDS.items() if counts[kind])
    segments = contents.study.plan.segments
    if chapter.played:
        text += f", opened by the annotators themselves, up to {counted(segments[-1], 'exchange')}"
    elif chapter.segmented:
        lengths = sorted({row.exchanges for row in contents.judgements} - {0}) or segments
        shown = counted(lengths[0], "exchange")
        if len(lengths) > 1:
            shown = f"{listed(map(str, lengths))} exchanges"
        text += f", shown in segments of {shown}"
    return text


def judged_by(contents: SurveyData) -> str:
    """Return who answered, how much of it, and how much of that the figures are of."""
    return listed(answers_of(contents, source, _analysed(contents, source)) for source in contents.sources)


def _analysed(contents: SurveyData, source: str) -> str:
    """Return how many annotations the figures are of, and why others are left out; "" where all of them count, or the
    figures are of other answers than there are now."""
    used, reasons = contents.used(source)
    if used is None or used == contents.annotations(source) or contents.outdated:
        return ""
    if not reasons:
        return f", {used:,} of them analysed"
    why = "; ".join(f"{count:,} × {reason}" for reason, count in reasons.items())
    return f", {used:,} of them analysed; left out: {why}"
