"""Check files that a user writes with pydantic; what is wrong becomes one `UserError` with file, field and remedy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

from pydantic import BeforeValidator, ConfigDict, Field, Strict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from parlai_spotbot.errors import UserError, nearest

T = TypeVar("T")

CONFIG = ConfigDict(extra="forbid")
Flag = Annotated[bool, Strict()]
String = Annotated[str, Strict()]


def number(kind: type = float, **bounds: float) -> Any:
    """Return the type of a finite number within pydantic's bounds (ge, gt, le, lt); texts are none."""
    finite = {} if kind is int else {"allow_inf_nan": False}
    return Annotated[kind, Strict(), Field(**finite, **bounds)]


def _listed(value: Any) -> Any:
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    return tuple(part for part in parts if part) if isinstance(parts, (list, tuple)) else parts


Words = Annotated[tuple[String, ...], BeforeValidator(_listed)]
"""A list of texts, or one text with commas."""


def row_of(name: str, fields: dict[str, Any]) -> Any:
    """Return the type of a dict that has some of these keys and no others."""
    made = TypedDict(name, fields, total=False)
    made.__pydantic_config__ = CONFIG
    return made


def check(test: Callable[[Any], bool], message: str) -> Callable[[Any], Any]:
    """Return a validator that refuses what fails the `test`."""

    def validate(value: Any) -> Any:
        if not test(value):
            raise ValueError(message)
        return value

    return validate


def validated(kind: type[T], row: Any, where: str) -> T:
    """Return `row` as a `kind`; `where` names its place in errors."""
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected keys and values, found {row!r}.", "Write for example 'pay: 2.50'.")
    try:
        return TypeAdapter(kind).validate_python(row)
    except ValidationError as err:
        raise _explained(err.errors()[0], kind, where) from None


def _explained(error: Any, kind: Any, where: str) -> UserError:
    path = [str(step) for step in error["loc"] if not (isinstance(step, str) and step.startswith("row:"))]
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        place = ".".join([where, *path[:-1]])
        return UserError(f"{place}: unknown key '{path[-1]}'.", nearest(path[-1], _keys(kind, path[:-1]), most=30))
    message = error["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    return UserError(f"{where}: '{'.'.join(path)}' is {error['input']!r}: {message}.", "Correct it.")


def _keys(kind: Any, path: Sequence[str]) -> list[str]:
    """Return the keys of the dict that lies at `path` in a `kind`."""
    for step in path:
        kind = get_type_hints(kind).get(step, kind) if isinstance(kind, type) else kind
        while not (hasattr(kind, "__annotations__") and isinstance(kind, type)) and get_args(kind):
            kind = get_args(kind)[-1]
    return list(get_type_hints(kind))
