"""The list "What could be wrong" of the first and the second screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.settled import audit_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


def audit_rows(contents: SurveyData, source: str) -> Sequence[Mapping]:
    """Return the probes of what leads, the worst first: those of serving until settled where the source was served so,
    else those of its ranking."""
    settled = contents.of(SETTLED, source)
    if "probes" in settled:
        return audit_of(settled)
    return contents.ranking(source).audit
