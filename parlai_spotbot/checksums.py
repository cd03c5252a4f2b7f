"""Checksums of a study's files: ``manifest.json`` holds length and SHA-256 of each.

Lengths are compared when a study is opened, contents when they are read.

A file is recorded just before it is replaced, with the record of the earlier version (`before`): after a kill in
between it matches one of the two. An append-only file (`RecordedJournal`) may be longer than recorded (`grows`) if the
recorded part is unchanged, until it is closed. A file that a command would read and that none wrote (`RECORDED`) is an
error, too. Files outside a study have no checksums.
"""

import contextlib
import copy
import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import bytes_of
from parlai_spotbot.reading import regular

MANIFEST = "manifest.json"
PLAN = "study.yaml"
PROVENANCE = "provenance.json"
LOCK = ".manifest.lock"
PUT_BACK = "Remove it, and put a copy back."
MARK = "manifest"
VERSION = 1
"""What provenance.json says of a study that has a manifest."""
MARKS = {PLAN: MANIFEST, PROVENANCE: f'"{MARK}": {VERSION}'}
"""Texts in files of a study that has a manifest."""
DERIVED = re.compile(r"(?:surveys/[^/]+/|nuc/)?analysis/")
"""Results, which may be damaged without anything being lost: they are looked at when they are read."""

RECORDED = (
    PLAN,
    "history.jsonl",
    PROVENANCE,
    "conversations.jsonl",
    "failures.jsonl",
    "domain/*",
    "surveys/*/*.json*",
    "surveys/*/*.yaml",
    "surveys/*/judges/**/*.json*",
    "surveys/*/analysis/**/*.json",
    "analysis/**/*.json",
    "nuc/questions.jsonl",
    "nuc/*/*.json*",
)
"""Files that commands read wherever they come from; others are recorded when they are written."""

Manifest = dict[str, dict[str, Any]]

_manifests = files.Unchanged()
_digests = files.Unchanged()
"""SHA-256 of files that were read."""


def study_of(path: Path) -> Path | None:
    """Return the folder of the study that `path` belongs to; None where there is none."""
    path = path.absolute()
    if path.name == PLAN:
        return path.parent
    return next((folder for folder in path.parents if (folder / PLAN).exists()), None)


def read_manifest(folder: Path) -> Manifest | None:
    """Return the records by path in the study; None for a study that has no manifest yet."""
    return copy.deepcopy(_manifests.read_once(folder / MANIFEST, lambda: _manifest(folder)))


def _manifest(folder: Path) -> Manifest | None:
    path = folder / MANIFEST
    check = hints.command("check", folder, new_manifest=True)
    remedy = hints.Remedy("Put a copy back, or record the files as they are: ", check)
    if (data := bytes_of(path, remedy=remedy)) is None:
        if not any(mark.encode() in (bytes_of(folder / name) or b"") for name, mark in MARKS.items()):
            return None
        raise UserError(f"{path}: missing, but {' or '.join(MARKS)} says that the study has one.", remedy)
    manifest = files.json_of(data, path, "manifest", remedy)
    if isinstance(manifest, dict) and all(map(_is_record, manifest.values())):
        return manifest
    raise UserError(f"{path}: not a manifest: expected 'bytes' and 'sha256' of each file.", remedy)


def _is_record(row: Any) -> bool:
    has_fields = isinstance(row, dict) and {"bytes", "sha256"} <= row.keys() and isinstance(row["bytes"], int)
    return has_fields and (row.get("before") is None or _is_record(row["before"]))


def names_of(folder: Path, manifest: Manifest | None) -> list[str]:
    """Return the files of a study, by their paths in it: those of its manifest, and what there is of `RECORDED`."""
    paths = (path for pattern in RECORDED for path in folder.glob(pattern))  # what begins with . isn't finished
    there = {path.relative_to(folder).as_posix() for path in paths if path.name[0] != "." and not path.is_dir()}
    return sorted(there.union(manifest or ()))


