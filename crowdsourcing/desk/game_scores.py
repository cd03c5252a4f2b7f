"""The game's leaderboard: points over finished units, under made-up names that say nothing about who is who."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from parlai_spotbot.records import Item
from parlai_spotbot.surveys import controls
from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.survey import GameRules

NICKNAMES = json.loads((Path(__file__).parent / "nicknames.json").read_text(encoding="utf-8"))
FIRST, SECOND = NICKNAMES["first"], NICKNAMES["second"]


def nickname(secret: bytes, worker: str) -> tuple[str, int]:
    """Two words for an annotator, the same for ever, and a number that tells bearers of the same words apart."""
    drawn = hmac.new(secret, f"nickname {worker}".encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    words = f"{FIRST[drawn[0] % len(FIRST)]} {SECOND[drawn[1] % len(SECOND)]}"
    return words, int.from_bytes(drawn[2:6], "big")


def unit_points(game: GameRules, rows: Iterable[dict], truths: Mapping[str, tuple[str, str]], question: str) -> float:
    """The points of a finished unit: its decisions on `question`, for every item whose truth is known.

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


def truths_of(items: Iterable[Item], truths: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """The truth by item id: a control's own, else that of its conversation, where it is known."""
    truth_by_item_id = {
        item.item_id: controls.truth(item.control) if item.control else truths.get(_only(item)) for item in items
    }
    return {item_id: truth for item_id, truth in truth_by_item_id.items() if truth}


def _only(item: Item) -> str:
    return item.conversation_ids[0] if len(item.conversation_ids) == 1 else ""


class GameScores:
    """Everybody's points. `most` places are shown, and the visitor's own whatever it is."""

    def __init__(self, secret: bytes, most: int = 20):
        self.secret = secret
        self.most = most
        self.totals: dict[str, float] = {}

    def add(self, worker: str, earned: float) -> None:
        """Points for a unit that the annotator finished."""
        self.totals[worker] = self.totals.get(worker, 0.0) + earned

    def board(self, visitor: str) -> list[dict]:
        """``[{"name", "points", "you"}]``, most points first; those who have finished no unit are not on it."""
        names = self._names()
        order = sorted(self.totals, key=lambda worker: (-self.totals[worker], names[worker]))
        shown = [w for place, w in enumerate(order) if place < self.most or w == visitor]
        return [{"name": names[w], "points": _plain(self.totals[w]), "you": w == visitor} for w in shown]

    def game(self, visitor: str) -> dict:
        """``{"points", "rank", "leaderboard"}``; rank 1 has the most points, None before the first finished unit."""
        visitor_points = self.totals.get(visitor)
        rank = None if visitor_points is None else 1 + sum(total > visitor_points for total in self.totals.values())
        return {"points": _plain(visitor_points or 0.0), "rank": rank, "leaderboard": self.board(visitor)}

    def _names(self) -> dict[str, str]:
        bearers: dict[str, list[tuple[int, str]]] = {}
        for worker in self.totals:
            words, number = nickname(self.secret, worker)
            bearers.setdefault(words, []).append((number, worker))
        return {
            worker: words if place == 0 else f"{words} {place + 1}"
            for words, several in bearers.items()
            for place, (_, worker) in enumerate(sorted(several))
        }


def _plain(value: float) -> float | int:
    """Points as people write them: 17, not 17.0."""
    value = round(value, 2)
    return int(value) if value == int(value) else value
