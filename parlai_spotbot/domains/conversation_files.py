"""Conversations of people out of the user's own files: ParlAI's Conversations format, or simple JSON Lines.

A simple line is ``{"turns": ["…", "…"], "context": ["…", "…"], "people": ["…", "…"], "split": "train", "id": "…"}``;
all but `turns` may be left out. Everything is checked before any work starts.
"""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Required

from pydantic import AfterValidator, BeforeValidator, Field
from typing_extensions import TypedDict

from parlai_spotbot import files
from parlai_spotbot.domains.parlai_tasks import PARTNERS, YOURS, Episode
from parlai_spotbot.errors import UserError
from parlai_spotbot.user_files import validated

KEYS = ("turns", "context", "people", "split", "id")

EXAMPLE = 'A line is for example {"turns": ["hello", "hi there"], "context": ["I like tea.", ""]}.'
REMEDY = "Correct it, or remove the line."
OF_LOGS = ("messages", "conversations", "conversation")
LOGS = (
    "A domain's conversations are of people. Those of users with a bot make a study: spotbot_import --format messages. "
    "Where both are people, write 'turns'."
)


def _one_line(text: str) -> str:
    """A turn in one line: agents would take a second line for a context, or for another turn."""
    if not text.strip():
        raise ValueError(f"expected text, found {text!r}")
    return " ".join(text.split())


def _joined(value: Any) -> Any:
    is_lines = isinstance(value, list) and all(isinstance(line, str) for line in value)
    if is_lines:
        return "\n".join(value)
    return value


Turn = Annotated[str, AfterValidator(_one_line)]
Name = Annotated[str, Field(min_length=1)]
Context = Annotated[str, BeforeValidator(_joined)]
Split = Literal["", "train", "valid", "test", "bots", "judges", "humans", "seeds"]


class Line(TypedDict, total=False):
    """A simple line; further keys are the user's own."""

    __pydantic_config__ = {"extra": "ignore"}
    turns: Required[tuple[Turn, ...]]
    context: tuple[Context, Context]
    people: tuple[Name, Name]
    split: Split
    id: Name | None


class Said(TypedDict):
    """A line of a speaker's persona."""

    __pydantic_config__ = {"extra": "ignore"}
    id: str
    text: str


class Act(TypedDict):
    """A turn."""

    __pydantic_config__ = {"extra": "ignore"}
    id: str
    text: Turn


class DialogLine(TypedDict, total=False):
    """A line in ParlAI's Conversations format."""

    __pydantic_config__ = {"extra": "ignore"}
    dialog: Required[tuple[tuple[Act, ...], ...]]
    context: tuple[Said, ...]
    people: tuple[Name, Name]
    split: Split
    id: Name | None
    conversation_id: Name | None
    entities: tuple[str, str] | None


@dataclass(frozen=True)
class ConversationRow:
    """One conversation of a file, with its split ("" where none is given) and where it stood."""

    episode: Episode
    split: str
    where: str


def read_rows(
    path: Path, name: str, split: str = "", wanted: Callable[[dict], bool] | None = None
) -> list[ConversationRow]:
    """All conversations of a file of domain `name`, or of one `split` of it; of others than `wanted` only lines count.

    Raises `UserError` naming file, line and field: not JSON, one turn only, an empty turn, a third speaker, …
    """
    rows: list[ConversationRow] = []
    unwanted = 0
    stem = name
    if split:
        stem = f"{name}:{split}"

    def add(row: dict, where: str) -> None:
        nonlocal unwanted
        if wanted is not None and not wanted(row):
            unwanted += 1
        else:
            rows.append(_row(row, f"{stem}:{len(rows) + unwanted:06d}", where, split))

    files.read_jsonl(path, add, "file of conversations", EXAMPLE)
    if not rows and not unwanted:
        raise UserError(f"{path}: holds no conversation.", EXAMPLE)
    check_ids(rows)
    return rows


def check_ids(rows: Iterable[ConversationRow]) -> None:
    """Raise `UserError` where two conversations have one id."""
    places: dict[str, str] = {}
    for row in rows:
        identity = row.episode.episode_id
        if identity in places:
            raise UserError(f"{row.where}: field 'id' is '{identity}', as in {places[identity]}.", "Give each its own.")
        places[identity] = row.where


def _row(row: dict, identity: str, where: str, split: str) -> ConversationRow:
    if "dialog" in row:
        line = validated(DialogLine, row, where, REMEDY)
        turns = tuple(act["text"] for exchange in line["dialog"] for act in exchange)
        context = _contexts(line, where)
    else:
        _check_keys(row, where)
        line = validated(Line, row, where, REMEDY)
        first, second = line.get("context", ("", ""))
        turns = line["turns"]
        context = (persona(first), persona(second))
    if len(turns) < 2:
        raise UserError(f"{where}: field 'turns': {len(turns)} turn, expected an exchange or more.", "Remove the line.")
    in_line = line.get("split", split)
    people = line.get("people", ("", ""))
    if split and in_line != split:
        raise UserError(f"{where}: field 'split' is '{in_line}', but the file is named for '{split}'.", "Correct one.")
    if people[0] and people[0] == people[1]:
        raise UserError(f"{where}: field 'people' names '{people[0]}' twice, expected two people.", REMEDY)
    given_id = line.get("conversation_id") or line.get("id") or identity
    return ConversationRow(Episode(given_id, turns, context, people), in_line, where)


def _check_keys(row: dict, where: str) -> None:
    """Other keys are the user's own affair, unless one looks like a slip of the pen, or the line is a log's."""
    log = [key for key in OF_LOGS if key in row]
    if log and "turns" not in row:
        raise UserError(f"{where}: holds '{log[0]}', no 'turns'.", f"{LOGS} {EXAMPLE}")
    for key in (key for key in row if key not in KEYS):
        close = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.75)
        if close and close[0] not in row:
            raise UserError(f"{where}: unknown key '{key}'.", f"Did you mean '{close[0]}'? {EXAMPLE}")


def _contexts(line: DialogLine, where: str) -> tuple[str, str]:
    """The personas of the first and the second speaker, who must take turns."""
    ids = [act["id"] for exchange in line["dialog"] for act in exchange]
    # Two people may bear one name there.
    speakers = line.get("entities") or tuple([*ids, "", ""][:2])
    for i, speaker in enumerate(ids):
        if speaker != speakers[i % 2] or (speakers[0] == speakers[1] and speakers[0] != "human"):
            raise UserError(
                f"{where}: field 'dialog', turn {i} is by '{speaker}', expected two speakers who take turns.",
                "Join turns of one speaker in a row, or remove the line.",
            )
    contexts = ["", ""]
    for number, context_text in enumerate(line.get("context", ())):
        if context_text["id"] not in speakers:
            raise UserError(
                f"{where}: field 'context', entry {number}: '{context_text['id']}' does not speak.",
                f"Name one of the speakers: {', '.join(speakers)}.",
            )
        seat = speakers.index(context_text["id"])
        if contexts[seat] and speakers[0] == speakers[1]:
            seat = 1
        contexts[seat] = "\n".join(filter(None, (contexts[seat], persona(context_text["text"]))))
    return (contexts[0], contexts[1])


def persona(text: str) -> str:
    """Return `text` as ParlAI's models read a persona: each line begins with "your persona: ".

    Without that, a line before the first turn would be taken for a turn.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    marked = tuple(mark.strip() for mark in (YOURS, PARTNERS))
    for number, line in enumerate(lines):
        if line and not line.startswith(marked):
            lines[number] = YOURS + line
    return "\n".join(filter(None, lines))
