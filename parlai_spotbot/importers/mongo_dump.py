"""Reading MongoDB's JSON Lines, from a zip file or from a folder, with errors that name file, line and field."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_json, unpacked

WRAPPERS: dict[str, Callable[[Any], Any]] = {"$oid": str, "$numberLong": int, "$numberInt": int, "$numberDouble": float}
"""MongoDB's extended JSON: ``{"$oid": "5e…"}`` is the string, ``{"$numberLong": "7"}`` the number."""


@dataclass(frozen=True)
class DumpFile:
    """One file of a dump: where it lies, its rows with their places, and the sha256 of its bytes."""

    where: str
    rows: tuple[tuple[str, dict], ...]
    sha256: str


def read_dump_files(path: Path | str, names: tuple[str, ...]) -> dict[str, DumpFile]:
    """Read the files `names` (without .json) from a zip file or from a folder; subfolders are looked into.

    Raises
    ------
    UserError
        The path is missing, is neither zip nor folder, lacks a file; or a line is not a JSON object.
    """
    path = Path(path)
    if path.is_dir():
        found = {p.name: p for p in sorted(path.rglob("*.json"))}
        return {name: _parse(str(_pick(found, name, path)), _pick(found, name, path).read_bytes()) for name in names}
    if not path.exists():
        raise UserError(f"{path}: no such file or folder.", "Name the zip file, or the folder it was unpacked to.")
    try:
        with zipfile.ZipFile(path) as archive:
            inside = {entry.rpartition("/")[2]: entry for entry in archive.namelist() if entry.endswith(".json")}
            entries = {name: _pick(inside, name, path) for name in names}
            return {name: _parse(f"{path}, {at}", unpacked(archive, at)) for name, at in entries.items()}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, Malformed) as err:
        raise UserError(
            f"{path}: not a zip file that can be read: {err}.", "Download it again, or name the unpacked folder."
        ) from None


def _pick(found: dict, name: str, path: Path) -> Any:
    if f"{name}.json" not in found:
        listed = f"It holds {', '.join(sorted(found)[:12])}." if found else "There is no .json file in it."
        raise UserError(f"{path}: {name}.json is missing. {listed}", "Name the whole dump, or another --domain.")
    return found[f"{name}.json"]


def _parse(where: str, raw: bytes) -> DumpFile:
    rows = []
    for number, line in enumerate(raw.splitlines(), start=1):
        place = f"{where}, line {number}"
        try:
            row = parse_json(line, _unwrap)
        except (ValueError, TypeError) as err:
            raise UserError(f"{place}: not valid JSON: {err}.", "Download the data again.") from None
        if not isinstance(row, dict):
            raise UserError(f"{place}: expected a JSON object, found {type(row).__name__}.", "Download the data again.")
        rows.append((place, row))
    if not rows:
        raise UserError(f"{where}: is empty.", "Download the data again.")
    return DumpFile(where, tuple(rows), hashlib.sha256(raw).hexdigest())


def _unwrap(value: dict) -> Any:
    if len(value) == 1:
        key, inner = next(iter(value.items()))
        if key in WRAPPERS:
            return WRAPPERS[key](inner)
    return value
