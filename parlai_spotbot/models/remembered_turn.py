"""A turn of a conversation as the one who is to answer remembers it: agents and the models behind them share it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RememberedTurn:
    """One turn; `mine` tells whether the one who remembers it spoke it."""

    text: str
    mine: bool
