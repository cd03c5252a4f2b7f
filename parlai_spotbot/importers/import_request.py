"""The options of `spotbot_import`, with their defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import TypedDict

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.left_out import LeftOut
from parlai_spotbot.options import described
from parlai_spotbot.user_files import read_file


class PairsFile(TypedDict, total=False):
    """A YAML file for --columns: its headings are options."""

    columns: dict[str, str]
    answers: dict[str, str]
    names: dict[str, str]


@dataclass(frozen=True, kw_only=True)
@described
class ImportOptions:
    """Options of an import; a format reads those that its help text names."""

    domain: str | None = None
    leave_out: str = "incomplete"
    names: str | Mapping[str, str] | None = None
    seed_exchanges: int = 0
    segments: Sequence[int] | None = None
    columns: str | Mapping[str, str] | None = None
    roles: str | Mapping[str, str] | None = None
    answers: str | Mapping[str, str] | None = None
    winner_is: str = ""
    decimal: str = ""
    source: str = ""
    encoding: str = ""
    strict: bool = False


@dataclass(frozen=True)
class ImportRequest(ImportOptions):
    """A request to import `data`.

    A format counts in `left_out` the rows that it could not use, by reason: faults of the data, not what options or the
    format's rules leave out. It shows in the exit code.
    """

    data: str
    study: str = ""
    survey: str = "spot_the_bot"
    left_out: LeftOut = field(default_factory=LeftOut)

    def __post_init__(self) -> None:
        self.left_out.strict = self.strict

    @property
    def paths(self) -> list[str]:
        """The files that --data names."""
        if Path(self.data).exists():
            return [self.data]
        return [part for part in self.data.split(",") if part]

    def pairs(self, name: str) -> dict[str, str]:
        """Return the pairs of ``--columns``, ``--roles``, ``--names`` or ``--answers``: ``a=b,c=d``.

        What holds a comma is quoted: ``"a, b"=c``. Theirs may hold "=": ours never does. Of roles theirs is the key,
        since several words mean one of ours.
        """
        option = f"--{name}"
        text = getattr(self, name)
        if isinstance(text, Mapping):
            return dict(text)
        file = text or self.columns
        if isinstance(file, str) and file.endswith((".yaml", ".yml")):
            return read_file(PairsFile, file, "Name a YAML file, or write A=B,….").get(name, {})
        result = {}
        split = str.partition
        if name in ("names", "answers"):
            split = str.rpartition
        for part in re.findall(r'(?:"[^"]*"|[^,])+', text or ""):
            left, equals, right = (side.strip(' "') for side in split(part, "="))
            if not part.strip():
                continue
            if not equals or not left or not right:
                raise UserError(
                    f"{option} {text}: '{part.strip()}' is not of the form A=B.", f'Write {option} a=b,"c, d"=e.'
                )
            if name == "roles":
                left, right = right, left
            if left in result:
                raise UserError(f"{option} {text}: '{left}' is there twice.", "Name each once.")
            result[left] = right
        return result
