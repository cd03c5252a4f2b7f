"""The one way to read what others wrote: JSON, YAML, CSV and zip, with bounds, so that no file costs minutes or memory.

What is nested too deep, has too long a number, grows by aliases or when it is unpacked is no valid file; it is refused
with a reason. Halves of characters (lone surrogates), which cut logs hold, become U+FFFD.
"""

from __future__ import annotations

import csv
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot.errors import UserError

MOST_VALUES = 1_000_000
"""Most values of a YAML file, each counted as often as aliases repeat it; a plan of votes on 100,000
contestants has 600,000."""

MOST_BYTES_OF_YAML = 1 << 24
MOST_OF_A_CELL = 1 << 24
"""Characters: whole conversations are in the cells of some files."""

MOST_UNPACKED = 1 << 28
"""Bytes that one file of a zip file may grow to."""

MOST_DIGITS = 300
"""Of a whole number in YAML: what is longer can't be computed with."""

DEEP, LONG = "it is nested too deep", "it holds a number with hundreds of digits"
HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
HALF = re.compile("[\ud800-\udfff]")


class Malformed(ValueError):
    """Record of why a text can't be read, in a line; `line` is where, 0 where that isn't known."""

    def __init__(self, why: str, line: int = 0):
        super().__init__(why)
        self.line = line


def parse_json(text: str | bytes, hook: Callable[[dict], Any] | None = None) -> Any:
    """The value of a JSON text; `Malformed` where it is none, is nested too deep or holds too long a number."""
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(text, object_hook=hook)
        return _whole(value) if "\\u" in text and HALF_ESCAPED.search(text) else value
    except RecursionError:
        raise Malformed(DEEP) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as err:
        raise Malformed(str(err)) from None
    except ValueError as err:
        raise Malformed(LONG if "digits" in str(err) else str(err)) from None


def bytes_of(path: Path | str, remedy: str = "Put a file there.") -> bytes | None:
    """Return what a file holds; None where there is none. A folder, a pipe, a device or a broken link is no file."""
    path = Path(path)
    try:
        if path.is_file():
            return path.read_bytes()
        if not os.path.lexists(path):
            return None
        what = "is a folder" if path.is_dir() else "is a pipe, a device or a broken link"
    except OSError as err:
        what = f"can't be read: {err.strerror or err}"
    raise UserError(f"{path}: {what}, expected a file.", remedy)


def read_json(path: Path, what: str = "file", remedy: str = "") -> Any:
    """Read a JSON file; a missing or malformed one is a `UserError`."""
    try:
        if (data := bytes_of(path, remedy)) is None:
            raise UserError(f"{path}: no such {what}.", remedy)
        return parse_json(data)
    except Malformed as err:
        raise UserError(f"{path}: not a valid JSON {what}: {err}.", remedy) from None


def _whole(value: Any) -> Any:
    """The value with U+FFFD for every half of a character."""
    if isinstance(value, str):
        return HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value


# -- YAML --------------------------------------------------------------------------------------------------------------
def parse_yaml(text: str, loader: type = yaml.SafeLoader) -> Any:
    """The value of a YAML text; `Malformed` where it is none, or grows beyond `MOST_VALUES`, aliases repeated."""
    if len(text) > MOST_BYTES_OF_YAML:
        raise Malformed(f"it is longer than {MOST_BYTES_OF_YAML >> 20} MiB")
    reader = None
    try:
        reader = loader(text)
        node = reader.get_single_node()
        if node is None:
            return None
        if _values(node, {}, set()) > MOST_VALUES:
            raise Malformed(f"it holds over {MOST_VALUES:,} values, those that aliases (*) repeat counted each time")
        value = reader.construct_document(node)
        return _whole(value) if HALF_ESCAPED.search(text) else value
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        raise Malformed(" ".join(str(err).split()), mark.line + 1 if mark else 0) from None
    except RecursionError:
        raise Malformed(DEEP) from None
    except Malformed:
        raise
    except (ValueError, TypeError, OverflowError) as err:  # a date that is none, a number too long, a list as a key
        raise Malformed(" ".join(str(err).split())[:200]) from None
    finally:
        if reader is not None:
            reader.dispose()


def _values(node: yaml.Node, sizes: dict[int, int], above: set[int]) -> int:
    """Count the values of a node; aliases count each time, but each node is visited once."""
    if node.tag == "tag:yaml.org,2002:int" and len(node.value) > MOST_DIGITS:
        raise Malformed(LONG, node.start_mark.line + 1)
    if id(node) in above:
        raise Malformed("an alias (*) stands within what it repeats")
    if id(node) not in sizes:
        above.add(id(node))
        inner = node.value if isinstance(node.value, list) else []
        parts = [part for pair in inner for part in (pair if isinstance(pair, tuple) else (pair,))]
        sizes[id(node)] = 1 + sum(_values(part, sizes, above) for part in parts)
        above.remove(id(node))
    return sizes[id(node)]


def read_yaml(path: Path | str, missing: str, remedy: str, loader: type = yaml.SafeLoader) -> Any:
    """The value of a YAML file; `UserError` where it can't be read.

    `missing` is what to do where there is no such file, `remedy` where it is none that can be read.
    """
    try:
        if (data := bytes_of(path, missing)) is None:
            raise UserError(f"{path}: no such file.", missing)
        return parse_yaml(data.decode("utf-8"), loader)
    except UnicodeDecodeError as err:
        raise UserError(f"{path}: not valid YAML: {err}.", "Save it in UTF-8.") from None
    except Malformed as err:
        raise UserError(f"{path}: not valid YAML: {err}.", remedy) from None


# -- CSV and zip -------------------------------------------------------------------------------------------------------
def csv_rows(path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file (or .tsv) that aren't empty, with the number of their last line.

    Raises `Malformed` where a cell is longer than `MOST_OF_A_CELL`, or the file isn't UTF-8.
    """
    csv.field_size_limit(MOST_OF_A_CELL)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as text:
            reader = csv.reader(text, delimiter="\t" if Path(path).suffix.lower() == ".tsv" else ",")
            yield from ((reader.line_num, row) for row in reader if row)
    except (csv.Error, UnicodeDecodeError) as err:
        raise Malformed(str(err)) from None


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a file in a zip file; `Malformed` where it grows beyond `MOST_UNPACKED`, whatever it says."""
    with archive.open(name) as file:
        data = file.read(MOST_UNPACKED + 1) if archive.getinfo(name).file_size <= MOST_UNPACKED else None
    if data is None or len(data) > MOST_UNPACKED:
        raise Malformed(f"{name} grows to more than {MOST_UNPACKED >> 20} MiB")
    return data
