"""Contestants that a command line names: those of a pool, and those written ``NAME=WHAT``."""

import re
from collections.abc import Sequence
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.names import is_name, plain
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.contestant_text import contestant_of
from parlai_spotbot.selfplay.plan import DEFAULT_POOL
from parlai_spotbot.selfplay.pool import PoolEntry, check_entry, contestants_of, read_entries
from parlai_spotbot.study import Study

WHERE = "the command line"


def asked_contestants(pool: str | None, named: Sequence[str]) -> dict[str, Contestant] | None:
    """Return the checked contestants of a pool and those written ``NAME=WHAT``; None if neither is given."""
    if pool or named:
        return contestants_of(_entries(pool, named))
    return None


def asked_entries(pool: str | None, study: Study | None, named: Sequence[str]) -> list[PoolEntry]:
    """Return the entries of the requested contestants with their problems; by default the embedded pool's."""
    if pool or named:
        if study is not None:
            raise UserError("--study is given with --pool or --contestant.", "Name one of them.")
        return _entries(pool, named)
    if study is None:
        return _entries(DEFAULT_POOL, ())
    return [check_entry(contestant, str(study.path)) for contestant in study.plan.contestants.values()]


def _entries(pool: str | None, named: Sequence[str]) -> list[PoolEntry]:
    """Return the entries of a pool and those written ``NAME=WHAT``, each with its problems, in their order.

    Raises `UserError` where a name is missing, stands twice, or in the pool too.
    """
    entries = read_entries(pool) if pool else []
    names = {entry.name: f"--pool {pool}" for entry in entries}
    for written in named:
        name, equals, what = written.partition("=")
        if not (equals and what and is_name(name)):
            shown = name if equals else "…"
            raise UserError(
                f"--contestant {shown}: expected NAME=WHAT.", "Write for example --contestant mine=my_bot:respond."
            )
        if name in names:
            raise UserError(f"--contestant {name}: the name is in {names[name]} too.", "Give it another name.")
        names[name] = "another --contestant"
        try:
            entries.append(check_entry(contestant_of(name, what, WHERE, Path.cwd()), WHERE))
        except UserError as err:
            entries.append(PoolEntry(name, problems=(err,)))
    return entries


def name_of(model: str) -> str:
    """A contestant's name from its model: zoo:blender/blender_90M/model becomes blender_90M."""
    parts = [part for part in re.split(r"[/:]", model) if part]
    if len(parts) > 1 and parts[-1] == "model":
        parts.pop()
    return plain(parts[-1]).lstrip("_.+-") or "bot"
