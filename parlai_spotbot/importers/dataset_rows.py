"""The rows of a file as objects: CSV, JSON Lines, one JSON or YAML list, Parquet, or a folder of Parquet files.

Texts may be packed by gzip. Parquet needs pyarrow, which isn't installed with this package.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from typing_extensions import TypeIs

from parlai_spotbot.errors import UserError, nearest, packages_named
from parlai_spotbot.importers.transcripts import Row, transcript_rows
from parlai_spotbot.reading import (
    SEPARATORS,
    JsonTypes,
    Malformed,
    csv_rows,
    lines_of,
    opened,
    parse_json,
    parse_yaml,
    whole_text,
)
from parlai_spotbot.wording import listed

REMEDY = (
    "Name a CSV file with a header, JSON Lines, a JSON file (or YAML, up to 16 MiB) of one list, or Parquet, in UTF-8."
)
NONE = "-"
"""In place of a column: the field is left out."""

NOTHING = {
    "",
    "null",
    "none",
    "nan",
    "nat",
    "n/a",
    "na",
    "<na>",
    "#n/a",
    "\\n",
    "undefined",
    "-",
    "--",
    "?",
    "[deleted]",
    "deleted user",
}
"""How files write that there is no value."""

FILLED_IN = ["Approve", "Reject"]
"""The last columns of MTurk's results, which its rows don't have."""
BY_PLACE = re.compile(r"#\d{1,4}")
"""A column of a table without a heading."""
ROWS_WITHIN = ("instances", "items", "rows", "records", "results", "data")
"""Lists of the rows of a file that one object holds, beside others."""
MOST_UNREAD = 8
"""Columns that aren't read and are named."""
ELSEWHERE = (
    "As THEIRS, #1 is the first column of a table without a heading, and FILE:ID:COLUMN a column of another file, of "
    "its row with the same ID"
)
"""What errors say of columns that can't be called by a heading of the file."""
NO_WORD = re.compile(r"[\W_]+")
LABEL = re.compile(r"[^\s?!。？！]{1,40}(?:[ \t]+[^\s?!。？！]{1,40}){0,4}(?<!\.)")
"""A text that may be a label: few words, and no sentence."""

Dataset = Iterator[tuple[str, Row]]
Rows = Iterator[tuple[int, Any]]
Head = Sequence[str]
"""The columns of a file."""
Names = Mapping[str, str]
"""Names and what they stand for: of columns, answers, contestants."""
Kind = TypeVar("Kind")


def check_columns(columns: Names, fields: Collection[str], where: object, head: Collection[str]) -> None:
    """Raise `UserError` where --columns names an unknown field, or a column that the file's `head` lacks."""
    for name, theirs in columns.items():
        if name not in fields:
            raise UserError(f"--columns {name}={theirs}: there is no field '{name}'.", nearest(name, fields))
        if theirs not in (NONE, *head):
            raise UserError(f"--columns {name}={theirs}: {where} has no column '{theirs}'.", nearest(theirs, head))


def named_columns(
    columns: Names,
    names: Mapping[str, Collection[str]],
    where: object,
    head: Head,
    inner: Collection[str] | None = None,
) -> dict[str, str]:
    """Return our field -> the file's column, for those that the file has.

    `columns` of --columns go first ("-" for none), then those of the `head` that are spelt as one of the field's
    `names`, in their order, then those whose last part is, of `inner` fields (by default all). A column is that of one
    field.
    """
    check_columns(columns, names, where, head)
    results = {name: theirs for name, theirs in columns.items() if theirs != NONE}
    by_spelling = spelt_columns(head) | {name: name for name in head}
    by_part = inner_columns(head)
    for field, usual_names in names.items():
        fits = [by_spelling[name] for name in usual_names if name in by_spelling]
        if inner is None or field in inner:
            fits += [by_part[name] for name in usual_names if name in by_part]
        free = [column for column in fits if column not in results.values()]
        if free and field not in columns:
            results[field] = free[0]
    return {field: results[field] for field in names if field in results}


def spelt_columns(head: Head) -> dict[str, str]:
    """Return spelling -> column, the first of those that are spelt alike."""
    return {spelling(name): name for name in reversed(head)}


