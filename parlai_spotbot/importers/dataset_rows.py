"""The rows of a file as objects: CSV, TSV, JSON Lines, one JSON list, Parquet, or a folder of Parquet files.

Parquet needs pyarrow, which isn't installed with this package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, csv_rows, parse_json

REMEDY = "Name a CSV file with a header, JSON Lines, a JSON file that is one list, or Parquet, in UTF-8."
NONE = "-"
"""In place of a column: the field is left out."""
BOM = b"\xef\xbb\xbf"

Rows = Iterator[tuple[int, Any]]


def check_columns(columns: Mapping[str, str], fields: Collection[str], where: object, head: Collection[str]) -> None:
    """Raise `UserError` where --columns names an unknown field, or a column that the file's `head` lacks."""
    for name, theirs in columns.items():
        if name not in fields:
            raise UserError(f"--columns {name}={theirs}: there is no field '{name}'.", nearest(name, fields))
        if theirs not in (NONE, *head):
            raise UserError(f"--columns {name}={theirs}: {where} has no column '{theirs}'.", nearest(theirs, head))


def dataset_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row with its place ("FILE, line 3"); a `UserError` names file and place of what can't be read."""
    paths = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not paths:
        raise UserError(f"{path}: a folder without Parquet files.", REMEDY)
    for file in paths:
        what, read = READERS.get(file.suffix.lower(), ("line", _json_lines))
        try:
            for number, row in read(file):
                if not isinstance(row, dict):
                    raise UserError(f"{file}, {what} {number}: expected a JSON object, found {row!r:.40}.", REMEDY)
                yield f"{file}, {what} {number}", row
        except FileNotFoundError:
            raise UserError(f"{file}: no such file.", REMEDY) from None
        except (OSError, UnicodeDecodeError, Malformed) as err:
            place = f", {what} {line}" if (line := getattr(err, "line", 0)) else ": cannot be read"
            raise UserError(f"{file}{place}: {err}.", REMEDY) from None


def _csv(path: Path) -> Rows:
    rows = csv_rows(path)
    head = [name.strip() for name in next(rows, (0, []))[1]]
    for number, row in rows:
        if len(row) != len(head):
            raise Malformed(f"has {len(row)} fields, the header has {len(head)}", number)
        yield number, dict(zip(head, row, strict=True))


def _json_lines(path: Path) -> Rows:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield number, parse_json(line.removeprefix(BOM) if number == 1 else line)
                except ValueError as err:
                    raise Malformed(f"not valid JSON: {err}", number) from None


def _json_list(path: Path) -> Rows:
    """Yield the entries of one JSON list; a file that begins otherwise is read as JSON Lines."""
    with path.open("rb") as file:
        is_list = file.read(1 << 16).removeprefix(BOM).lstrip()[:1] == b"["
    yield from enumerate(parse_json(path.read_bytes().removeprefix(BOM)), start=1) if is_list else _json_lines(path)


def _parquet(path: Path) -> Rows:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        remedy = "Install it: pip install pyarrow. Or name JSON Lines."
        raise UserError(f"{path}: is read by pyarrow, which is not installed.", remedy) from None
    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1000):
                yield from enumerate(batch.to_pylist(), start=number + 1)
                number += len(batch)
    except pyarrow.ArrowException as err:
        raise Malformed(f"not a valid Parquet file: {err}") from None


READERS = {
    ".csv": ("line", _csv),
    ".tsv": ("line", _csv),
    ".json": ("entry", _json_list),
    ".parquet": ("row", _parquet),
}
"""How a file is read, by the end of its name; all others are JSON Lines."""
