"""The one way to read what others wrote: JSON, YAML, CSV and zip, with bounds, so that no file costs minutes or memory.

What is nested too deep, has too long a number, grows by aliases or when it is unpacked is no valid file; it is refused
with a reason, and so is what may never end: pipes, sockets and devices. Halves of characters (lone surrogates), which
cut logs hold, become U+FFFD. Files packed by gzip are unpacked, and UTF-16 is read where the file begins with its mark
or with a character of ASCII.
"""

import codecs
import csv
import gzip
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TextIO

import yaml

from parlai_spotbot.errors import UserError
from parlai_spotbot.outside import HALF

MOST_VALUES = 1_000_000
"""Most values of a YAML file, each counted as often as aliases repeat it; a plan of votes on 100,000
contestants has 600,000."""

MOST_BYTES_OF_YAML = 1 << 24
MOST_LEVELS = 200
"""Of lists and objects within each other in YAML."""

MOST_OF_A_TEXT = 1 << 30
"""Characters of a file that is read as a whole, or of one line."""

MOST_OF_A_CELL = 1 << 24
"""Characters: whole conversations are in the cells of some files."""

SPLIT_AT_ONCE = 1 << 18
"""Characters of a CSV file."""

MOST_UNPACKED = 1 << 28
"""Bytes that one file of a zip file may grow to."""

MOST_GROWTH = 100
"""Times its packed size that a text packed by gzip may grow to, `LEAST_GROWN` bytes at any rate: texts grow to 30."""
LEAST_GROWN = 1 << 25

MOST_DIGITS = 300
"""Of a whole number in YAML: what is longer can't be computed with."""

LONG_NUMBER = re.compile(rf"[+-]?[\d_]{{{MOST_DIGITS + 1},}}")
QUOTED = re.compile(r'"[^"]*"')
NO_HEADER = re.compile(r"\s*(sep=.)?\s*", re.IGNORECASE)
"""An empty line, or Excel's that names the separator."""
MANY = f"it holds over {MOST_VALUES:,} values with those that aliases (*) repeat, or one within what it repeats"
DEEP = "it is nested too deep"
LONG = "it holds a number with hundreds of digits"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
UTF8 = codecs.BOM_UTF8
_given_encoding: ContextVar[tuple[str, str]] = ContextVar("_given_encoding", default=("", ""))
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ENCODINGS = ("utf-16-be", "utf-16-le", "utf-8-sig")
"""By the place of a zero in a file's first two bytes; a character of ASCII has one in UTF-16."""
SEPARATORS = ",;\t|"
LEGACY = "cp1252 of Western Europe, cp1251 of Cyrillic, gb18030 of Chinese, cp932 of Japanese or cp949 of Korean"
CONVERTED = "spotbot_import and spotbot_judge --certify take it as --encoding, and iconv -f … -t utf-8 converts it"
END = "\x00end of the file"
"""A row behind the last one; a quote that is never closed swallows it."""
HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
HALVES = re.compile(r"(?<!\\)(?:\\u[dD][89a-fA-F][0-9a-fA-F]{2})+")


class Malformed(ValueError):
    """Record of why a text can't be read, in a line; `line` is where, 0 where that isn't known."""

    def __init__(self, why: str, line: int = 0):
        super().__init__(why)
        self.line = line


# -- files -------------------------------------------------------------------------------------------------------------
def regular(path: Path | str, what: str = "file", remedy: str = "Name a file.") -> Path:
    """Return the path of a file, or of nothing; a folder, or what may never end (pipe, device), is a `UserError`."""
    path = Path(path)
    if not path.is_file() and os.path.lexists(path):
        kind = "pipe, a device or a broken link"
        if path.is_dir():
            kind = "folder"
        raise UserError(f"{path}: is a {kind}, expected a {what}.", remedy)
    return path


class _Unpacked(gzip.GzipFile):
    """A file that gzip packed, of which `left` bytes are read at most."""

    left = 0

    def read1(self, size: int = -1) -> bytes:
        data = super().read1(size)
        self.left -= len(data)
        if self.left < 0:
            raise Malformed(f"it grows to more than {MOST_GROWTH} times its packed size: unpack it, if that is right")
        return data