def new_manifest(folder: Path, manifest: Manifest | None = None) -> Manifest:
    """Record the files of a study as they are."""
    records = {name: file_record(folder / name) for name in names_of(folder, manifest)}
    return {name: record for name, record in records.items() if record is not None}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest of a study."""
    files.write_json(folder / MANIFEST, manifest)


def check_files(study: Path, below: tuple[str, ...] = (), remedy: str = "") -> None:
    """`verify` the files of a study that are gone, are there unasked or have another length: all but results, or those
    that are `below` a folder of it ("analysis/")."""
    manifest = read_manifest(study) or {}
    for name in names_of(study, manifest):
        included = name.startswith(below) if below else not DERIVED.match(name)
        if included and not _has_length(study / name, manifest.get(name)):
            verify(study / name, remedy=remedy)


def _has_length(path: Path, record: dict | None) -> bool:
    if record is None or not path.is_file():
        return False
    longer = path.stat().st_size - record["bytes"]
    return longer == 0 or (longer > 0 and record.get("grows", False))


def verify(path: Path, read: dict | None = None, remedy: str = "") -> None:
    """Raise `UserError` where `path` is not as recorded; `read` is the record of its bytes if they were read."""
    folder = study_of(path)
    if folder is None:
        return
    name = path.absolute().relative_to(folder).as_posix()
    for turn in range(2):  # another command may have replaced the file since it was read
        manifest = read_manifest(folder)
        record = (manifest or {}).get(name)
        state = files.state_of(path)
        if read is None or turn:
            read = file_record(path)
        if _agrees(record, path, read) or (record and "before" in record and _agrees(record["before"], path, read)):
            if state is not None and record and read and state.length == read["bytes"] == record["bytes"]:
                _digests[path] = state, record["sha256"]
            return
        if record is None and (manifest is None or name not in names_of(folder, manifest)):
            return
    if record is None:
        what = "no command has written it"
    elif read is None:
        what = "it is gone"
    elif read["bytes"] == record["bytes"]:
        what = "its SHA-256 is another one"
    else:
        what = f"{read['bytes']:,} bytes, {record['bytes']:,} were written"
    raise UserError(
        f"{path}: changed since it was written: {what} ({MANIFEST}).",
        hints.Remedy(
            remedy or ("Put a copy of the file back." if record else "Remove it."),
            " Or, where you changed it yourself: ",
            hints.command("check", folder, new_manifest=True),
        ),
    )


def record_of(data: bytes) -> dict[str, Any]:
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def file_record(path: Path, most: int = sys.maxsize) -> dict[str, Any] | None:
    """Return the record of a file, or of its first `most` bytes, which it reads in pieces; None where there is none."""
    digest = hashlib.sha256()
    left = most
    with (
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
        files.reading_errors(path, PUT_BACK),
        regular(path, remedy=PUT_BACK).open("rb") as file,
    ):
        while piece := file.read(min(left, files.PIECE)):
            digest.update(piece)
            left -= len(piece)
        return {"bytes": most - left, "sha256": digest.hexdigest()}
    return None


def sha256(path: Path) -> str:
    """`files.sha256`, known without reading where a file was read as recorded and is the same since."""
    return _digests.read_once(path, lambda: files.sha256(path))


def _agrees(record: dict | None, path: Path, read: dict | None) -> bool:
    """Return whether a file, of which `read` is the record, is as recorded; one that grows, as far as it was then."""
    if record is None or read is None:
        return record is read
    if record.get("grows") and read["bytes"] > record["bytes"]:
        read = file_record(path, record["bytes"])
    return read == {"bytes": record["bytes"], "sha256": record["sha256"]}


@contextlib.contextmanager
def _held(path: Path) -> Iterator[tuple[Path, str, Manifest]]:
    """Hold the manifest of the study of `path`: its folder, the file's name in it and the records."""
    folder = study_of(path)
    folder.mkdir(parents=True, exist_ok=True)
    with files.acquired(folder / LOCK):
        manifest = None
        if (folder / PLAN).exists():
            manifest = read_manifest(folder)
        if manifest is None:
            manifest = new_manifest(folder)
            if (folder / PLAN).exists():
                write_manifest(folder, manifest)
                print(f"{folder}: had no {MANIFEST}; one is written from the files as they are", file=sys.stderr)
        for name in [name for name, record in manifest.items() if "before" in record]:
            _settle(manifest, name, folder / name)
        yield folder, path.absolute().relative_to(folder).as_posix(), manifest