def spelt_as(names: Iterable[str], words: Container[str]) -> list[str]:
    """Return those of some names that are spelt as one of the words."""
    return [name for name in names if spelling(name) in words]


def has_part(name: str, words: Collection[str]) -> bool:
    """Return True if a part of a name is one of the words ("overall_score")."""
    return not set(words).isdisjoint(spelling(name).split("_"))


def without(row: Mapping[str, Kind], names: Container[str]) -> dict[str, Kind]:
    """Return a row without some columns."""
    return {name: value for name, value in row.items() if name not in names}


def head_of(rows: Iterable[tuple[str, Row]]) -> list[str]:
    """Return the columns of all rows."""
    return [*dict.fromkeys(name for _, row in rows for name in row)]


def json_within(value: Any) -> Any:
    """Return what a text holds that is a list or an object in JSON; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(Malformed):
            return parse_json(value)
    return value


def inner_columns(head: Head) -> dict[str, str]:
    """Return the spelling of the last part of columns as "Input.model_a" -> column, where no other one is called so."""
    parts = [(spelling(name.rpartition(".")[2]), name) for name in head if "." in name]
    several = Counter(part for part, _ in parts) + Counter(map(spelling, head))
    return {part: name for part, name in parts if several[part] == 1}


@lru_cache(10_000)
def spelling(name: str) -> str:
    """Return a word without differences of spelling: "Tie (bothbad)" and "tie_bothbad" are one; of signs, as it is."""
    name = unicodedata.normalize("NFC", name.strip()).lower()
    return NO_WORD.sub("_", name).strip("_") or name


def plain_text(value: Any) -> str:
    """Return a value as text, "" where it says that there is none: null, NaN, "n/a"."""
    text = str(value).strip()
    if text.lower() in NOTHING:
        return ""
    return text


def unread_note(head: Iterable[str], read: Container[str]) -> str:
    """Return what a summary says of columns of the `head` that aren't `read`, the first of them by name; "" of none."""
    names = [name for name in head if name not in read]
    named = names[:MOST_UNREAD]
    if len(names) > MOST_UNREAD:
        named.append(f"{len(names) - MOST_UNREAD} more")
    if not named:
        return ""
    return f"columns that aren't read (--columns OURS=THEIRS names them): {listed(named)}"


def is_list_of(value: Any, kind: type[Kind]) -> TypeIs[list[Kind]]:
    """Return True for a list whose values are all of a kind."""
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


def flat(row: Row) -> Row:
    """Return a row with the values of objects as columns of their own: ``labels.quality``."""
    if not any(isinstance(value, dict) for value in row.values()):
        return row
    columns: Row = {}
    for name, value in row.items():
        if value == {}:
            columns[name] = None
        elif isinstance(value, dict):
            columns |= {f"{name}.{key}": inner for key, inner in flat(value).items()}
        else:
            columns[name] = value
    return columns


def entries(rows: Sequence[tuple[str, Row]]) -> list[tuple[str, Row]]:
    """Return the rows of a file, those of its only object where that holds objects alike, each under its name, or a
    list of objects that is the only one or called as rows are."""
    if len(rows) != 1:
        return [*rows]
    [(where, row)] = rows
    values = [*row.values()]
    lists = [value for value in values if is_list_of(value, dict) and len(value) > 1]
    if len(lists) > 1:
        lists = [row[name] for name in spelt_as(row, ROWS_WITHIN) if row[name] in lists]
    inner: list[Row] = []
    if len(values) > 1 and is_list_of(values, dict) and len(values[0]) > 1:
        if all(value.keys() == values[0].keys() for value in values):
            inner = [{"entry": name, **value} for name, value in row.items()]
    elif len(lists) == 1:
        inner = lists[0]
    return [(f"{where}, entry {number}", one) for number, one in enumerate(inner, start=1)] or [*rows]


def by_columns(
    rows: Callable[[], Dataset], understand: Callable[[Head], Any], read: Callable[[Any, Head, Dataset], Any]
) -> Any:
    """Return ``read(understand(head), head, rows)``, the head being the columns of all rows.

    Most files have them in the first row; others are read again, once for their columns alone.
    """
    _, first = next(rows(), ("", {}))
    with suppress(UserError):
        head = tuple(first)
        return read(understand(head), head, _alike(rows(), first))
    head = tuple(head_of(rows()))
    return read(understand(head), head, rows())


