"""Points and bonus of a game: the bonus goes to whoever has most points over finished units, as the consent text says.

Several with the same points each get it. Points count where work was not rejected; they are those of the leaderboard.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.desk.game_scores import truths_of, unit_points
from parlai_spotbot.records import HUMAN, Conversation, Item
from parlai_spotbot.surveys.survey import Survey

NATURE = "nature"


@dataclass(frozen=True)
class GamePoints:
    """An annotator's points over `units` finished units; `wins` says whether the bonus is theirs."""

    worker: str
    points: float
    units: int
    wins: bool


def natures_of(conversations: Iterable[Conversation]) -> dict[str, tuple[str, str]]:
    """Return what the two entities of each conversation are: "human" or "bot"."""
    return {c.conversation_id: tuple(HUMAN if human else "bot" for human in c.is_human) for c in conversations}


def game_points(
    survey: Survey, records: Iterable[tuple[str, dict]], items: Iterable[Item], conversations: Iterable[Conversation]
) -> list[GamePoints]:
    """Everybody's points, most first; [] where the survey is no game. `records` are (worker, `Submission.record`)."""
    if survey.game is None:
        return []
    truths = truths_of(items, natures_of(conversations))
    totals: dict[str, list[float]] = {}
    for worker, record in records:
        totals.setdefault(worker, []).append(unit_points(survey.game, record["items"], truths, NATURE))
    most = max(map(sum, totals.values()), default=0.0)
    rows = [GamePoints(worker, sum(earned), len(earned), sum(earned) == most) for worker, earned in totals.items()]
    return sorted(rows, key=lambda row: (-row.points, row.worker))
