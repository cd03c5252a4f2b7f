"""Conversations of people out of the user's own files: ParlAI's Conversations format, or simple JSON Lines.

A simple line is ``{"turns": ["…", "…"], "context": ["…", "…"], "people": ["…", "…"], "split": "train", "id": "…"}``;
all but `turns` may be left out. Everything is checked before any work starts.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.domains.folding import SPLITS
from parlai_spotbot.domains.parlai_tasks import FOLDS, PARTNERS, YOURS, Episode
from parlai_spotbot.errors import UserError, nearest

KEYS = ("turns", "context", "people", "split", "id")

EXAMPLE = 'A line is for example {"turns": ["hello", "hi there"], "context": ["I like tea.", ""]}.'


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
    places: dict[str, str] = {}
    unwanted = 0

    def add(row: dict, where: str) -> None:
        nonlocal unwanted
        if wanted is not None and not wanted(row):
            unwanted += 1
            return
        parsed = _row(row, f"{name}:{split + ':' if split else ''}{len(rows) + unwanted:06d}", where, split)
        identity = parsed.episode.episode_id
        if identity in places:
            raise UserError(f"{where}: field 'id' is '{identity}', as in {places[identity]}.", "Give each its own.")
        places[identity] = where
        rows.append(parsed)

    files.read_jsonl(path, add, "file of conversations", EXAMPLE)
    if not rows and not unwanted:
        raise UserError(f"{path}: holds no conversation.", EXAMPLE)
    return rows


def _row(row: dict, identity: str, where: str, split: str) -> ConversationRow:
    _check_keys(row, where)
    if "dialog" in row:
        turns, speakers = _dialog(row, where)
        context = _contexts_of_speakers(row, speakers, where)
        given_id = row.get("conversation_id", row.get("id"))
    else:
        turns = [
            _text(t, f"{where}: field 'turns', turn {i}") for i, t in enumerate(files.field(row, "turns", list, where))
        ]
        context = _contexts(row, where)
        given_id = row.get("id")
    if len(turns) < 2:
        raise UserError(f"{where}: field 'turns': {len(turns)} turn, expected an exchange or more.", "Remove the line.")
    if given_id is not None and (not isinstance(given_id, str) or not given_id):
        raise UserError(f"{where}: field 'id' is {given_id!r}, expected text.", "Correct it, or leave it out.")
    field = files.field(row, "split", str, where, split)
    if split and field != split:
        raise UserError(f"{where}: field 'split' is '{field}', but the file is named for '{split}'.", "Correct one.")
    if field and field not in (*SPLITS, *FOLDS):
        raise UserError(f"{where}: field 'split' is '{field}'.", nearest(field, (*SPLITS, *FOLDS)))
    return ConversationRow(Episode(given_id or identity, tuple(turns), context, _people(row, where)), field, where)


def _check_keys(row: dict, where: str) -> None:
    """Other keys are the user's own affair, unless one looks like a slip of the pen."""
    if "dialog" in row:
        return
    for key in row:
        close = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.75)
        if key not in KEYS and close and close[0] not in row:
            raise UserError(f"{where}: unknown key '{key}'.", f"Did you mean '{close[0]}'? {EXAMPLE}")


def _text(value: object, where: str) -> str:
    """A turn in one line: agents would take a second line for a context, or for another turn."""
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where} is {value!r}, expected text.", "Correct it, or remove the line.")
    return " ".join(value.split())


def _dialog(row: dict, where: str) -> tuple[list[str], tuple[str, str]]:
    """The turns of a line in ParlAI's Conversations format, and who speaks first and second."""
    acts = []
    for number, exchange in enumerate(files.field(row, "dialog", list, where)):
        if not isinstance(exchange, list) or not all(isinstance(act, dict) for act in exchange):
            raise UserError(f"{where}: field 'dialog', exchange {number}: expected a list of turns.", "Correct it.")
        acts += exchange
    ids = [files.field(act, "id", str, f"{where}: field 'dialog', turn {i}") for i, act in enumerate(acts)]
    entities = row.get("entities")
    if isinstance(entities, list) and len(entities) == 2:
        speakers = (str(entities[0]), str(entities[1]))  # two people may bear one name there
    else:
        speakers = (ids[0], ids[1]) if len(ids) > 1 else ("", "")
    for i, speaker in enumerate(ids if len(ids) > 1 else ()):
        if speaker != speakers[i % 2] or (speakers[0] == speakers[1] and speakers[0] != "human"):
            raise UserError(
                f"{where}: field 'dialog', turn {i} is by '{speaker}', expected two speakers who take turns.",
                "Join turns of one speaker in a row, or remove the line.",
            )
    texts = [_text(act.get("text"), f"{where}: field 'dialog', turn {i}, field 'text'") for i, act in enumerate(acts)]
    return texts, speakers


def _contexts_of_speakers(row: dict, speakers: tuple[str, str], where: str) -> tuple[str, str]:
    contexts = ["", ""]
    for number, act in enumerate(files.field(row, "context", list, where, [])):
        place = f"{where}: field 'context', entry {number}"
        if not isinstance(act, dict):
            raise UserError(f"{place}: expected an id and a text.", 'Write {"id": SPEAKER, "text": "…"}.')
        who = files.field(act, "id", str, place)
        if who not in speakers:
            raise UserError(f"{place}: '{who}' does not speak.", f"Name one of the speakers: {', '.join(speakers)}.")
        seat = speakers.index(who)
        seat = 1 if contexts[seat] and speakers[0] == speakers[1] else seat
        contexts[seat] = "\n".join(filter(None, (contexts[seat], persona(files.field(act, "text", str, place)))))
    return (contexts[0], contexts[1])


def _contexts(row: dict, where: str) -> tuple[str, str]:
    value = files.field(row, "context", list, where, ["", ""])
    lines = [part if isinstance(part, list) else [part] for part in value]
    if len(lines) != 2 or not all(isinstance(line, str) for part in lines for line in part):
        raise UserError(
            f"{where}: field 'context' is {value!r}, expected the contexts of the first and the second speaker.",
            'Write two texts (or lists of lines), "" for nothing: ["I like tea.", ""].',
        )
    return (persona("\n".join(lines[0])), persona("\n".join(lines[1])))


def persona(text: str) -> str:
    """Return `text` as ParlAI's models read a persona: each line begins with "your persona: ".

    Without that, a line before the first turn would be taken for a turn.
    """
    lines = [" ".join(line.split()) for line in text.splitlines()]
    marked = tuple(mark.strip() for mark in (YOURS, PARTNERS))
    return "\n".join(line if line.startswith(marked) else YOURS + line for line in lines if line)


def _people(row: dict, where: str) -> tuple[str, str]:
    value = files.field(row, "people", list, where, ["", ""])
    if "people" in row and (
        len(value) != 2 or not all(isinstance(p, str) and p for p in value) or value[0] == value[1]
    ):
        raise UserError(f"{where}: field 'people' is {value!r}, expected two people.", "Correct it, or leave it out.")
    return (value[0], value[1])
