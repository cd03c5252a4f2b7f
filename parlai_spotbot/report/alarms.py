"""What could be wrong with the answer of a survey, as the first and the second screen show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.analysis.verdict.probe import AMBER, RED
from parlai_spotbot.findings.audit import SIGNS, of_level

if TYPE_CHECKING:
    from parlai_spotbot.findings.contents import Contents


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


def alarms_of(contents: Contents, source: str) -> list[Alarm]:
    """Return the red and amber probes of a source's ranking, the worst first."""
    rows = of_level(contents.of("ranking", source), RED, AMBER)
    return [Alarm(row["level"], row["title"], row["text"], row["step"]) for row in rows]
