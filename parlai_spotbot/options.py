"""Fields of a request dataclass that a command offers as options (`scripts.option_parser` adds and reads them)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any


def option(default: Any, help: str, group: str = "", **argument: Any) -> Any:
    """Return a dataclass field with a default that is also an option.

    Parameters
    ----------
    help, group : str
        The option's help text and the heading under which ``--help-all`` lists it; "" for that of the field before.
    argument
        Further arguments of `argparse.ArgumentParser.add_argument`: choices, metavar, `flags` where the option is
        spelt unlike the field.
    """
    return field(default=default, metadata={"help": help, "group": group, **argument})


def option_values(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parsed options in `given` that are fields of `kind`, by the fields' names."""
    names = [own.name for own in fields(kind) if "help" in own.metadata and own.name in given]
    return {name: tuple(given[name]) if isinstance(given[name], list) else given[name] for name in names}
