"""Findings on a whole study, whatever the survey: methods side by side, metrics, models' next turns, hygiene.

Their `compute` takes the surveys of a report and reads results from disk: {source: data}, {} where there are none; the
source is "" where it doesn't matter who judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from parlai_spotbot.findings.finding import Finding

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

INTERACTIVE = "interactive"
"""The survey of people who chat with bots and then say how it was: the outcome of the study of metrics, no metric."""


def findings_of_study() -> list[Finding]:
    """Return the findings in the order in which the report shows them."""
    from parlai_spotbot.findings.whole_study import hygiene, methods, metrics, nuc, simulators

    return [simulators.FINDING, methods.FINDING, *metrics.FINDINGS, *nuc.FINDINGS, hygiene.FINDING]


def judged_surveys(surveys: Iterable[SurveyData]) -> list[SurveyData]:
    """Return the surveys whose judgements are about the study's conversations.

    Judgements about questions of a corpus, or about others' talks, say nothing of these.
    """
    return [data for data in surveys if data.has_answers and _is_about_conversations(data)]


def _is_about_conversations(data: SurveyData) -> bool:
    return all(form.of_study for form in data.forms)


def has_metrics_and_outcomes(surveys: Iterable[SurveyData]) -> bool:
    """Return True if people have said how conversations were that they led, and others have judged them, too."""
    judged = [data.survey for data in judged_surveys(surveys)]
    return INTERACTIVE in judged and len(judged) > 1
