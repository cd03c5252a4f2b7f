"""Groups of people within one survey: each has units, links and a collection of its own, and nobody is in two.

Several groups may be collected at once, by an operator each. Who got a unit in one of them is entered in one database
that all of them share, so that nobody gets a second unit through the link of another group.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing import packing_of

GROUP = "group-"
"""How the name of a group's collection begins, so that it is not that of another file."""


def group_parts(study: Study, survey: str) -> list[str]:
    """Return the collections of the groups for which units are packed, in order; [] without named groups."""
    if not packing_of(get_survey(survey)).grouped or not study.units_path(survey).exists():
        return []
    return [GROUP + name for name in dict.fromkeys(unit.group for unit in study.units(survey)) if name]


@dataclass(frozen=True)
class GroupMembers:
    """Members of `group` and of the other groups, in the database at `path`, which the operators of all groups share.

    Raises `sqlite3.OperationalError` where it can't be read or written.
    """

    path: Path
    group: str

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("CREATE TABLE IF NOT EXISTS members (worker TEXT PRIMARY KEY NOT NULL, grp TEXT NOT NULL)")
            yield db

    def elsewhere(self, worker: str) -> bool:
        """Return whether the annotator got a unit in another group."""
        with self._open() as db:
            member = db.execute("SELECT grp FROM members WHERE worker = ?", (worker,)).fetchone()
        return member is not None and member[0] != self.group

    def claim(self, worker: str) -> bool:
        """Enter the annotator in this group; False where they are in another one."""
        with self._open() as db:
            db.execute("INSERT OR IGNORE INTO members VALUES (?, ?)", (worker, self.group))
            return db.execute("SELECT grp FROM members WHERE worker = ?", (worker,)).fetchone()[0] == self.group