@contextmanager
def encoded(name: str, data: str) -> Iterator[None]:
    """Read text files whose paths are in `data`, as --data names them, in an encoding while this is open; "" for none.

    First bytes that tell the encoding go before it.
    """
    try:
        codecs.lookup(name or "utf-8")
    except LookupError:
        raise UserError(f"--encoding {name}: unknown.", "Write for example cp1252, latin-1 or utf-16.") from None
    before = _given_encoding.set((name, data))
    try:
        yield
    finally:
        _given_encoding.reset(before)


@contextmanager
def opened(path: Path | str) -> Iterator[TextIO]:
    """Open a file as text, unpacked where gzip packed it, in the encoding of its byte order mark, or else UTF-8.

    What can't be unpacked or decoded raises `Malformed` within.
    """
    with regular(path).open("rb") as file:
        data: Any = file
        if file.peek(2)[:2] == GZIP:
            data = _Unpacked(fileobj=file)
            data.left = max(LEAST_GROWN, MOST_GROWTH * Path(path).stat().st_size)
        try:
            begins = data.peek(2)[:2]
            if data.peek(4)[:4] == ZIP:
                raise Malformed("it is an Excel workbook or a zip file: save it as CSV, or unpack it")
            encoding = "utf-16" if begins in UTF16 else ENCODINGS[begins.find(0)]
            named, named_data = _given_encoding.get()
            if named and str(path) in named_data and begins not in (*UTF16, UTF8[:2]):
                encoding = named
            yield io.TextIOWrapper(data, encoding, newline="")
        except UnicodeDecodeError as err:
            wrong = f"byte 0x{err.object[err.start]:02x} is not {err.encoding.upper()}"
            raise Malformed(f"{wrong}; by its language the encoding may be {LEGACY} ({CONVERTED})") from None
        except UnicodeError as err:
            raise Malformed(str(err)) from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as err:
            raise Malformed(f"it can't be unpacked: {err}") from None


def lines_of(text: TextIO) -> Iterator[str]:
    """Return the lines of a text; a longer one is cut, and what it holds then isn't valid."""
    return iter(partial(text.readline, MOST_OF_A_TEXT), "")


def whole_text(path: Path | str) -> str:
    """Return the text of a file, cut as lines are; raise `Malformed` as `opened` does."""
    with opened(path) as text:
        return text.read(MOST_OF_A_TEXT)


# -- JSON --------------------------------------------------------------------------------------------------------------
BYTE_ORDER = "\ufeff"
"""The mark by which `json.loads` tells a file of another encoding."""
_PLAIN = json.JSONDecoder(parse_constant=float)
"""Made once: `json.loads` makes one a call."""


def parse_json(
    text: str | bytes, hook: Callable[[dict], Any] | None = None, constant: Callable[[str], Any] = float
) -> Any:
    """The value of a JSON text; `Malformed` where it is none, is nested too deep or holds too long a number.

    `constant` makes a value of NaN and Infinity, which are not JSON though programs write them.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        if hook is None and constant is float and not text.startswith(BYTE_ORDER):
            value = _PLAIN.decode(text)
        else:
            value = json.loads(text, object_hook=hook, parse_constant=constant)
        if "\\u" in text and HALF_ESCAPED.search(text):
            return _whole(value)
        return value
    except RecursionError:
        raise Malformed(DEEP) from None
    except (UnicodeDecodeError, json.JSONDecodeError) as err:
        raise Malformed(str(err)) from None
    except ValueError as err:
        raise Malformed(LONG if "digits" in str(err) else str(err)) from None


@contextmanager
def _file_errors(path: Path | str, form: str, what: str, missing: str, remedy: str) -> Iterator[None]:
    """Turn that a file isn't there or can't be read (`missing` is what to do), or isn't valid, into a `UserError`."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{path}: no such {what}.", missing) from None
    except OSError as err:
        raise UserError(f"{path}: can't be read: {err.strerror or err}.", missing) from None
    except Malformed as err:
        raise UserError(f"{path}: not {form}: {err}.", remedy) from None


