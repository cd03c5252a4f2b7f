"""Turns of a conversation as one side remembers them, and the messages and the window of turns that a model gets."""

from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.outside import MOST_OF_A_TURN, cleaned, without_calls, without_reasoning

LEFT_OUT = {
    "length": (f"what was beyond {MOST_OF_A_TURN:,} characters", lambda text: text[:MOST_OF_A_TURN]),
    "commands": ("commands to a terminal and control characters", cleaned),
    "reasoning": ("the model's reasoning", without_reasoning),
    "calls": ("calls of tools", without_calls),
}
"""What is no part of a turn: what it is called, and the function that leaves it out, in this order."""


@dataclass(frozen=True)
class RememberedTurn:
    """One turn; `mine` is True for turns of the side that remembers it."""

    text: str
    mine: bool


def kept_turn(text: str) -> tuple[str, list[str]]:
    """Return a bot's turn as conversations keep it, and the kinds (of `LEFT_OUT`) of what was left out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kinds = []
    for kind, (_, leave_out) in LEFT_OUT.items():
        kept = leave_out(text)
        if kept != text:
            kinds.append(kind)
        text = kept
    return text, kinds


def chat_messages(
    system: str, turns: Sequence[RememberedTurn], role: str = "system", merge: bool = False
) -> list[dict]:
    """The conversation as chat models take it, the system text first, as a message of `role`.

    With `merge`, messages of one role in a row become one, and a conversation that the model began has an empty
    message of the user before it if `role` is "user".
    """
    rows = [("assistant" if turn.mine else "user", turn.text) for turn in turns]
    if system or (merge and role == "user" and rows and turns[0].mine):
        rows.insert(0, (role, system))
    messages: list[dict] = []
    for who, text in rows:
        if merge and messages and messages[-1]["role"] == who:
            messages[-1]["content"] += f"\n\n{text}"
        else:
            messages.append({"role": who, "content": text})
    return messages


def first_kept(sizes: Sequence[int], base: int, room: int) -> int:
    """Index of the first turn that stays when turns of these sizes came one by one.

    When they no longer fit into `room` beside `base`, half of the room is cleared at once: a prompt keeps its
    beginning for a number of turns, so that cached keys and values can be used again.
    """
    first = 0
    used = base
    for last, size in enumerate(sizes):
        used += size
        if used > room:
            while first < last and used > base + (room - base) // 2:
                used -= sizes[first]
                first += 1
    return first
