"""What a format to export to is: what a study holds as one file of it. Each is found by its module's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study


@dataclass(frozen=True)
class ExportRequest:
    """What is to be exported: of a `study`, and where judgements are, by which `survey` and `source` (None: not said).

    `whole`: also what goes on for several turns (see `preferences`); `question`: the one that tasks put (see
    `label_studio`).
    """

    study: Study
    survey: str | None = None
    source: str | None = None
    whole: bool = False
    question: str | None = None

    @property
    def asked_source(self) -> str:
        """Whose judgements: people's, where nothing else is said."""
        return self.source or HUMAN


@dataclass(frozen=True)
class Exported:
    """The `text` of a file, what it holds, what was left out, and what goes `beside` it, by the end of its name."""

    text: str
    said: str
    notes: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Export:
    """`make` says what the file holds; `takes` are the options that bear on it."""

    make: Callable[[ExportRequest], Exported]
    takes: frozenset[str] = field(default_factory=frozenset)


def lines_of(rows: list[dict]) -> str:
    """Rows as JSON Lines."""
    return "".join(files.dumps(row) + "\n" for row in rows)


def export(name: str, how: Export, request: ExportRequest, path: Path) -> tuple[Exported, bool]:
    """Write the file at `path`; returns what it holds, and whether it is new.

    Raises
    ------
    UserError
        An option is none of this format's; another file is there already; or the study lacks what is asked for.
    """
    for option in ("survey", "source", "whole", "question"):
        if getattr(request, option) and option not in how.takes:
            raise UserError(f"--{option}: bears on no file of format {name}.", "Leave it out.")
    if path.is_dir() or not path.parent.is_dir():
        why = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise UserError(f"--out {path}: {why}.", "Name a file in a folder that is there.")
    made = how.make(request)
    texts = {path: made.text, **{path.with_name(path.name + end): text for end, text in made.beside.items()}}
    new = {one: text.encode("utf-8") for one, text in texts.items()}
    for one, data in list(new.items()):
        if one.exists():
            if one.read_bytes() != data:
                raise UserError(f"--out {one}: there is something else already.", "Name a new file.")
            del new[one]
    for one, data in new.items():
        files.write_bytes(one, data)
    return made, bool(new)
