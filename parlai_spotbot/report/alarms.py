"""The list "What could be wrong" of the first and the second screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.findings import audit
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.settled import PROBES, audit_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


def audit_rows(contents: SurveyData, source: str) -> Sequence[Mapping]:
    """Return the probes of what leads, the worst first, with what each saw in a few words (`seen`): those of serving
    until settled where the source was served so, else those of its ranking."""
    settled = contents.of(SETTLED, source)
    words = audit.WORDS
    rows = contents.ranking(source).audit
    if "probes" in settled:
        words = PROBES
        rows = audit_of(settled)
    return [{**row, "seen": audit.seen(row, words)} for row in rows]
