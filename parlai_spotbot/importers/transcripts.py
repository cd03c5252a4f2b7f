"""Plain texts of dialogues as rows: exports of WhatsApp, roles before the turns, lines whose turns end in a mark."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.reading import lines_of, opened, whole_text

UTTERANCE = "__eou__"
"""What ends each turn in DailyDialog's files."""
SPOKEN = re.compile(
    r"(?:\A\s{0,9}|\n[ \t]{0,9})(?:\*\*|#{1,6} )?"
    r"(?P<role>human|user|person|customer|assistant|system|bot|agent|ai|chatbot|model|tool|function)"
    r"(?:\*\*)?[ \t]?:(?:\*\*)?",
    re.IGNORECASE,
)
"""Where a turn begins in a text of several: "Human: …", "Assistant: …"."""
TABBED = re.compile(r"^(user|system|assistant|bot|human|agent|customer)\t([^\t\n]*).*$", re.IGNORECASE | re.MULTILINE)
"""A turn whose role, text and labels are separated by tabs."""
OF_ALL = re.compile(r"^user\toverall\t.*$", re.IGNORECASE | re.MULTILINE)
"""A line that is no turn: what the user thinks of the dialogue as a whole."""
BETWEEN_DIALOGUES = re.compile(r"\n(?:[ \t\r]{0,9}\n)+")
SENT = re.compile(
    r"\A[\s\u200e\u200f]{0,9}\[?(?P<time>\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[apAP]\.?[mM]\.?)?)"
    r"(?:\]| -) (?:(?P<speaker>[^:\n]{1,80}): ?)?(?P<text>.*)\Z",
    re.DOTALL,
)
"""The first line of a message that WhatsApp exported; without a speaker it is the app's own."""
OF_THE_APP = re.compile(r"\A(?:\u200e|<[^<>]{0,60}>\s*\Z)")
"""How texts begin that WhatsApp writes in place of pictures, sound and other events."""

HEADING = re.compile(
    r"^#{1,6}[ \t]{0,9}(user|you|human|assistant|system|bot|chatgpt|claude)[ \t]{0,9}:?$", re.IGNORECASE | re.MULTILINE
)
"""Whose turn stands below, in Markdown."""
NUMBERED = re.compile(r"^(?P<number>\d{1,4}) (?P<asked>[^\t\n]*)(?:\t(?P<answered>[^\t\n]+))?", re.MULTILINE)
"""A line of ParlAI's dialogues: its number within the dialogue, a text and its answer, or a persona."""
BRACKETED = re.compile(
    r"(?:^\s{0,9}|\s(?=<\|?(?:spk?|speaker|usr|user|sys|system|bot|agent)_?\d?\|?>))"
    r"[\[<]\|?([^\W\d][\w ]{0,39})\|?[\]>]:? ",
    re.MULTILINE | re.IGNORECASE,
)
"""A speaker's name in front of a turn ("[doctor] hi", "<user> hi"); some also within a line ("<sp1> hi <sp2> ho")."""
NAMED = re.compile(r'^(?P<speaker>(?:#(?=\w+#:))?[^\s:#,;{\["<][^:,;{\["<\t\n]{0,39}):[ \t]+(?P<text>\S.*)')
"""A turn after its speaker's name."""
COUNTED = re.compile(r"^(?:turn|round|exchange) ?\d{1,4}:?[ \t]*$", re.IGNORECASE | re.MULTILINE)
"""A line that counts turns."""

Row = dict[str, Any]
Rows = Iterator[tuple[int, Row]]


def transcript_rows(path: Path, head: str) -> Rows | None:
    """Return the rows of a text that begins with `head`; None where it is a table."""
    first, _, rest = head.partition("\n")
    if UTTERANCE in first:
        return _texts(whole_text(path).split("\n"))
    if BRACKETED.match(first) and BRACKETED.match(rest.lstrip()):
        return _texts(BETWEEN_DIALOGUES.split(whole_text(path)))
    if SENT.match(first):
        return _turns(path, SENT)
    if NUMBERED.match(first) and any(line["answered"] for line in NUMBERED.finditer(head)):
        return _exchanges(path)
    if (
        SPOKEN.match(head)
        or len(SPOKEN.findall(head)) > 2
        or HEADING.search(head)
        or (TABBED.match(first) and TABBED.match(rest.lstrip()))
    ):
        return _spoken(path)
    if NAMED.match(first) and any(map(NAMED.match, rest.splitlines()[:2])):
        return _turns(path, NAMED)
    return None


def _texts(parts: Iterable[str]) -> Rows:
    """Yield each part that isn't empty as a dialogue."""
    for number, part in enumerate(parts, start=1):
        if part.strip():
            yield number, {"text": part.strip()}


def _exchanges(path: Path) -> Rows:
    """Yield the dialogues of lines that are numbered within each; personas are the second speaker's."""
    messages: list[Row] = []
    begins = 1
    with opened(path) as text:
        for place, line in enumerate(lines_of(text), start=1):
            found = NUMBERED.match(line)
            if found is None:
                continue
            if found["number"] == "1" and messages:
                yield begins, {"messages": messages}
                messages = []
                begins = place
            texts = {"system": found["asked"]}
            if found["answered"]:
                texts = {"user": found["asked"], "assistant": found["answered"]}
            messages += [{"role": role, "content": text} for role, text in texts.items()]
    yield begins, {"messages": messages}


def _turns(path: Path, pattern: re.Pattern[str]) -> Rows:
    """Yield the turns that begin with a speaker, each with the lines that belong to it; an app's own are left out.

    Between dialogues of `NAMED` turns lines are empty.
    """
    rows: list[tuple[int, Row]] = []
    dialogue = path.stem
    with opened(path) as text:
        for number, line in enumerate(lines_of(text), start=1):
            turn = pattern.match(line)
            if turn:
                values = {"conversation_id": dialogue, "speaker": turn["speaker"], "text": turn["text"].strip()}
                rows.append((number, values))
            elif pattern is NAMED and line.isspace():
                dialogue = f"{path.stem}-{number}"
            elif rows:
                rows[-1][1]["text"] += f"\n{line.strip()}"
    for number, row in rows:
        if row["speaker"] and not OF_THE_APP.match(row["text"]):
            yield number, row


def _spoken(path: Path) -> Rows:
    """Return the dialogues, between which lines are empty; the whole text where most of its parts are no dialogue."""
    text = TABBED.sub(r"\1: \2", OF_ALL.sub("", whole_text(path)))
    heading = HEADING.search(text)
    if heading:
        text = HEADING.sub(r"\1:", text[heading.start() :])
    parts = [part for part in BETWEEN_DIALOGUES.split(text) if part.strip()]
    dialogues = [part for part in parts if len(SPOKEN.findall(part)) > 1]
    if 2 * len(dialogues) <= len(parts):
        parts = [text]
    return _texts(parts)
