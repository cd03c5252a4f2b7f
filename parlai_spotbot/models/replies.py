"""Texts in what a program returns for a turn: texts, dictionaries, messages, lists of them."""

from collections.abc import Mapping
from typing import Any

KEYS = ("content", "text", "response", "reply", "answer", "output", "output_text", "message", "messages", "choices")
"""Keys, and attributes, that hold the text of a turn, the first of these first."""


def text_in(returned: Any) -> str | None:
    """Return the text of a turn in `returned`; None where there is none.

    Of a dictionary, or an object with such attributes, it is the first of `KEYS`; of a list of messages that of the
    last, of a list of pieces of one message ({"type": "text"}) all of them together.
    """
    if issubclass(type(returned), str):
        return returned
    if isinstance(returned, list | tuple):
        pieces = [row["text"] for row in returned if isinstance(row, Mapping) and row.get("type") == "text"]
        if pieces:
            return "".join(pieces)
        return next((text_in(last) for last in returned[-1:]), None)
    held = returned if isinstance(returned, Mapping) else getattr(returned, "__dict__", {})
    texts = (text_in(held[key]) for key in KEYS if key in held)
    return next((text for text in texts if text is not None), None)
