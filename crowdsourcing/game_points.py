"""Bonus of a game: it goes to whoever has most points over finished units, as the consent text says.

Several with the same points each get it. Points count where work was not rejected; they are those of the leaderboard.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from parlai_spotbot.crowdsourcing.desk.game_scores import truths_of, unit_points
from parlai_spotbot.records import HUMAN, Conversation, Item
from parlai_spotbot.surveys.survey import GameRules

BONUS = ("worker_id", "points", "units", "bonus", "currency")


def natures_of(conversations: Iterable[Conversation]) -> dict[str, tuple[str, str]]:
    """Return what the two entities of each conversation are: "human" or "bot"."""
    return {c.conversation_id: tuple(HUMAN if human else "bot" for human in c.is_human) for c in conversations}


def bonus_rows(
    game: GameRules,
    records: Iterable[tuple[str, dict]],
    items: Iterable[Item],
    conversations: Iterable[Conversation],
    settings: Mapping[str, Any],
) -> list[tuple]:
    """Return a row of `BONUS` for each annotator, most points first; the bonus is the pay for one unit.

    `records` are (worker, `Submission.record`), `settings` those of the launch.
    """
    truths = truths_of(items, natures_of(conversations))
    earned = defaultdict(list)
    for worker, record in records:
        earned[worker].append(unit_points(game, record["items"], truths, "nature"))
    points = {worker: sum(own) for worker, own in sorted(earned.items())}
    most, pay, currency = max(points.values(), default=0.0), settings.get("pay", 0.0), settings.get("currency", "")
    return [
        (worker, f"{points[worker]:g}", len(earned[worker]), f"{pay * (points[worker] == most):.2f}", currency)
        for worker in sorted(points, key=points.get, reverse=True)
    ]