def read_json(path: Path, what: str = "file", remedy: str = "", nan: bool = False) -> Any:
    """Read a JSON file; a missing or malformed one is a `UserError`, and without `nan` one that holds NaN."""
    with _file_errors(path, f"a valid JSON {what}", what, remedy, remedy):
        return json_of(whole_text(path), path, what, remedy, nan)


def json_of(data: str | bytes, path: Path, what: str = "file", remedy: str = "", nan: bool = False) -> Any:
    """Return the value in a JSON file, as `read_json` does."""
    with _file_errors(path, f"a valid JSON {what}", what, remedy, remedy):
        return parse_json(data, constant=float if nan else _no_number)


def _no_number(name: str) -> None:
    raise ValueError(f"it holds {name}")


def _whole(value: Any) -> Any:
    """The value with U+FFFD for every half of a character."""
    if isinstance(value, str):
        return HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_whole(inner) for inner in value]
    return value


# -- YAML --------------------------------------------------------------------------------------------------------------
class JsonTypes(LOADER):
    """Loader of data as YAML: "no", "12:30" and dates are texts, as they are in JSON."""

    yaml_implicit_resolvers: dict = {}


for _tag, _pattern, _first in (
    ("null", "(?:null|~|)", ["n", "~", ""]),
    ("bool", "(?:true|false)", [*"tf"]),
    ("int", r"-?(?:0|[1-9]\d*)", [*"-0123456789"]),
    ("float", r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", [*"-0123456789"]),
):
    JsonTypes.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"\A{_pattern}\Z"), _first)


def parse_yaml(text: str, loader: type = LOADER) -> Any:
    """The value of a YAML text; `Malformed` where it is none, or grows beyond `MOST_VALUES`, aliases repeated."""
    if len(text) > MOST_BYTES_OF_YAML:
        raise Malformed(f"it is longer than {MOST_BYTES_OF_YAML >> 20} MiB")
    try:
        text = HALVES.sub(lambda escaped: parse_json(f'"{escaped[0]}"'), text)  # libyaml refuses them
        _check_events(text)
        return yaml.load(text, loader)  # noqa: S506
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        raise Malformed(" ".join(str(err).split()), mark.line + 1 if mark else 0) from None
    except Malformed:
        raise
    except (ValueError, TypeError, OverflowError) as err:  # a date that is none, a list as a key
        raise Malformed(" ".join(str(err).split())[:200]) from None


def _check_events(text: str) -> None:
    """Raise `Malformed` for a YAML text of too many values or levels, or too long a number, before nodes are made."""
    sizes: dict[str | None, int] = {}
    levels: list[tuple[str | None, int]] = []
    values = 0
    for event in yaml.parse(text, LOADER):
        name = getattr(event, "anchor", None)
        if isinstance(event, yaml.CollectionEndEvent):
            name, before = levels.pop()
            sizes[name] = values - before
        elif isinstance(event, yaml.CollectionStartEvent):
            levels.append((name, values))
        elif isinstance(event, yaml.ScalarEvent):
            sizes[name] = 1
            if LONG_NUMBER.fullmatch(event.value):
                raise Malformed(LONG, event.start_mark.line + 1)
        values += sizes.get(name, MOST_VALUES) if isinstance(event, yaml.AliasEvent) else 1
        if len(levels) > MOST_LEVELS or values > MOST_VALUES:
            raise Malformed(DEEP if len(levels) > MOST_LEVELS else MANY)


def read_yaml(path: Path | str, missing: str, remedy: str) -> Any:
    """The value of a YAML file; `UserError` where it can't be read.

    `missing` is what to do where there is no such file, `remedy` where it is none that can be read.
    """
    with _file_errors(path, "valid YAML", "file", missing, remedy):
        return parse_yaml(whole_text(path))


def own_data(module: str, name: str = "") -> Any:
    """Return the data of the package beside a module (its `__file__`): YAML of the module's name, or of `name`.

    A file of several documents is a list of them.
    """
    path = Path(module).parent / name if name else Path(module).with_suffix(".yaml")
    documents = list(yaml.load_all(path.read_text(encoding="utf-8"), LOADER))
    if len(documents) > 1:
        return documents
    return documents[0]