def _alike(rows: Dataset, head: Mapping[str, Any]) -> Dataset:
    for where, row in rows:
        if not row.keys() <= head.keys():
            raise UserError(f"{where}: a column that comes later.")
        yield where, row


def dataset_rows(path: Path, columns: Names = MappingProxyType({})) -> Dataset:
    """Return each row with its place ("FILE, line 3"); a `UserError` names file and place of what can't be read.

    Some of `columns` of --columns say more than a name: "#2" is the second of a table without a heading, "FILE:ID:NAME"
    one of another file, of its row with the same value of ID.
    """
    rows = _placed_rows(path, any(map(BY_PLACE.fullmatch, columns.values())))
    for name, (file, key, column) in joined_columns(columns).items():
        rows = _with_column(rows, name, Path(file), key, column)
    return rows


def joined_columns(columns: Names) -> dict[str, list[str]]:
    """Return file, id and name of those of --columns that are of another file."""
    parts = {name: name.rsplit(":", 2) for name in columns.values()}
    return {name: part for name, part in parts.items() if len(part) == 3 and Path(part[0]).is_file()}


def _with_column(rows: Dataset, name: str, file: Path, key: str, column: str) -> Dataset:
    """Yield rows with a column of another file as the column `name`, of its row whose `key` is the same."""
    others = [(where, flat(other)) for where, other in dataset_rows(file)]
    check_columns({"id": key, "column": column}, ("id", "column"), file, head_of(others))
    values = {plain_text(other.get(key)): other.get(column) for _, other in others}
    if len(values) < len(others):
        raise UserError(f"--columns …={name}: rows of {file} share a '{key}'.", "Name a column that tells them apart.")
    for where, row in rows:
        yield where, {**row, name: values.get(plain_text(at(row, key)))}


def at(row: Row, path: str) -> Any:
    """Return the value of a key of a row, or of "a.b", "a.0.b" and "a.-1.b"; None where there is none."""
    if path in row:
        return row[path]
    key, _, rest = path.partition(".")
    inner = row.get(key)
    place, _, more = rest.partition(".")
    if place in ("0", "-1") and isinstance(inner, list) and inner:
        inner, rest = inner[int(place)], more
    if rest and isinstance(inner, dict):
        return at(inner, rest)
    return None


def _placed_rows(path: Path, headless: bool) -> Dataset:
    paths = [path]
    if path.is_dir():
        paths = sorted(path.rglob("*.parquet"))
    if not paths:
        raise UserError(f"{path}: a folder without Parquet files.", REMEDY)
    for file in paths:
        what = "line"
        try:
            what, rows = _rows_of(file, headless)
            within = f"{file}, {what}"
            for number, row in rows:
                if row is None:
                    row = {}
                if isinstance(row, list) and row and isinstance(row[0], (dict, list, str)):  # of messages, or of texts
                    row = {"messages": row}
                if not isinstance(row, dict):
                    raise UserError(f"{within} {number}: expected a JSON object, found {row!r:.40}.", REMEDY)
                yield f"{within} {number}", row
        except FileNotFoundError:
            raise UserError(f"{file}: no such file.", REMEDY) from None
        except (OSError, Malformed) as err:
            place = ": cannot be read"
            if isinstance(err, Malformed) and err.line:
                place = f", {what} {err.line}"
            raise UserError(f"{file}{place}: {err}.", REMEDY) from None


