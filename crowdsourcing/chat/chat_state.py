"""State of a chat, from what the ledger holds of it and the time alone: so a reload, another tab or a restarted
server says the same.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from parlai_spotbot.crowdsourcing.chat import chat_ledger as kept
from parlai_spotbot.surveys import survey as rules

POLL, POLL_SLOW = 1.0, 3.0
"""Seconds after which a page asks again for an answer that is due, and for one that has been due for long."""


@dataclass(frozen=True)
class ChatState:
    """A chat at one moment. `turns` are all, `shown` how many of them the page gets, `reached` whether the chat's turn
    has come in the unit."""

    rule: rules.ChatRules
    chat: kept.ChatRecord | None
    turns: tuple[kept.ChatMessage, ...]
    rating: kept.ChatRating | None
    reached: bool
    now: float

    @property
    def shown(self) -> int:
        return sum(turn.number % 2 == 0 or turn.shown_at <= self.now for turn in self.turns)

    @property
    def gone(self) -> bool:
        """Return whether the contestant can't go on."""
        return self.chat is not None and self.chat.status == "failed"

    @property
    def due(self) -> bool:
        """Return whether the contestant's answer is due."""
        return self.shown % 2 == 1 and not self.gone and self.rating is None

    @property
    def whole(self) -> int:
        """Return how many turns there are in whole exchanges."""
        return self.shown // 2 * 2

    @property
    def enough(self) -> bool:
        return self.whole >= self.rule.messages

    @property
    def step(self) -> str:
        """locked, chatting, failed, rating or done."""
        if self.rating is not None:
            return "done"
        if not self.reached:
            return "locked"
        if self.gone:
            return "rating" if self.enough else "failed"
        return "rating" if self.shown >= self.rule.most_messages and not self.due else "chatting"

    @property
    def next(self) -> int | None:
        """The number of the person's next message, None where they can't write now."""
        return self.shown if self.step == "chatting" and not self.due else None

    @property
    def may_rate(self) -> bool:
        return self.step in ("chatting", "rating") and self.enough and not self.due

    @property
    def waiting(self) -> float:
        """For how many seconds the answer has been due."""
        return max(0.0, self.now - self.turns[self.shown - 1].said_at) if self.due else 0.0

    def to_json(self) -> dict[str, Any]:
        """The CHAT that the page gets: nothing that tells who the partner is, or what went wrong with it."""
        slow = self.waiting >= self.rule.slow_after
        return {
            "messages": self.shown,
            "least": self.rule.messages,
            "most": self.rule.most_messages,
            "next": self.next,
            "partner": "gone" if self.gone else "typing" if self.due else "listening",
            "waiting_seconds": round(self.waiting, 1),
            "slow": slow,
            "may_rate": self.may_rate,
            "poll_seconds": (POLL_SLOW if slow else POLL) if self.due else None,
        }

    def turns_from(self, number: int) -> list[dict[str, Any]]:
        """The turns that are shown, from this number on."""
        return [{"entity": turn.number % 2, "text": turn.text} for turn in self.turns[: self.shown][number:]]


FIRST_KEY, SECONDS_A_CHARACTER = 0.4, 1 / 40


def typing_seconds(rule: rules.ChatRules, chat: kept.ChatRecord, number: int, text: str) -> float:
    """Return how long the answer `text` takes to type, with some chance that is the same whenever it is asked."""
    if not rule.answer_delay:
        return 0.0
    chance = random.Random(f"typing {chat.seed} {number}").uniform(0.75, 1.25)
    return min(rule.longest_delay, chance * (FIRST_KEY + SECONDS_A_CHARACTER * len(text)))