# -- CSV and zip -------------------------------------------------------------------------------------------------------
def _first_line(lines: Iterator[str]) -> tuple[int, str, str]:
    """Return the first line of a CSV file that isn't empty, after how many others, and what separates its cells."""
    before, first = next(((n, line) for n, line in enumerate(lines) if not NO_HEADER.fullmatch(line)), (0, ""))
    return before, first, max(SEPARATORS, key=lambda mark: len(QUOTED.sub("", first).split(mark)))


def csv_rows(path: Path | str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file that aren't empty, with the number of their last line.

    Separated by what makes the most cells of the first line: a comma, semicolon, tab or bar. Blanks after it belong to
    no cell. Raises `Malformed` as `opened` does, where a cell is longer than `MOST_OF_A_CELL`, or a quote isn't closed.
    """
    csv.field_size_limit(MOST_OF_A_CELL)
    with opened(path) as text:
        lines = lines_of(text)
        before, first, mark = _first_line(lines)
        reader = csv.reader(chain([first], lines, [END]), delimiter=mark, skipinitialspace=True)
        number = begins = 0
        try:
            for row in reader:
                if row == [END]:
                    return
                begins = number + 1
                number = before + reader.line_num
                if any(row):
                    yield number, row
        except csv.Error as err:
            raise Malformed(str(err)) from None
    raise Malformed('a quote (") that opens there is never closed', begins)


def csv_blocks(path: Path | str, head: list[str]) -> Iterator[tuple[int, list[list[str]], list[str]]]:
    """The rows of `csv_rows` after the header, many at once: number of the first line, cells by columns, and each row
    as a text whose cells are separated by zeros.

    Raises `Malformed`, and as `opened` does, from the first rows on that aren't plain: a cell of several lines, an
    empty row, other columns than those of `head`. `csv_rows` reads these.
    """
    with opened(path) as text:
        before, first, mark = _first_line(lines_of(text))
        number = before + 1
        if next(csv.reader([first], delimiter=mark, skipinitialspace=True), []) != head:
            raise Malformed("other columns", number)
        while block := text.read(SPLIT_AT_ONCE):
            block += text.readline(MOST_OF_A_TEXT)
            rows = block.replace("\r\n", "\n").rstrip("\n")
            if rows:
                yield number + 1, *_plain_rows(rows, mark, len(head))
            number += block.count("\n")


def _plain_rows(text: str, mark: str, width: int) -> tuple[list[list[str]], list[str]]:
    """Return the cells of lines by columns, and the lines with zeros for marks; `Malformed` where they aren't plain."""
    if "\r" in text or "\0" in text or len(text) > MOST_OF_A_CELL:
        raise Malformed("not plain")
    if '"' in text or f"{mark} " in text or "\n " in text or text[0] == " ":
        return _quoted_rows(text.split("\n"), mark, width)
    text = text.replace(mark, "\0")
    lines = text.split("\n")
    if {*map(str.count, lines, repeat("\0"))} != {width - 1} or "\0" * (width - 1) in lines:
        raise Malformed("not plain")
    cells = text.replace("\n", "\0").split("\0")
    return [cells[place::width] for place in range(width)], lines


def _quoted_rows(lines: list[str], mark: str, width: int) -> tuple[list[list[str]], list[str]]:
    """Return what `_plain_rows` does, of lines with quotes or blanks after a mark."""
    try:
        *rows, last = csv.reader([*lines, END], delimiter=mark, skipinitialspace=True)
    except csv.Error as err:
        raise Malformed(str(err)) from None
    if last != [END] or len(rows) != len(lines) or {*map(len, rows)} != {width} or not all(map(any, rows)):
        raise Malformed("not plain")
    return [[*cells] for cells in zip(*rows, strict=True)], [*map("\0".join, rows)]


def unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a file in a zip file; `Malformed` where it grows beyond `MOST_UNPACKED`, whatever it says."""
    with archive.open(name) as file:
        data = None
        if archive.getinfo(name).file_size <= MOST_UNPACKED:
            data = file.read(MOST_UNPACKED + 1)
    if data is None or len(data) > MOST_UNPACKED:
        raise Malformed(f"{name} grows to more than {MOST_UNPACKED >> 20} MiB")
    return data
