"""Texts to and from a chat server: special tokens and lengths, without knowing the model."""

import json
import math
import re

BYTES_PER_TOKEN = 3
TOKENS_PER_MESSAGE = 8

SPECIAL_TOKEN = re.compile(
    r"(?=(<[|\uff5c][^|\uff5c<>\n]{1,40}[|\uff5c]>|</?s>|"
    r"<(?:eos|bos|pad|unk|mask|sep|cls|eod|sop|eop|eot|start_of_turn|end_of_turn|start_of_image|image_soft_token)>|"
    r"</?(?:think|thinking|tool_call|tool_calls|tool_response|tools|image|im_start|im_end)>|<extra_id_\d{1,3}>|"
    r"\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|PAD|UNK|CLS|SEP|MASK|gMASK)\]|"
    r"<</?SYS>>))(?s:.)",
    re.IGNORECASE,
)
"""What chat templates of well-known models begin and end turns with, in its group 1; it matches the first character."""


def quoted(text: str) -> str:
    """`text` as a JSON string in one line, from which `json.loads` makes `text` again.

    Where a special token begins, and whatever can't be seen, stands as an escape: to a model the token is text.
    """
    begins = {match.start() for match in SPECIAL_TOKEN.finditer(text)}
    escaped = (n in begins or c in '"\\' or not c.isprintable() for n, c in enumerate(text))
    return f'"{"".join(_escaped(c) if hidden else c for c, hidden in zip(text, escaped, strict=True))}"'


def _escaped(character: str) -> str:
    """The escape of JSON that stands for one character."""
    escape = json.dumps(character)[1:-1]
    if escape != character:
        return escape
    return f"\\u{ord(character):04x}"


def tokens(text: str) -> int:
    """About how many tokens `text` takes as a message, rather too many than too few."""
    return math.ceil(len(text.encode()) / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE
