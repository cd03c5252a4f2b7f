"""Standings of contestants in one form for every survey: one for each survey, source and criterion.

It is read from ``analysis/ranking.json`` (and the features of Spot The Bot); sources are never mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.findings.sections import places_said

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData

WIN_RATE = "win rate"


@dataclass(frozen=True)
class Standing:
    """Record of what one source of a study says of the contestants by one criterion: its `ranking`, as findings make
    it, made of so many `annotations`."""

    survey: str
    source: str
    criterion: str
    ranking: Mapping
    annotations: int = 0

    @property
    def rates(self) -> bool:
        return "win_rate" in self.ranking

    @property
    def what(self) -> str:
        """Return what the score is called."""
        return WIN_RATE if self.rates else str(self.ranking.get("criterion") or "score")

    @property
    def order(self) -> list[str]:
        return list(self.ranking["order"])

    @property
    def clusters(self) -> Mapping[str, list[int]]:
        """First and last place by contestant."""
        return self.ranking.get("clusters") or {}

    @property
    def score(self) -> dict[str, float]:
        scores = self.ranking.get("win_rate" if self.rates else "score") or {}
        return {name: value for name, value in scores.items() if value is not None}

    @property
    def ci(self) -> Mapping[str, list | None]:
        return self.ranking.get("win_rate_ci" if self.rates else "score_ci") or {}

    def places(self, name: str) -> str:
        """Return a contestant's places as a cell has them."""
        return places_said(self.ranking)[name]


def standings(contents: SurveyData) -> list[Standing]:
    """Every standing of one survey of one study: people first, the main criterion first."""
    result = []
    for source in contents.analysed_sources:
        ranking = contents.of("ranking", source)
        used = (contents.made_by.get("ranking", {}).get("used") or {}).get(source, 0)
        entries = {"": ranking, **(ranking.get("criteria") or {}), **contents.of("features", source)}
        for criterion, entry in entries.items():
            if isinstance(entry, dict) and entry.get("order"):
                result.append(Standing(contents.survey, source, criterion, entry, used))
    return result