def _settle(manifest: Manifest, name: str, path: Path) -> None:
    """Keep of a record and what it replaces the one that the file at `path` matches."""
    before = manifest[name]["before"]
    read = file_record(path)
    if _agrees(manifest[name], path, read):
        del manifest[name]["before"]
    elif _agrees(before, path, read):
        manifest |= {name: before} if before else {}
        if not before:
            del manifest[name]


# -- reading and writing -----------------------------------------------------------------------------------------------
def read_jsonl(path: Path, *args: Any, **more: Any) -> list:
    """`files.read_jsonl` of a file as recorded."""
    return files.read_jsonl(path, *args, **more, check=verify)


def count_rows(path: Path, parse: Callable[[dict, str], Any], torn_tail: bool, **more: Any) -> int:
    """Return the number of rows of a file as recorded, each of which `parse` can read; none of them is kept."""
    return sum(1 for _ in files.jsonl_rows(path, parse, torn_tail=torn_tail, check=verify, **more))


def read_journal(path: Path, parse: Callable[[dict, str], Any]) -> list:
    """Return the rows of a journal; [] where it has not begun. One that is gone is a `UserError`."""
    if path.exists():
        return read_jsonl(path, parse, torn_tail=True)
    verify(path)
    return []


def read_json(path: Path, what: str = "file", remedy: str = "") -> Any:
    """`files.read_json` of a file as recorded."""
    if (data := bytes_of(path, what, remedy)) is None:
        raise UserError(f"{path}: no such {what}.", remedy)
    verify(path, record_of(data), remedy)
    return files.json_of(data, path, what, remedy)


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """`files.write_jsonl`, recorded."""
    write_text(path, files.jsonl(rows))


def write_json(path: Path, value: Any) -> None:
    """`files.write_json`, recorded."""
    replace_all({path: files.json_bytes(value)})


def write_text(path: Path, text: str) -> None:
    """`files.write_text`, recorded."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """`files.write_bytes`, recorded; a file that holds these bytes already is left alone."""
    replace_all({path: data})


def remove(path: Path) -> None:
    """Remove a file, if it is there, and its record."""
    replace_all({path: None})


def replace_all(changes: Mapping[Path, bytes | None]) -> None:
    """Write files of one folder, or remove those with None, and record them together.

    Before anything is replaced the manifest has both versions of each file, in the end the new ones alone.
    """
    if not changes:
        return
    if study_of(next(iter(changes))) is None:
        for path, data in changes.items():
            _put(path, data)
        return
    with _held(next(iter(changes))) as (folder, _, manifest):
        both = dict(manifest)
        after = dict(manifest)
        changed = {}
        for path, data in changes.items():
            name = path.absolute().relative_to(folder).as_posix()
            before = file_record(path)
            record = None
            if data is not None:
                record = record_of(data)
            if before == record == manifest.get(name):
                continue
            changed[path] = data
            if record:
                both[name] = {**record, "before": before}
                after[name] = record
            else:
                both[name] = {**(before or manifest[name]), "before": None}
                after.pop(name, None)
        if changed:
            write_manifest(folder, both)
            for path, data in changed.items():
                _put(path, data)
            write_manifest(folder, after)


def _put(path: Path, data: bytes | None) -> None:
    if data is not None:
        files.write_bytes(path, data)
        return
    with files.disk_errors(path):
        path.unlink(missing_ok=True)


def forget_gone(path: Path) -> None:
    """Take a file, or all files of a folder, that are gone out of the manifest."""
    if study_of(path) is not None:
        with _held(path) as (folder, name, manifest):
            gone = {key for key in manifest if f"{key}/".startswith(f"{name}/") and not (folder / key).exists()}
            if gone:
                write_manifest(folder, {key: row for key, row in manifest.items() if key not in gone})


class RecordedJournal(files.Journal):
    """`files.Journal` of a file as recorded, which is recorded again when it is closed."""

    def __init__(self, path: Path):
        verify(path)
        super().__init__(path)
        self._note({"grows": True})

    def _note(self, grows: dict) -> None:
        if study_of(self.path) is not None:
            with _held(self.path) as (folder, name, manifest):
                record = {**(file_record(self.path) or record_of(b"")), **grows}
                if manifest.get(name) != record:
                    write_manifest(folder, {**manifest, name: record})

    def close(self) -> None:
        super().close()
        self._note({})
