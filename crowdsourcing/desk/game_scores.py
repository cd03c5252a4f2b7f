"""The game's leaderboard: points over finished units, under made-up names that identify nobody."""

from collections import defaultdict
from collections.abc import Iterable

from parlai_spotbot.crowdsourcing.desk.contract import Natures
from parlai_spotbot.crowdsourcing.desk.practice import chance_of
from parlai_spotbot.records import HUMAN, Conversation, Item
from parlai_spotbot.surveys import controls
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.survey import GameRules

MOST = 20
"""Places of the leaderboard that are shown, beside the visitor's own."""


def unit_points(game: GameRules, rows: Iterable[dict], truths: Natures, question: str) -> float:
    """Return the points of a finished unit: its decisions on `question`, for every item whose truth is known.

    `rows` are the items of a submission's record, `truths` the truth of both entities by item id.
    """
    total = 0.0
    for row in rows:
        truth = truths.get(row["item_id"])
        for answer in row["answers"]:
            if truth and answer["question"] == question:
                entity = int(answer["target"].partition(":")[2])
                total += points(game, truth[entity], answer["answer"], answer["opened"])
    return total


def natures_of(conversations: Iterable[Conversation]) -> Natures:
    """Return what the two entities of each conversation are: "human" or "bot"."""
    natures = {True: HUMAN, False: "bot"}
    return {talk.conversation_id: tuple(map(natures.get, talk.is_human)) for talk in conversations}


def truths_of(items: Iterable[Item], truths: Natures) -> Natures:
    """Return the truth by item id: a control's own, else that of its conversation, where it is known."""
    truth_by_item_id = {
        item.item_id: controls.truth(item.control) if item.control else truths.get("".join(item.conversation_ids))
        for item in items
    }
    return {item_id: truth for item_id, truth in truth_by_item_id.items() if truth}


class GameScores:
    """Everybody's points; `secret` draws their names."""

    def __init__(self, secret: bytes):
        self.secret = secret
        self.totals: dict[str, float] = defaultdict(float)

    def add(self, worker: str, earned: float) -> None:
        """Add points for a unit that the annotator finished."""
        self.totals[worker] += earned

    def _name(self, worker: str) -> str:
        return f"Player {chance_of(self.secret, 'nickname', worker)[:6]}"

    def game(self, visitor: str) -> dict:
        """Return ``{"points", "rank", "leaderboard": [{"name", "points", "you"}]}``.

        Those who have finished no unit are not on the leaderboard, and have rank None; rank 1 has the most points.
        """
        earned = self.totals.get(visitor)
        names = {worker: self._name(worker) for worker in self.totals}
        order = sorted(self.totals, key=lambda worker: (-self.totals[worker], names[worker]))
        board = [
            {"name": names[worker], "points": round(self.totals[worker], 2), "you": worker == visitor}
            for place, worker in enumerate(order)
            if place < MOST or worker == visitor
        ]
        rank = None
        if earned is not None:
            rank = 1 + sum(total > earned for total in self.totals.values())
        return {"points": round(earned or 0.0, 2), "rank": rank, "leaderboard": board}
