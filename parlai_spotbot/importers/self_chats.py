"""Self-chats as `parlai self_chat` writes them, and as ParlAI's acute_eval task ships them: one file a model.

Both speakers of a file are one bot in two seats, whatever their ids (NAME_1 and NAME_2); the files of different models
often name them alike, so a contestant is named after its file, as there: MODEL.TASK.jsonl.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import named_file
from parlai_spotbot.importers.conversations import plan_of
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import HUMAN, Conversation, Turn

SURVEY = "acute_eval"
CONTEXT = "context"
"""The id under which ParlAI's worlds tell a bot its persona."""


def self_chats(data: Sequence[str], domain: str, segments: Sequence[int] | None = None) -> ImportedStudy:
    """A study of self-chats.

    Parameters
    ----------
    data : sequence of str
        ``FILE`` or ``NAME=FILE``; without a name the contestant is called as the file, up to the first dot. The name
        "human" is for conversations between people.

    Raises
    ------
    UserError
        Names file, line and field.
    """
    found: list[Conversation] = []
    sums: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, path, _ in map(named_file, data):
        if name in names:
            raise UserError(f"--data: {names[name]} and {path} are both of '{name}'.", "Write NAME=FILE for each.")
        names[name] = str(path)
        found += _read(name, path, domain)
        sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    found.sort(key=lambda c: (c.is_human[0], c.pair, c.number))
    about = {
        "format": "self_chats",
        "source": sorted(sums),
        "sha256": sums,
        "conversations": len(found),
        "options": {"domain": domain, "contestants": sorted(names), "segments": segments and list(segments)},
        "notes": [f"{name}: both speakers of {Path(path).name}" for name, path in names.items()],
    }
    return ImportedStudy(replace(plan_of(found, domain, segments), surveys=(SURVEY,)), found, SURVEY, (), (), about)


def _read(name: str, path: Path, domain: str) -> list[Conversation]:
    rows = files.read_jsonl(path, lambda row, where: (row, where), "file of self-chats", "Name a JSON Lines file.")
    if not rows:
        raise UserError(f"{path}: is empty.", "Name a file with a conversation a line.")
    return [_conversation(name, number, row, where, domain) for number, (row, where) in enumerate(rows)]


def _conversation(name: str, number: int, row: dict, where: str, domain: str) -> Conversation:
    said: list[tuple[str, str]] = []
    told = [_text(act, f"{where}: field 'context'") for act in files.field(row, "context", list, where, [])]
    for exchange, acts in enumerate(files.field(row, "dialog", list, where)):
        place = f"{where}: field 'dialog', exchange {exchange}"
        if not isinstance(acts, list) or not all(isinstance(act, dict) for act in acts):
            raise UserError(f"{place}: expected a list of turns.", "Correct it.")
        for act in acts:
            speaker = files.field(act, "id", str, place)
            if speaker == CONTEXT:
                told.append(_text(act, place))
            else:
                said.append((speaker, _text(act, place)))
    _check_speakers(name, [speaker for speaker, _ in said], where)
    pair = (name, name)
    return Conversation(
        conversation_id=f"{name}:{name}:{number:04d}",
        domain=domain,
        pair=pair,
        number=number,
        entities=pair,
        turns=tuple(Turn(name, text) for _, text in said),
        seed_exchanges=0,
        context=((*told, "", "")[0], (*told, "", "")[1]),
    )


def _text(act: object, where: str) -> str:
    if not isinstance(act, dict):
        raise UserError(f"{where}: {act!r}, expected an object with 'text'.", "Correct it.")
    return files.field(act, "text", str, where)


def _check_speakers(name: str, speakers: list[str], where: str) -> None:
    """Two seats that take turns, of one bot by their ids; ids that tell nothing (all the same) are taken."""
    if len(speakers) < 2:
        raise UserError(f"{where}: field 'dialog' holds {len(speakers)} turns, expected two or more.", "Remove it.")
    if len(set(speakers)) == 1:
        return
    wrong = next((i for i, speaker in enumerate(speakers) if speaker != speakers[i % 2]), None)
    if wrong is not None:
        raise UserError(
            f"{where}: field 'dialog', turn {wrong} is by '{speakers[wrong]}', expected '{speakers[wrong % 2]}'.",
            "Two speakers take turns.",
        )
    stems = {re.sub(r"_[12]$", "", speaker) for speaker in speakers[:2]}
    if len(stems) > 1 and name != HUMAN:
        raise UserError(
            f"{where}: field 'dialog' is of '{speakers[0]}' with '{speakers[1]}', which is no bot with itself.",
            "Bring conversations of two bots in with --format conversations.",
        )


FORMAT = study_format(lambda request: self_chats(request.paths, request["domain"] or "imported", request.segments))
