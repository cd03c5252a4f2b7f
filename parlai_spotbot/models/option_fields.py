"""Options as fields of pydantic models: added to a parser, and read with errors that name the option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from parlai_spotbot.errors import UserError


class CheckedOptions(BaseModel):
    """Base of options: frozen, of the declared types exactly."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


Kind = TypeVar("Kind", bound=CheckedOptions)


def add_arguments(parser: Any, kind: type[CheckedOptions], names: Mapping[str, str], title: str) -> None:
    """Add a group with an option for each field of `kind`; `names` are the options' where they differ."""
    group = parser.add_argument_group(title)
    for field, about in kind.model_fields.items():
        value_type = float if about.default is None else type(about.default)
        scalar = value_type in (int, float, str)
        group.add_argument(
            "--" + names.get(field, field).replace("_", "-"),
            type=value_type if scalar else str,
            default=about.default if scalar and about.default is not None else None,
            choices=get_args(about.annotation) if value_type is str and get_args(about.annotation) else None,
            help=about.description,
        )


def read_options(
    kind: type[Kind],
    given: Mapping[str, Any],
    where: str,
    names: Mapping[str, str] | None = None,
    required: Mapping[str, str] | None = None,
) -> Kind:
    """Check the options in `given` as a `kind`; options that it does not have are ignored.

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
    names = {field: (names or {}).get(field, field) for field in kind.model_fields}
    values = {field: given[names[field]] for field in kind.model_fields if given.get(names[field]) is not None}
    for field, remedy in (required or {}).items():
        if not str(values.get(field, "")).strip():
            raise UserError(f"{where}: option '{names[field]}' is missing.", remedy)
    try:
        return kind(**values)
    except ValidationError as err:
        first = err.errors(include_url=False, include_context=False)[0]
    field, message = str(first["loc"][0]), first["msg"]
    if first["type"] == "secret":
        raise UserError(f"{where}: option '{names[field]}' holds a key or a password.", message)
    raise UserError(
        f"{where}: option '{names[field]}' is {repr(values[field])[:80]}: {message[:1].lower()}{message[1:]}.",
        "Correct it.",
    )
