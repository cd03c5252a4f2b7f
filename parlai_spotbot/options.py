"""Fields of a request dataclass, which a command offers as options and a public function as arguments.

`scripts.option_parser` adds and reads the options; `notebook.calling` has the arguments.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from typing import Any, TypeVar

from parlai_spotbot.reading import own_data

Kind = TypeVar("Kind")


def described(kind: type[Kind]) -> type[Kind]:
    """Give the fields of a class that is to be a dataclass their metadata, from the YAML file beside its module.

    There a field has `help`, the text for options and arguments; `group`, the heading under which ``--help-all`` lists
    it and those that follow; `dest` where a command calls it otherwise, `flags` where its option is spelt otherwise,
    and what else `argparse.ArgumentParser.add_argument` takes.
    """
    for name, about in own_data(str(sys.modules[kind.__module__].__file__))[kind.__name__].items():
        setattr(kind, name, field(default=getattr(kind, name, MISSING), metadata=about))
    return kind


def dest_of(own: Field) -> str:
    """Return the name of a field among a command's parsed options."""
    return own.metadata.get("dest", own.name)


def flags_of(own: Field) -> Sequence[str]:
    """Return a field's options as they are typed."""
    return own.metadata.get("flags", (f"--{dest_of(own).replace('_', '-')}",))


def option_values(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parsed options in `given` that are fields of `kind`, by the fields' names."""
    values = {own.name: given[dest_of(own)] for own in fields(kind) if "help" in own.metadata and dest_of(own) in given}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
