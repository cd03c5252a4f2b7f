"""Standings of contestants in one form for every survey: one for each survey, source and criterion.

It is read from ``analysis/ranking.json`` (and the features of Spot The Bot); sources are never mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from parlai_spotbot.findings.rankings import Ranking, by_criterion
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
    ranking: Ranking
    annotations: int = 0

    @property
    def column(self) -> str:
        """The column of the scores."""
        return "win_rate" if self.ranking.rates else "score"

    @property
    def what(self) -> str:
        """Return what the score is called."""
        return WIN_RATE if self.ranking.rates else str(self.ranking.whole.get("criterion") or "score")

    @property
    def score(self) -> dict[str, float]:
        """The known scores, best first."""
        scores = {name: row[self.column] for name, row in self.ranking.contestants.items()}
        return {name: value for name, value in scores.items() if value is not None}

    def places(self, name: str) -> str:
        """Return a contestant's places as a cell has them."""
        return places_said(self.ranking)[name]


def standings(contents: SurveyData) -> list[Standing]:
    """Every standing of one survey of one study: people first, the main criterion first."""
    result = []
    for source in contents.analysed_sources:
        rankings = contents.rankings(source)
        main = contents.ranking(source)
        entries = {"": main, **rankings, **by_criterion(contents.of("features", source))}
        used = (contents.made_by.get("ranking", {}).get("used") or {}).get(source, 0)
        for criterion, ranking in entries.items():
            if ranking.order:
                result.append(Standing(contents.survey, source, criterion, ranking, used))
    return result
