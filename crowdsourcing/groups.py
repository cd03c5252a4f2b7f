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

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing import packing_of

PREFIX = "group-"
"""How the folder of a group's collection begins, so that no group's name is that of another file."""


def part_of(group: str) -> str:
    """Return the name of a group's collection within its survey; "" for one group without a name."""
    return PREFIX + group if group else ""


def group_names(study: Study, survey: str) -> list[str]:
    """The groups for which units are packed, in order; [] where nothing is packed for a named one."""
    if not packing_of(get_survey(survey)).grouped or not study.units_path(survey).exists():
        return []
    return [name for name in dict.fromkeys(unit.group for unit in study.units(survey)) if name]


def check_group(study: Study, survey: str, group: str) -> str:
    """The group that is meant: the one named, or the only one. A `UserError` where that can't be told."""
    names = group_names(study, survey)
    if not group and len(names) > 1:
        raise UserError(
            f"--group missing: the units of survey {survey} are for several groups of people, each with links of its "
            "own.",
            f"Name one; several may run at once: {', '.join(names)}.",
        )
    if group and group not in names:
        remedy = nearest(group, names) if names else "Leave --group out, or pack for groups (spotbot_pack --groups)."
        raise UserError(f"--group {group}: no unit of survey {survey} is for such a group.", remedy)
    return group or next(iter(names), "")


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
