"""Files and options that users write, and rows of our own files, read into dataclasses by pydantic.

Every mistake is a `UserError` with file, line, field, value and remedy.
"""

import re
import types
import typing
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from typing_extensions import TypedDict

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import LOADER, read_json, read_yaml, whole_text

UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
Kind = TypeVar("Kind")


def read_file(kind: type[Kind], path: Path | str, remedy: str) -> Kind:
    """Return the content of a YAML or JSON file as a `kind`; `remedy` says what to do where there is no such file."""
    path = Path(path).expanduser()
    return validated(kind, read_plain(path, remedy), path)


def read_plain(path: Path, remedy: str) -> Any:
    """Return the plain values of a YAML or JSON file."""
    if path.suffix == ".json":
        return read_json(path)
    return read_yaml(path, remedy, "Correct that line.")


@dataclass(eq=False)
class Mistake(Exception):
    """The first mistake in plain values that were to be a dataclass.

    `place` are the keys and positions that lead to the `value`, `kind` is pydantic's name of the mistake. `message` is
    what pydantic says, or a check of ours, whose kind is "value_error".
    """

    place: Sequence[str | int]
    kind: str
    value: Any
    message: str

    @property
    def expected(self) -> str:
        return self.message.removeprefix("Input should be ")


def _named(place: Sequence[str | int]) -> str:
    """Return a place in one word: ``questions[0].kind``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def checked(kind: type[Kind], row: Any, extra: str = "forbid") -> Kind:
    """Return plain values as a `kind`: a dataclass, a TypedDict, or a mapping or tuple of them; `Mistake` where wrong.

    Lists stand for tuples, numbers are finite and values are not converted. `extra` says what becomes of unknown keys:
    "forbid", "ignore".
    """
    from pydantic import ValidationError
    from pydantic_core import to_json

    try:
        return _adapter(kind, extra).validate_json(to_json([row], inf_nan_mode="constants"))[0]
    except ValidationError as err:
        problem = min(err.errors(include_url=False), key=lambda one: one["type"] not in UNKNOWN)
    *around, last = problem["loc"]
    if problem["type"] in ("missing", *UNKNOWN):  # what isn't there, or is called otherwise in JSON
        place = [*_place([row], around), last]
    else:
        place = _place([row], problem["loc"])
    raise Mistake(place[1:], problem["type"], problem["input"], problem["msg"].removeprefix("Value error, "))


def validated(
    kind: type[Kind], row: Any, where: Path | str, remedy: str = "Correct it; a text may need quotes."
) -> Kind:
    """Return `row`, plain values of a file that a user wrote, as a `kind` (see `checked`); unknown keys are refused."""
    try:
        return checked(kind, row)
    except Mistake as mistake:
        user_error = mistake
    place = list(user_error.place)
    message = f"expected {user_error.expected}, found {str(user_error.value)[:80]!r}"
    if user_error.kind == "missing":
        message = f"'{place.pop()}' is missing"
    elif user_error.kind in UNKNOWN:
        key = str(place.pop())
        message = f"unknown key '{key}'"
        remedy = nearest(key, _keys(kind, place))
    elif user_error.kind == "value_error":
        message = user_error.message
    elif user_error.kind == "literal_error" and isinstance(user_error.value, str):
        remedy = nearest(user_error.value, re.findall("'([^']*)'", user_error.expected))
    if place:
        message = f"{_named(place)}: {message}"
    raise UserError(f"{where}{_line(where, user_error.place)}: {message}.", remedy)


PLAIN = {"string_type": "str", "int_type": "int", "float_type": "float", "tuple_type": "list", "dict_type": "dict"}
"""Kinds of a value in JSON, by pydantic's names of mistakes."""


