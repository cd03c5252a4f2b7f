"""What could be wrong with the answer of a survey, as the first and the second screen show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.verdict.probe import AMBER, RED
from parlai_spotbot.findings.audit import SIGNS, of_level
from parlai_spotbot.findings.result import SETTLED
from parlai_spotbot.findings.settled import audit_of

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


@dataclass(frozen=True)
class Alarm:
    """Record of one thing that could be wrong: its level, `title` and `text`, and the `step` that mends it."""

    level: str
    title: str
    text: str
    step: str = ""

    @property
    def sign(self) -> str:
        """Return the mark beside the colour."""
        return SIGNS[self.level]


def audit_rows(contents: SurveyData, source: str) -> Sequence[Mapping]:
    """Return the probes of what leads: those of serving until settled where the source was served so, else those of its
    ranking."""
    settled = contents.of(SETTLED, source)
    return audit_of(settled) if "probes" in settled else contents.ranking(source).audit


def alarms_of(contents: SurveyData, source: str) -> list[Alarm]:
    """Return the red and amber probes of a source's ranking, the worst first."""
    rows = of_level(audit_rows(contents, source), RED, AMBER)
    return [Alarm(row["level"], row["title"], row["text"], row["step"]) for row in rows]
