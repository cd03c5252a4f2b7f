"""What can be said of a text that goes to a chat server, or comes from it, without knowing the model behind it."""

from __future__ import annotations

import math
import re

BYTES_PER_TOKEN = 3
TOKENS_PER_MESSAGE = 8

THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
"""What a model says to itself before it answers."""


def tokens(text: str) -> int:
    """About how many tokens `text` takes as a message, rather too many than too few."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE


def text_of(message: dict) -> str:
    """The text of a completion's message, "" where there is none."""
    content = message.get("content")
    if isinstance(content, list):  # parts, as some servers give them
        content = "".join(str(p.get("text") or "") for p in content if isinstance(p, dict) and p.get("type") == "text")
    return content if isinstance(content, str) else ""
