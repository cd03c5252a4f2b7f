"""The list "What could be wrong" of the first and the second screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from parlai_spotbot.findings import audit
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.settled import PROBES, audit_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


OF_ANSWERS = ("annotators", "flips", "floor", "copies", "prompts", "left_out", "unfinished", "addressed")
"""Probes of answers and conversations, whatever follows from these."""


def audit_rows(contents: SurveyData, source: str) -> Sequence[Mapping]:
    """Return the probes of what leads, the worst first, with what each saw in a few words (`seen`): those of its
    ranking; where the source was served until settled, those of serving so and of its answers."""
    settled = contents.of(SETTLED, source)
    rows = contents.ranking(source).audit
    before = []
    if "probes" in settled:
        before = [{**row, "seen": audit.seen(row, PROBES)} for row in audit_of(settled)]
        rows = [row for row in rows if row["probe"] in OF_ANSWERS]
    return [*before, *({**row, "seen": audit.seen(row, audit.WORDS)} for row in rows)]
