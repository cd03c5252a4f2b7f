"""State of a chat, from the ledger's rows of it and the time alone: so a reload, another tab or a restarted server
shows the same.
"""

import random
from dataclasses import dataclass
from typing import Any

from parlai_spotbot.crowdsourcing.chat import chat_ledger as kept
from parlai_spotbot.records import Utterance
from parlai_spotbot.surveys import survey as rules

POLL_SECONDS = 1.0
"""Seconds after which a page asks again for an answer that is due."""


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
        """Return the number of turns in whole exchanges."""
        return self.shown // 2 * 2

    @property
    def step(self) -> str:
        """Return "locked", "chatting", "failed", "rating" or "done"."""
        if self.rating is not None:
            return "done"
        if not self.reached:
            return "locked"
        if self.gone:
            return "rating" if self.whole >= self.rule.messages else "failed"
        return "rating" if self.shown >= self.rule.most_messages and not self.due else "chatting"

    @property
    def next(self) -> int | None:
        """Return the number of the person's next message, None where they can't write now."""
        return self.shown if self.step == "chatting" and not self.due else None

    @property
    def may_rate(self) -> bool:
        return self.step in ("chatting", "rating") and self.whole >= self.rule.messages and not self.due

    def to_json(self) -> dict[str, Any]:
        """Return the CHAT that the page gets: nothing that identifies the partner, or what went wrong with it."""
        return {
            "messages": self.shown,
            "least": self.rule.messages,
            "most": self.rule.most_messages,
            "next": self.next,
            "partner": "gone" if self.gone else "typing" if self.due else "listening",
            "may_rate": self.may_rate,
            "poll_seconds": POLL_SECONDS if self.due else None,
        }

    def transcript(self) -> tuple[Utterance, ...]:
        """Return the turns in whole exchanges."""
        return tuple(Utterance(turn.number % 2, turn.text) for turn in self.turns[: self.whole])

    def turns_from(self, number: int) -> list[dict[str, Any]]:
        """Return the turns that are shown, from this number on."""
        return [{"entity": turn.number % 2, "text": turn.text} for turn in self.turns[: self.shown][number:]]


FIRST_KEY = 0.4
SECONDS_A_CHARACTER = 1 / 40


def typing_seconds(rule: rules.ChatRules, chat: kept.ChatRecord, number: int, text: str) -> float:
    """Return how long the answer `text` takes to type, with some chance that is the same at every call."""
    if not rule.answer_delay:
        return 0.0
    chance = random.Random(f"typing {chat.seed} {number}").uniform(0.75, 1.25)
    return min(rule.longest_delay, chance * (FIRST_KEY + SECONDS_A_CHARACTER * len(text)))
