"""Plain texts of dialogues as rows: exports of WhatsApp, roles before the turns, lines whose turns end in a mark."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.reading import lines_of, opened, whole_text

UTTERANCE = "__eou__"
"""What ends each turn in DailyDialog's files."""
SPOKEN = re.compile(
    r"(?:\A\s{0,9}|\n[ \t]{0,9})"
    r"(?P<role>human|user|person|customer|assistant|system|bot|agent|ai|chatbot|model|tool|function)[ \t]?:",
    re.IGNORECASE,
)
"""Where a turn begins in a text of several: "Human: …", "Assistant: …"."""
TABBED = re.compile(r"^(user|system|assistant|bot|human|agent|customer)\t([^\t\n]*).*$", re.IGNORECASE | re.MULTILINE)
"""A turn whose role, text and labels are separated by tabs."""
BETWEEN_DIALOGUES = re.compile(r"\n(?:[ \t\r]{0,9}\n)+")
SENT = re.compile(
    r"\A[\s\u200e\u200f]{0,9}\[?(?P<time>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[apAP]\.?[mM]\.?)?)"
    r"(?:\]| -) (?:(?P<speaker>[^:\n]{1,80}): ?)?(?P<text>.*)\Z",
    re.DOTALL,
)
"""The first line of a message that WhatsApp exported; without a speaker it is the app's own."""
OF_THE_APP = re.compile(r"\A(?:\u200e|<[^<>]{0,60}>\s*\Z)")
"""How texts begin that WhatsApp writes in place of pictures, sound and other events."""

Rows = Iterator[tuple[int, dict[str, Any]]]


def transcript_rows(path: Path, head: str) -> Rows | None:
    """Return the rows of a text that begins with `head`; None where it is a table."""
    first, _, rest = head.partition("\n")
    if UTTERANCE in first:
        return _lines(path)
    if SENT.match(first):
        return _sent(path)
    if SPOKEN.match(head) or (TABBED.match(first) and TABBED.match(rest.lstrip())):
        return _spoken(path)
    return None


def _lines(path: Path) -> Rows:
    """Yield each line as a dialogue."""
    with opened(path) as text:
        for number, line in enumerate(lines_of(text), start=1):
            if not line.isspace():
                yield number, {"text": line.strip()}


def _sent(path: Path) -> Rows:
    """Yield the messages of one chat, each with the lines that belong to it; the app's own are left out."""
    rows: list[tuple[int, dict[str, Any]]] = []
    with opened(path) as text:
        for number, line in enumerate(lines_of(text), start=1):
            message = SENT.match(line)
            if message:
                values = {"conversation_id": path.stem, "speaker": message["speaker"], "text": message["text"].strip()}
                rows.append((number, values))
            elif rows:
                rows[-1][1]["text"] += f"\n{line.strip()}"
    for number, row in rows:
        if row["speaker"] and not OF_THE_APP.match(row["text"]):
            yield number, row


def _spoken(path: Path) -> Rows:
    """Yield the dialogues, between which lines are empty; the whole text where most of its parts are no dialogue."""
    text = TABBED.sub(r"\1: \2", whole_text(path))
    parts = [part for part in BETWEEN_DIALOGUES.split(text) if part.strip()]
    dialogues = [part for part in parts if len(SPOKEN.findall(part)) > 1]
    if 2 * len(dialogues) <= len(parts):
        parts = [text]
    for number, part in enumerate(parts, start=1):
        yield number, {"text": part.strip()}
