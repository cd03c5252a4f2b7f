"""Logs of Inspect: the messages of each sample and epoch as a conversation with the model that was evaluated.

Logs as .json are read here; .eval files are packed in a way that only Inspect itself reads for sure, so theirs is the
reader, where it is installed. What scorers said isn't taken: they score answers to tasks, no conversations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.chats import ChatReader, study_of, sums
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.format import ImportRequest, study_format
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.importers.messages import FORM

ATTACHED = "attachment://"
REMEDY = "Name a log of Inspect (.json or .eval), or a folder of logs."


def _logs(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in (".json", ".eval"))
    if not found:
        raise UserError(f"{path}: a folder without logs.", REMEDY)
    return found


def _log(path: Path) -> Any:
    """A log as it stands in JSON; an .eval file is read by inspect_ai."""
    if path.suffix.lower() != ".eval":
        return files.read_json(path, "log", REMEDY)
    if not path.exists():
        raise UserError(f"{path}: no such log.", REMEDY)
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise UserError(
            f"{path}: is read by inspect_ai, which is not installed.",
            "Install it: pip install inspect_ai. Or where it is: inspect log convert --to json --output-dir DIR FILE.",
        ) from None
    try:
        return read_eval_log(str(path)).model_dump(mode="json", exclude_none=True)
    except Exception as err:  # whatever its reader says of a file that is none
        raise UserError(f"{path}: not a valid log: {type(err).__name__}: {err}.", REMEDY) from None


def _whole(value: Any, attachments: dict) -> Any:
    """The value with what Inspect put aside of it back in its place."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        return attachments.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, dict):
        return {key: _whole(inner, attachments) for key, inner in value.items()}
    return [_whole(inner, attachments) for inner in value] if isinstance(value, list) else value


def samples(path: Path) -> Iterator[tuple[str, dict]]:
    """The samples of a log as rows of messages, model and id, with their places."""
    log = _log(path)
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise UserError(f"{path}: field 'eval' is missing, or no object.", REMEDY)
    about = log["eval"]
    model = files.field(about, "model", str, f"{path}: field 'eval'")
    begun = about.get("eval_id") or about.get("run_id") or path.stem
    for number, sample in enumerate(files.field(log, "samples", list, str(path)), start=1):
        where = f"{path}: field 'samples', entry {number}"
        if not isinstance(sample, dict):
            raise UserError(f"{where}: expected an object, found {type(sample).__name__}.", "Write the log anew.")
        attachments = files.field(sample, "attachments", dict, where, {})
        name = sample.get("uuid") or f"{begun}-{sample.get('id', number)}-{sample.get('epoch', 1)}"
        messages = _whole(files.field(sample, "messages", list, where), attachments)
        yield where, {"messages": messages, "model": model, "id": name}


def _read(request: ImportRequest) -> ImportedStudy:
    names = ContestantNames(request.pairs("names"))
    form = replace(FORM, name="inspect_ai")
    reader = ChatReader(form, request["domain"] or "imported", names, {}, request["seed_exchanges"])
    sources: dict[str, str] = {}
    for name, path, given in map(named_file, request.paths):
        for log in _logs(path):
            for where, row in samples(log):
                reader.read(row, where, name, given)
            sources |= sums(log)
    return study_of(reader, request, sources, {})


FORMAT = study_format(_read)
