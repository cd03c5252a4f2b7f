"""Names of contestants from others' files: valid and unique."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.dataset_rows import Names
from parlai_spotbot.importers.left_out import Unusable
from parlai_spotbot.names import alike, clean_name, is_name
from parlai_spotbot.records import HUMAN

ENDING = re.compile(r"(?<=.)\.(?:jsonl?|ndjson|csv|tsv|txt|md|ya?ml|parquet|gz|zip|bst|convs?)\Z", re.IGNORECASE)
"""How names of files end, once or several times, beside the name of what they hold ("model-0.4.bst.jsonl")."""


def twins(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the names that a reader may take for one, each beside the first of those that are alike."""
    first_of: dict[str, str] = {}
    pairs = []
    for name in sorted(set(names)):
        first = first_of.setdefault(alike(name), name)
        if first != name:
            pairs.append((first, name))
    return pairs


@dataclass
class ContestantNames:
    """`given` are the names of --names, theirs -> ours; `named` those met so far, in the same direction, and `taken` in
    the other one."""

    given: Names = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)
    """Files whose systems are called as they are, by that name."""

    def of(self, theirs: str, where: str, people: bool = False) -> str:
        """Return our name of one of theirs; characters that names can't have become "-".

        Raises
        ------
        Unusable
            It can't be a name (`people`: "human" can), unless ``--names`` gives it.
        UserError
            It is already another's, or can't be one that ``--names`` gives.
        """
        theirs = theirs.strip()
        if theirs in self.named:
            return self.named[theirs]
        name = self.given.get(theirs) or clean_name(theirs)
        called = f"{where}: contestant {theirs!r}, which"
        remedy = f"Give it one: --names '{theirs}'=NAME."
        if name in self.taken and theirs not in self.given:
            raise UserError(f"{called} is called as '{self.taken[name]}' is.", remedy)
        if not is_name(name) or (name == HUMAN and not people):
            problem = f"{called} can't be a contestant's name."
            if theirs in self.given:
                raise UserError(problem, remedy)
            raise Unusable("row with a name that no contestant can have", problem, remedy)
        self.named[theirs] = name
        self.taken.setdefault(name, theirs)
        return name

    def check_file(self, name: str, path: Path) -> None:
        """Raise `UserError` where a system is called as its file is, and so is that of another file."""
        other = self.files.setdefault(name, path)
        if other != path:
            raise UserError(
                f"{other} and {path}: who answered would be called '{name}' in both.",
                "Say who it was: --data NAME=FILE,NAME=FILE.",
            )

    def check_used(self) -> None:
        """Raise `UserError` where --names gives a name to somebody that the file doesn't know."""
        unused = sorted(theirs for theirs, name in self.given.items() if not {theirs, name} & self.named.keys())
        if unused:
            raise UserError(f"--names {unused[0]}: nobody bears that name.", nearest(unused[0], self.named))

    def notes(self) -> list[str]:
        """Return which names became others, the first three, and which may be one, unless --names has both."""
        renamed = [f"{theirs} is {name}" for theirs, name in self.named.items() if theirs != name]
        note_lines = []
        if renamed:
            note_lines.append(f"names as they may be: {', '.join(renamed[:3])}")
        if len(renamed) > 3:
            note_lines[0] += f", and {len(renamed) - 3} more"
        for first, name in twins(self.named.values()):
            one, other = self.taken[first], self.taken[name]
            if not {one, other} <= self.given.keys():
                two = f"if not: --names '{one}'='{first}','{other}'='{name}'"
                note_lines.append(f"{first} and {name} are two; if they are one: --names '{other}'='{first}'; {two}")
        return note_lines


def named_file(part: str) -> tuple[str, Path, bool]:
    """``NAME=FILE`` or ``FILE`` of --data: the name, by default the file's without its endings, and whether it was
    given."""
    name, equals, file = part.partition("=")
    if not equals:
        path = Path(part)
        name = path.name
        while ENDING.search(name):
            name = ENDING.sub("", name)
        return name, path, False
    if not is_name(name):
        raise UserError(f"--data {part}: {name!r} can't be a contestant's name.", "Write NAME=FILE.")
    return name, Path(file), True