def read_row(kind: type[Kind], row: Any, where: str) -> Kind:
    """Return a row that a step of ours wrote as a `kind` (see `checked`); unknown keys are left out.

    A row that is a line of JSON yet is read at once, which takes a third of the time; a `ValueError` where it is wrong.
    """
    if isinstance(row, bytes):
        return _adapter(kind, "ignore").validate_json(b"[%b]" % row)[0]
    try:
        return checked(kind, row, "ignore")
    except Mistake as mistake:
        problem = f"is {repr(mistake.value)[:80]}, expected {PLAIN.get(mistake.kind, mistake.expected)}"
        if mistake.kind == "missing":
            problem = "is missing"
        raise UserError(
            f"{where}: field '{_named(mistake.place)}' {problem}.", "Correct it, or make the file again."
        ) from None


def read_fields(row: Any, where: str, **kinds: Any) -> list[Any]:
    """Return single fields of a row that a step of ours wrote, each of its kind."""
    return list(read_row(_row_of(tuple(kinds.items())), row, where).values())


def read_options(
    kind: type[Kind], given: Mapping[str, Any], where: str, names: Mapping[str, str], required: Mapping[str, str]
) -> Kind:
    """Return the options in `given` as a `kind`; options that it does not have are ignored.

    Parameters
    ----------
    where : str
        Beginning of every error.
    names : mapping
        Field -> name of its option, where they differ.
    required : mapping
        Field without which it does not work -> remedy.

    Raises
    ------
    UserError
        With the option, its value and what is expected.
    """
    option_names = {option_field.name: names.get(option_field.name, option_field.name) for option_field in fields(kind)}  # pyright: ignore
    values = {name: given[option] for name, option in option_names.items() if given.get(option) is not None}
    for name, remedy in required.items():
        if not str(values.get(name, "")).strip():
            raise UserError(f"{where}: option '{option_names[name]}' is missing.", remedy)
    try:
        return checked(kind, values)
    except Mistake as mistake:
        name = str(mistake.place[0])
        message = mistake.message[:1].lower() + mistake.message[1:]
        problem = f"is {repr(values[name])[:80]}: {message}."
        remedy = "Correct it."
        if mistake.kind == "secret":
            problem = "holds a key or a password."
            remedy = mistake.message
        raise UserError(f"{where}: option '{option_names[name]}' {problem}", remedy) from None


@cache
def _row_of(kinds: Any) -> Any:
    return TypedDict("Row", dict(kinds))  # pyright: ignore[reportArgumentType]


@cache
def _adapter(kind: Any, extra: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    one: Any = tuple[kind]  # pyright: ignore[reportInvalidTypeForm]
    return TypeAdapter(one, config=ConfigDict(extra=extra, strict=True, allow_inf_nan=False))


def _place(row: Any, place: Sequence[str | int]) -> list[str | int]:
    """Return the part of a place that is in `row`: pydantic adds names of types where there are several."""
    keys = []
    for part in place:
        with suppress(LookupError, TypeError):
            row = row[part]
            keys.append(part)
    return keys


def _keys(kind: Any, place: Sequence[str | int]) -> list[str]:
    """Return the names of the fields at `place` of a kind."""
    for part in place:
        inner = [arg for arg in typing.get_args(kind) if arg is not ...]
        named = is_dataclass(kind) or hasattr(kind, "__total__")  # the latter of a TypedDict
        kind = typing.get_type_hints(kind)[str(part)] if named else inner[-1]
        if isinstance(kind, types.UnionType):
            kind = typing.get_args(kind)[0]
    return list(typing.get_type_hints(kind))


def _line(path: Path | str, place: Sequence[str | int]) -> str:
    """Return ", line N" of the innermost part of `place` that is in a file; "" where it isn't a file."""
    if not Path(path).is_file():
        return ""
    try:
        node = yaml.compose(whole_text(path), LOADER)
    except yaml.YAMLError:  # of a JSON file
        return ""
    line = 0
    if node:
        line = node.start_mark.line
    for part in place:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
        else:
            pair = None
            if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                pair = (node.value[part],) * 2
        if pair is None:
            break
        line = pair[0].start_mark.line
        node = pair[1]
    return f", line {line + 1}"
