"""The rows of a data set as objects: JSON Lines, one JSON list, Parquet, or an Arrow folder as Hugging Face saves it.

JSON is read piece by piece. Parquet and Arrow need pyarrow, which isn't installed with this package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, json_value_at, parse_json

REMEDY = "Name a JSON Lines file, a JSON file that is one list, a Parquet file, or a folder of Parquet or Arrow files."
TABLES = {".parquet", ".arrow"}
CACHED = "cache-"
"""How names of files begin that hold rows a second time, as `datasets` works with them."""

BOM = b"\xef\xbb\xbf"

Rows = Iterator[tuple[int, dict[str, Any]]]


def dataset_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row with its place ("FILE, line 3"); what can't be read is a `UserError` that names file and place."""
    paths = [path]
    if path.is_dir():
        paths = sorted(
            file for file in path.rglob("*") if file.suffix.lower() in TABLES and not file.name.startswith(CACHED)
        )
        if not paths:
            raise UserError(f"{path}: a folder without Parquet or Arrow files.", REMEDY)
    for file in paths:
        suffix = file.suffix.lower()
        what = "row" if suffix in TABLES else "entry" if suffix == ".json" else "line"
        read = _table if suffix in TABLES else json_list if suffix == ".json" else json_lines
        try:
            for number, row in read(file, REMEDY):
                yield f"{file}, {what} {number}", row
        except FileNotFoundError:
            raise UserError(f"{file}: no such file.", REMEDY) from None
        except (OSError, UnicodeDecodeError, Malformed) as err:
            raise UserError(f"{file}: cannot be read: {err}.", REMEDY) from None


def json_lines(path: Path, remedy: str) -> Rows:
    """The objects of a JSON Lines file with the numbers of their lines; empty lines are passed over."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = parse_json(line.removeprefix(BOM) if number == 1 else line)
            except ValueError as err:
                raise UserError(f"{path}, line {number}: not valid JSON: {err}.", remedy) from None
            yield number, _object(path, f"line {number}", row, remedy)


def json_list(path: Path, remedy: str) -> Rows:
    """The entries of one JSON list, read piece by piece; a file that begins otherwise is read as JSON Lines."""
    number, rest, end = 0, "", False
    with path.open(encoding="utf-8-sig") as text:
        if (rest := text.read(1 << 16).lstrip())[:1] != "[":
            text.close()
            yield from json_lines(path, remedy)
            return
        rest = rest[1:]
        while not end:
            piece = text.read(1 << 22)
            end, rest = not piece, rest + piece
            place = 0
            while (start := _next(rest, place)) < len(rest) and rest[start] != "]":
                try:
                    row, place = json_value_at(rest, start)
                except ValueError as err:
                    if end or isinstance(err, Malformed):
                        raise UserError(f"{path}, entry {number + 1}: not valid JSON: {err}.", remedy) from None
                    break
                number += 1
                yield number, _object(path, f"entry {number}", row, remedy)
            rest, closed = rest[place:], rest[start : start + 1] == "]"
    if not closed:
        raise UserError(f"{path}: the list ends within an entry.", "Fetch the file again: it is cut off.")


def _next(text: str, place: int) -> int:
    """The place of the next entry: after blanks and a comma."""
    return re.compile(r"[\s,]*").match(text, place).end()


def _object(path: Path, where: str, row: Any, remedy: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise UserError(f"{path}, {where}: expected a JSON object, found {type(row).__name__}.", remedy)
    return row


def _table(path: Path, remedy: str) -> Rows:
    """The rows of a Parquet or Arrow file, a batch at a time, counted from 1."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UserError(
            f"{path}: is read by pyarrow, which is not installed.",
            "Install it: pip install pyarrow. Or name JSON Lines.",
        ) from None
    number = 0
    try:
        for batch in _batches(path, pyarrow):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except pyarrow.ArrowException as err:
        raise UserError(f"{path}: not a valid {path.suffix[1:]} file: {err}.", remedy) from None


def _batches(path: Path, pyarrow: Any) -> Iterator[Any]:
    if path.suffix.lower() == ".parquet":
        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(1000)
        return
    with pyarrow.OSFile(str(path)) as file:
        try:
            yield from pyarrow.ipc.open_stream(file)  # as Hugging Face saves it
            return
        except pyarrow.ArrowInvalid:
            file.seek(0)
        reader = pyarrow.ipc.open_file(file)
        yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