def _rows_of(file: Path, headless: bool) -> tuple[str, Rows]:
    """Return what a place in a file is called, and its rows; the format is known by the name, else by the beginning."""
    if file.suffix.lower() == ".parquet":
        return "row", _parquet(file)
    with opened(file) as text:
        head = text.read(1 << 16).lstrip()
        begins = head[:1]
    kinds = {kind.lower() for kind in file.suffixes[-2:]}
    if kinds & {".txt", ".md"}:
        rows = transcript_rows(file, head)
        if rows is not None:
            return "line", rows
    if kinds & {".yaml", ".yml"}:
        rows = parse_yaml(whole_text(file), JsonTypes)
        return "entry", enumerate(rows if isinstance(rows, list) else [rows], start=1)
    if kinds & {".csv", ".tsv"} or (begins not in "[{" and not kinds & {".json", ".jsonl", ".ndjson"}):
        return "line", _csv(file, headless)
    if begins == "[" and not kinds & {".jsonl", ".ndjson"}:
        return "entry", enumerate(parse_json(whole_text(file)), start=1)
    return "line", _json_lines(file)


def _cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a table; also of one with blanks between its cells, three or more in each row."""
    rows = csv_rows(path)
    first = [*islice(rows, 1)]
    if any(len(row) == 1 and len(row[0].split()) > 2 for _, row in first):
        first += rows
        split = [(number, " ".join(row).split()) for number, row in first]
        if len({len(row) for _, row in split}) == 1:
            first = split
    return chain(first, rows)


def _csv(path: Path, headless: bool) -> Rows:
    rows = _cells(path)
    written = next(rows, (0, []))[1]
    head = [name.strip() for name in written]
    if headless:
        rows = chain([(1, written)], rows)
        head = [f"#{place}" for place in range(1, len(written) + 1)]
    twice = [name for name, count in Counter(filter(None, head)).items() if count > 1]
    if twice:
        raise Malformed(
            f"the header has the column '{twice[0]}' twice; if it is a row: --columns OURS=THEIRS. {ELSEWHERE}", 1
        )
    last = int(not headless)
    for number, row in rows:
        if head[len(row) :] == FILLED_IN:
            row += [""] * len(FILLED_IN)
        if len(row) != len(head):
            quote = ""
            if number > last + 1 and any("\n" in cell for cell in row):
                quote = f'; a quote (") that opens on line {last + 1} goes on up to there'
            raise Malformed(f"has {len(row)} fields, the header has {len(head)}{quote}", number)
        if number > last + 1 and any(_holds_rows(cell, row) for cell in row):
            raise Malformed(
                f'a quote (") that opens there holds rows, up to line {number}: close or double it', last + 1
            )
        last = number
        if written != head:
            row = [cell.strip() for cell in row]
        yield number, dict(zip(head, row, strict=True))


def _holds_rows(cell: str, row: Sequence[str]) -> bool:
    """Return whether a cell of several lines holds what are rows of the file, after a quote that isn't closed.

    Two lines or more that all have the row's number of cells are; of one line two cells are those of the row as well.
    """
    lines = cell.splitlines()[1:]
    if not lines or len(row) < 3:
        return False
    for mark in SEPARATORS:
        cells = [line.split(mark) for line in lines]
        fits = [line for line in cells if len(line) == len(row)]
        alike = any(sum(map(_same, line, row)) > 1 for line in fits)
        if alike or (len(lines) > 1 and len(fits) == len(lines)):
            return True
    return False


def _same(cell: str, other: str) -> bool:
    return bool(cell.strip()) and cell.strip() == other.strip()


def _json_lines(path: Path) -> Rows:
    with opened(path) as text:
        for number, line in enumerate(lines_of(text), start=1):
            if not line.isspace():
                try:
                    yield number, parse_json(line)
                except ValueError as err:
                    if number > 1 or line.rstrip().endswith("}"):
                        raise Malformed(f"not valid JSON: {err}", number) from None
                    whole = _object_over_lines(path)
                    yield from enumerate(whole if isinstance(whole, list) else [whole], start=number)
                    return


def _object_over_lines(path: Path) -> Any:
    try:
        return parse_json(whole_text(path))
    except ValueError as err:
        raise Malformed(f"not valid JSON: {err}", 1) from None


def _parquet(path: Path) -> Rows:
    with packages_named():
        from pyarrow import ArrowException, parquet  # pyright: ignore[reportMissingImports] # of the extra parquet
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(1000):
                yield from enumerate(batch.to_pylist(), start=number + 1)
                number += len(batch)
    except ArrowException as err:
        raise Malformed(f"not a valid Parquet file: {err}") from None
