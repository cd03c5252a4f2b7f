"""Interface of an export format: a study's content as one file. Each is found by its module's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described
from parlai_spotbot.study import Study


@dataclass(frozen=True)
@described
class ExportRequest:
    """The options of an export of `study`; None for the default."""

    study: Study
    survey: str | None = None
    source: str | None = None
    question: str | None = None


@dataclass(frozen=True)
class Exported:
    """The `text` of a file, a summary of it, notes on what was left out, and further files, by the end of the name."""

    text: str
    said: str
    notes: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """`make` says what the file holds; `takes` are the options that bear on it."""

    make: Callable[[ExportRequest], Exported]
    takes: frozenset[str] = field(default_factory=frozenset)


def export(name: str, how: Export, request: ExportRequest, path: Path) -> tuple[Exported, bool]:
    """Write the file at `path`; returns what it holds, and whether it is new.

    Raises
    ------
    UserError
        An option is none of this format's; another file is there already; or the study lacks what is asked for.
    """
    for option in ("survey", "source", "question"):
        if getattr(request, option) and option not in how.takes:
            raise UserError(f"--{option}: bears on no file of format {name}.", "Leave it out.")
    if path.is_dir() or not path.parent.is_dir():
        raise UserError(f"--out {path}: no file can be there.", "Name a file in a folder that is there.")
    exported = how.make(request)
    texts = {"": exported.text, **exported.beside}
    new = {path.with_name(path.name + end): text.encode("utf-8") for end, text in texts.items()}
    for one in [one for one in new if one.exists()]:
        if one.read_bytes() != new.pop(one):
            raise UserError(f"--out {one}: there is something else already.", "Name a new file.")
    for one, data in new.items():
        files.write_bytes(one, data)
    return exported, bool(new)
