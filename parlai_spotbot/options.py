"""Fields of dataclasses that are options: of commands and agents, arguments of public functions, keys of files.

A dataclass gives its fields their types and defaults, the YAML file beside its module their help texts (`described`).
`scripts.option_parser` adds those of commands, `add_options` those of ParlAI's agents; `notebook.calling` has the
arguments.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from parlai_spotbot.reading import own_data

Kind = TypeVar("Kind")


def whole_numbers(text: str) -> tuple[int, ...]:
    """Parse ``2,3,5``."""
    return tuple(int(part) for part in text.replace(" ", "").split(",") if part)


whole_numbers.__name__ = "whole numbers (as in 2,3,5)"  # for messages of argparse


def words(text: str) -> tuple[str, ...]:
    """Parse ``a,b``."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


TYPES = {
    "": {},
    "int": {"type": int},
    "float": {"type": float},
    "float | int": {"type": float},
    "str": {"type": str},
    "str | Mapping[str, str]": {"type": str},
    "Sequence[int]": {"type": whole_numbers},
    "tuple[int, ...]": {"type": whole_numbers},
    "tuple[str, ...]": {"type": words, "action": "listed"},
    "bool": {"action": "store_true"},
    "bool | None": {"type": "bool", "nargs": "?", "const": True},
}
"""Annotation of a field, with or without None -> how its option is read."""


def described(kind: type[Kind]) -> type[Kind]:
    """Give the fields of a class that is to be a dataclass their metadata, from the YAML file beside its module.

    There a field has `help`, the text for options and arguments; `group`, the heading under which ``--help-all`` lists
    it and those that follow; `dest` where a command calls it otherwise, `flags` where its option is spelt otherwise,
    and what else `argparse.ArgumentParser.add_argument` takes.
    """
    for name, about in own_data(str(sys.modules[kind.__module__].__file__))[kind.__name__].items():
        declared = getattr(kind, name, MISSING)
        option = declared if isinstance(declared, Field) else field(default=declared)
        option.metadata = about
        setattr(kind, name, option)
    return kind


def dest_of(option: Field) -> str:
    """Return the name of a field among a command's parsed options."""
    return option.metadata.get("dest", option.name)


def flags_of(option: Field) -> Sequence[str]:
    """Return a field's options as they are typed."""
    return option.metadata.get("flags", (f"--{dest_of(option).replace('_', '-')}",))


def argument_of(option: Field) -> dict[str, Any]:
    """Return a field's argument of `argparse`, with a key of `TYPES` as its `kind`."""
    kind = str(option.type)
    if kind not in TYPES:
        kind = kind.removesuffix(" | None")
    if kind not in TYPES:  # it has bounds, or choices
        kind = type(option.default).__name__
    if "action" in option.metadata:
        kind = ""
    about = {"kind": kind, "default": option.default, **option.metadata}
    return {name: value for name, value in about.items() if name not in ("group", "flags")}


def add_options(group: Any, kind: type, names: Mapping[str, str]) -> None:
    """Add an option for each field of `kind` to a group of a parser; `names` are the options' where they differ."""
    hints = get_type_hints(kind)
    for option in fields(kind):
        about = argument_of(option)
        if not isinstance(option.default, int | float | str):  # a list or a dict is given as JSON
            about["default"] = None
        if get_origin(hints[option.name]) is Literal:
            about["choices"] = get_args(hints[option.name])
        flag = "--" + names.get(option.name, option.name).replace("_", "-")
        group.add_argument(flag, **TYPES[about.pop("kind")], **about)


def option_values(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parsed options in `given` that are fields of `kind`, by the fields' names."""
    values = {
        option.name: given[dest_of(option)]
        for option in fields(kind)
        if "help" in option.metadata and dest_of(option) in given
    }
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
