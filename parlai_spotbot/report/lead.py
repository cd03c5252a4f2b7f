"""Choice of the survey and source that lead the report: people before judges, those that have answers before others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.findings.source_accounts import SourceAccount

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


def lead_of(contents: SurveyData) -> SourceAccount | None:
    """The source whose ranking a survey's report begins with; None where nothing is analysed."""
    return next(iter(contents.accounts), None)


def begun(read: Sequence[SurveyData]) -> list[SurveyData]:
    """Surveys that have units or answers; the first where none has."""
    return [contents for contents in read if contents.units or contents.judged] or list(read[:1])


def in_order(read: Sequence[SurveyData], named: bool = False) -> list[SurveyData]:
    """Surveys in the order in which a report tells them; those of which there is nothing stay away if others have
    something.

    The first is the one that was `named`, if it has answers; else that whose answers are worth most: people's, then a
    judge's; then the others as they came.
    """
    surveys = begun(read)
    if named and read[0] in surveys and (read[0].judged or not any(contents.judged for contents in surveys)):
        return surveys
    first = min(surveys, key=_worth)
    return [first, *(contents for contents in surveys if contents is not first)]


def _worth(contents: SurveyData) -> tuple[bool, ...]:
    lead = lead_of(contents)
    if lead is None:
        return (True, True, True, not contents.judged)
    return (False, not lead.people, lead.doubtful, False)
