"""Three conversations for the first screen, as the finding `examples` chose them: their last exchange, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from parlai_spotbot.findings.contents import Contents
from parlai_spotbot.findings.examples import chosen
from parlai_spotbot.records import Conversation, Turn

WORDS = 24
"""A longer turn is cut there; the conversation has it whole."""

TITLES = {"win": "A typical win", "give_away": "The give-away that cost most", "close": "The closest call"}


@dataclass(frozen=True)
class Quote:
    """The last exchange that annotators saw; `turns` are (side, turn), long ones cut."""

    title: str
    verdict: str
    conversation_id: str
    turns: list[tuple[int, Turn]]


def quotes(contents: Contents, source: str) -> list[Quote]:
    """What the first screen shows of conversations; [] where the survey is of no conversations."""
    known = {c.conversation_id: c for c in contents.conversations}
    found = []
    for entry in chosen(contents, source):
        conversation = known.get(entry["conversation_ids"][0])
        if conversation is not None and entry["kind"] in TITLES:
            turns = _last_exchange(conversation, entry["exchanges"])
            found.append(Quote(TITLES[entry["kind"]], _verdict(entry), conversation.conversation_id, turns))
    return found


def _last_exchange(conversation: Conversation, exchanges: int) -> list[tuple[int, Turn]]:
    end = 2 * (conversation.seed_exchanges + exchanges)
    numbered = [(i % 2, turn) for i, turn in enumerate(conversation.turns)][:end]
    return [(side, _cut(turn)) for side, turn in numbered[-2:]]


def _cut(turn: Turn) -> Turn:
    words = turn.text.split()
    if len(words) <= WORDS:
        return turn
    return replace(turn, text=" ".join(words[:WORDS]) + " …")


def _verdict(entry: Mapping) -> str:
    bot, other, n = entry["bot"], entry["other"], entry["n"]
    if entry["kind"] == "give_away" and entry.get("called"):
        return f"{entry['called']['bot']} of {n} called {bot} a bot after {entry['exchanges']} exchanges."
    if entry["kind"] == "give_away":
        return f"{other} beat {bot} in {entry['losses']} of {n} annotations."
    if entry["kind"] == "close":
        return f"{bot} and {other}: {entry['wins']} to {entry['losses']}, {entry['ties']} of {n} undecided."
    return f"{bot} beat {other} in {entry['wins']} of {n} annotations."
