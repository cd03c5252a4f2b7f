"""Self-chats as `parlai self_chat` writes them, and as ParlAI's acute_eval task ships them: one file a model.

Both speakers of a file are one bot in two seats, whatever their ids (NAME_1 and NAME_2); the files of different models
often name them alike, so a contestant is named after its file, as there: MODEL.TASK.jsonl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import named_file
from parlai_spotbot.importers.conversations import ConversationReader, numbered, plan_of
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.imported_study import ImportedStudy

SURVEY = "acute_eval"


def self_chats(data: Sequence[str], domain: str, segments: Sequence[int] | None = None) -> ImportedStudy:
    """Return a study of self-chats.

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
    reader, names = ConversationReader(domain), dict[str, Path]()
    for name, path, _ in map(named_file, data):
        if name in names:
            raise UserError(f"--data: {names[name]} and {path} are both of '{name}'.", "Write NAME=FILE for each.")
        names[name] = path
        reader.read(path, name)
    numbered_conversations = numbered(reader.found)
    about = {
        "format": "self_chats",
        "source": sorted(reader.sha256),
        "sha256": reader.sha256,
        "conversations": len(numbered_conversations),
        "options": {"domain": domain, "contestants": sorted(names), "segments": segments and list(segments)},
        "notes": [f"{name}: both speakers of {path.name}" for name, path in names.items()],
    }
    return ImportedStudy(
        replace(plan_of(numbered_conversations, domain, segments), surveys=(SURVEY,)),
        numbered_conversations,
        SURVEY,
        (),
        (),
        about,
    )


FORMAT = study_format(lambda request: self_chats(request.paths, request["domain"] or "imported", request.segments))
