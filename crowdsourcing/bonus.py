"""Who is to be paid a bonus after a game: whoever has most points over finished units, as the consent text says.

Several with the same points each get it. Points count where work was not rejected; they are those of the leaderboard.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from parlai_spotbot.crowdsourcing.ledger_entries import Handout, Submission
from parlai_spotbot.crowdsourcing.scores import truths_of, unit_points
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
    """What the two entities of each conversation are: "human" or "bot"."""
    return {c.conversation_id: tuple(HUMAN if human else "bot" for human in c.is_human) for c in conversations}


def game_points(
    survey: Survey,
    submissions: Iterable[Submission],
    handouts: Mapping[str, Handout],
    items: Iterable[Item],
    conversations: Iterable[Conversation],
    left_out: Collection[str] = (),
) -> list[GamePoints]:
    """Everybody's points, most first; [] where the survey is no game. `left_out` are the handles that don't count."""
    if survey.game is None:
        return []
    truths = truths_of(items, natures_of(conversations))
    totals: dict[str, list[float]] = {}
    for submission in submissions:
        if submission.handle not in left_out:
            earned = unit_points(survey.game, submission.record["items"], truths, NATURE)
            totals.setdefault(handouts[submission.handle].worker, []).append(earned)
    most = max(map(sum, totals.values()), default=0.0)
    rows = [GamePoints(worker, sum(earned), len(earned), sum(earned) == most) for worker, earned in totals.items()]
    return sorted(rows, key=lambda row: (-row.points, row.worker))
