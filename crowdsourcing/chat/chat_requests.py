"""Requests of annotators who chat, beside those of every annotator."""

from __future__ import annotations

from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import malformed
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.ledger.entries import Handout


class ChatDesk:
    """The requests of a chat; a part of `desk.Desk`, on whose `chats` they stand."""

    def say(self, visitor: Visitor, body: Any) -> dict:
        """Say something to the partner; ``{"chat": CHAT, "turns": those from this message on}`` when it is durable.

        ``body = {"unit", "item", "number", "text"}``; the number is the one that CHAT names as the next. The same
        message again counts once. Refusals: 400 malformed, 403 foreign, preview, 404 unknown, 409 said (another message
        has this number), answer_due, not_next, chat_over, doubled, 410 late, 422 empty, too_long.
        """
        handout = self._chatting(visitor, body)
        return self.chats.say(handout, body)

    def chat(self, visitor: Visitor, body: Any) -> dict:
        """Return how the chat stands: ``{"chat": CHAT, "turns": those from "have" on, "step"}``. It changes nothing.

        ``body = {"unit", "item", "have": as many turns as the page has}``. Refusals: 400 malformed, 403 foreign,
        preview, 404 unknown, 409 doubled, 410 late.
        """
        handout = self._chatting(visitor, body)
        return self.chats.poll(handout, body)

    def rate(self, visitor: Visitor, body: Any) -> dict:
        """Take the ratings of a chat, for good; returns the SESSION when they are durable.

        ``body = {"unit", "item", "answers", "seconds", "comment"}``. The same again counts once. Refusals: 400
        malformed, 403 foreign, preview, 404 unknown, 409 rated (otherwise, before), chat_short, answer_due, chat_over,
        doubled, 410 late, 422 incomplete.
        """
        handout = self._chatting(visitor, body)
        self.chats.rate(handout, body)
        return self.session(visitor)

    def leave(self, visitor: Visitor, body: Any) -> dict:
        """End a unit whose partner can't go on, without blame; returns the SESSION with ``"left": true``.

        ``body = {"unit"}``. It does not count for the allowance. The same again changes nothing.
        Refusals: 400 malformed, 403 foreign, preview, 404 unknown, 409 not_failed, doubled, 410 late.
        """
        handout = self._own(visitor, body)
        if not self.chats:
            raise malformed("Nobody chats in this survey.")
        if handout.status == "done":
            raise self.refusal("doubled")
        if handout.status == "open" and not self.chats.failed(handout):
            raise self.refusal("not_failed")
        if handout.status not in ("open", "void"):
            raise self.refusal("late")
        self._end(handout, "void")
        return {**self.session(visitor), "left": True}

    def _chatting(self, visitor: Visitor, body: Any) -> Handout:
        """Return the open hand-out that the body names, in a survey in which people chat."""
        handout = self._own(visitor, body)
        if not self.chats:
            raise malformed("Nobody chats in this survey.")
        self._unfinished(handout)
        return handout
