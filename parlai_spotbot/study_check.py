"""Check that a study's files are as recorded and can be read: what is wrong, where, and how to fix it."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import parse_json
from parlai_spotbot.records import Conversation, Judgement, Unit
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted


@dataclass(frozen=True)
class CheckedFile:
    """A file, and what is `said` of it. With a `problem` it can't be used as it is; `remedy` is what to do."""

    path: Path
    said: str = ""
    problem: str = ""
    remedy: str = ""


def checked(path: Path, read: Callable[[], Any]) -> CheckedFile:
    """Call `read` and return its sentence or error as a `CheckedFile`."""
    try:
        return CheckedFile(path, said=str(read() or ""))
    except UserError as err:
        return CheckedFile(path, problem=err.problem, remedy=err.remedy)
    except Exception as err:  # whatever is in the file
        return CheckedFile(path, problem=f"{path}: cannot be read: {type(err).__name__}.", remedy="Put a copy back.")


def check_study(folder: Path | str) -> Iterator[CheckedFile]:
    """Every file of a study that a command wrote, the plan first; the crowd's own files are another matter."""
    folder = Path(folder)
    plan = folder / checksums.PLAN
    opened = checked(plan, lambda: checksums.verify(plan) if Study.open(folder, verify=False) else None)
    yield opened
    study = Study(folder, None, None)  # its paths, whatever the plan says
    rows: dict[Path, Callable[[dict, str], Any]] = {study.conversations_path: _conversation}
    for survey in folder.glob("surveys/*"):
        rows[study.units_path(survey.name)] = Unit.from_json
        rows[study.judgements_path(survey.name)] = Judgement.from_json
    recorded = checksums.read_manifest(folder)
    if recorded is None:
        yield CheckedFile(folder / checksums.MANIFEST, "missing, so files are checked for their form only")
    for path in (folder / name for name in checksums.names_of(folder, recorded) if name != checksums.PLAN):
        yield checked(path, lambda path=path: _read(path, rows.get(path, _as_it_is)))


def _conversation(row: dict, where: str) -> Conversation:
    """Return a conversation whose turns are by the speakers that their places say."""
    conversation = Conversation.from_json(row, where)
    conversation.check_speakers(where)
    return conversation


def _as_it_is(row: dict, where: str) -> dict:
    return row


def _read(path: Path, parse: Callable[[dict, str], Any]) -> Any:
    """Return how many rows a file has; a `UserError` where it is malformed, as `parse` raises it, or not as recorded.

    Rows are read one by one, so that a study of any size is checked in little memory.
    """
    if path.suffix == ".jsonl":
        is_whole = path.name in ("conversations.jsonl", "units.jsonl")
        if (path.parent / "sequential.json").exists():  # units of a survey that is served until settled are appended
            is_whole = False
        return counted(checksums.count_rows(path, parse, torn_tail=not is_whole), "row")
    checksums.verify(path)
    if path.suffix == ".json":
        return parse_json(path.read_bytes()) and None
    return None


def record_as_they_are(folder: Path) -> list[str]:
    """Make the manifest again from the files as they are; returns the names of those that were changed by hand."""
    recorded = None
    changed = []
    with contextlib.suppress(UserError):  # the manifest itself is gone or damaged
        recorded = checksums.read_manifest(folder)
        names = checksums.names_of(folder, recorded)
        changed = [
            name for name in names if checked(folder / name, lambda n=name: checksums.verify(folder / n)).problem
        ]
    checksums.write_manifest(folder, checksums.new_manifest(folder, recorded))
    study = Study.open(folder)
    if changed:
        before = study.provenance().get("changed_by_hand", {}).get("files", [])
        study.record("changed_by_hand", {"files": sorted({*before, *changed})})
    return changed
