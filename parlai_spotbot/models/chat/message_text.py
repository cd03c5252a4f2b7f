"""What can be said of a text that goes to a chat server, or comes from it, without knowing the model behind it."""

from __future__ import annotations

import math
import re

BYTES_PER_TOKEN = 3
TOKENS_PER_MESSAGE = 8

THOUGHT = re.compile(r"^\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
"""What a model says to itself before it answers."""

CONTROL = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:eos|bos|pad|unk|mask|sep|cls|start_of_turn|end_of_turn)>|</?think(?:ing)?>|"
    r"\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)
"""What chat templates end and begin turns with: in somebody's words it would end the message that quotes them."""


def quoted(text: str) -> str:
    """`text` in one line, as it may stand in a message: what controls a model is broken by a space, and still seen."""
    return CONTROL.sub(lambda found: f"{found[0][0]} {found[0][1:]}", " ".join(text.split()))


def tokens(text: str) -> int:
    """About how many tokens `text` takes as a message, rather too many than too few."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE


def text_of(message: dict) -> str:
    """The text of a completion's message, "" where there is none."""
    content = message.get("content")
    if isinstance(content, list):  # parts, as some servers give them
        content = "".join(str(p.get("text") or "") for p in content if isinstance(p, dict) and p.get("type") == "text")
    return content if isinstance(content, str) else ""
