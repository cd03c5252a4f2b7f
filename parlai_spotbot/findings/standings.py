"""Standings of contestants in one form for every survey: one for each source and criterion.

They are read from ``analysis/ranking.json`` (and the features of Spot The Bot); sources are never mixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from parlai_spotbot.findings.rankings import Ranking, by_criterion

if TYPE_CHECKING:
    from parlai_spotbot.findings.survey_data import SurveyData


class Standing(NamedTuple):
    """Record of one source's `ranking` by one criterion, and the number of `annotations` it rests on."""

    source: str
    criterion: str
    ranking: Ranking
    annotations: int


def standings(contents: SurveyData) -> list[Standing]:
    """Return every standing of a survey: people first, the main criterion, "", first."""
    used = contents.made_by.get("ranking", {}).get("used") or {}
    rows = []
    for source in contents.analysed_sources:
        rankings = {"": contents.ranking(source), **contents.rankings(source)}
        rankings |= by_criterion(contents.of("features", source))
        for criterion, ranking in rankings.items():
            if ranking.order:
                rows.append(Standing(source, criterion, ranking, used.get(source, 0)))
    return rows
