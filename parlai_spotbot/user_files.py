"""Files that users write, read into dataclasses: every mistake is a `UserError` with file, line, field and remedy."""

import types
import typing
from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

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
    return read_json(path) if path.suffix == ".json" else read_yaml(path, remedy, "Correct that line.")


def validated(
    kind: type[Kind], row: Any, where: Path | str, remedy: str = "Correct it; a text may need quotes."
) -> Kind:
    """Return `row`, plain values that `where` holds, as a `kind`: a dataclass, or a mapping or tuple of them.

    Lists stand for tuples, unknown keys are refused, and values are not converted.
    """
    from pydantic import ValidationError
    from pydantic_core import to_json

    try:
        return _adapter(kind).validate_json(to_json([row], inf_nan_mode="constants"))[0]
    except ValidationError as err:
        problem = min(err.errors(include_url=False), key=lambda one: one["type"] not in UNKNOWN)
    place = list(problem["loc"][1:])
    value, message = problem["input"], problem["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if problem["type"] == "missing":
        message = f"'{place.pop()}' is missing"
    elif problem["type"] in UNKNOWN:
        message = f"unknown key '{place[-1]}'"
        remedy = nearest(str(place.pop()), _keys(kind, place))
    elif problem["type"] != "value_error":
        message = f"expected {message}, found {str(value)[:80]!r}"
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
    raise UserError(f"{where}{_line(where, problem['loc'][1:])}: {field + ': ' if field else ''}{message}.", remedy)


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import ConfigDict, TypeAdapter

    one: Any = tuple[kind]  # pyright: ignore[reportInvalidTypeForm]
    return TypeAdapter(one, config=ConfigDict(extra="forbid", strict=True))


def _keys(kind: Any, place: Sequence[str | int]) -> list[str]:
    """Return the names of the fields at `place` of a kind."""
    for part in place:
        inner = [arg for arg in typing.get_args(kind) if arg is not ...]
        named = is_dataclass(kind) or hasattr(kind, "__total__")  # the latter of a TypedDict
        kind = typing.get_type_hints(kind)[str(part)] if named else inner[-1]
        kind = typing.get_args(kind)[0] if isinstance(kind, types.UnionType) else kind
    return list(typing.get_type_hints(kind))


def _line(path: Path | str, place: Sequence[str | int]) -> str:
    """Return ", line N" of the innermost part of `place` that is in a file; "" where it isn't a file."""
    if not Path(path).is_file():
        return ""
    try:
        node = yaml.compose(whole_text(path), LOADER)
    except yaml.YAMLError:  # of a JSON file
        return ""
    line = node.start_mark.line if node else 0
    for part in place:
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == str(part)), None)
        else:
            pair = (node.value[part],) * 2 if isinstance(node, yaml.SequenceNode) and isinstance(part, int) else None
        if pair is None:
            break
        line, node = pair[0].start_mark.line, pair[1]
    return f", line {line + 1}"
