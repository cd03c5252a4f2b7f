"""Backups of a collection's ledger by SQLite's backup API, the secret with them, and how one is put back.

A backup is checked before an older one is removed, so a damaged ledger replaces no good backup.
"""

import contextlib
import os
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import LOG
from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUP, BACKUPS, answers_in, reading
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.errors import UserError

KEPT = 24
STAMP = "%Y%m%dT%H%M%S%fZ"
ASIDE = ".set-aside"
"""Suffix of a file that a backup replaced."""


def backups_of(ledger: Path) -> list[Path]:
    """Return the backups of a ledger, oldest first."""
    return sorted((ledger.parent / BACKUPS).glob(BACKUP))


def back_up(paths: CollectionPaths) -> Path:
    """Back up the ledger and return the new file; raises `sqlite3.Error` or `OSError` and leaves none otherwise."""
    folder = paths.ledger.parent / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"{datetime.now(UTC).strftime(STAMP)}.db"
    unchecked = target.with_suffix(".unchecked")
    try:
        unchecked.touch(mode=0o600)
        with reading(paths.ledger) as source, contextlib.closing(sqlite3.connect(unchecked)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        answers_in(unchecked)
        os.replace(unchecked, target)
    finally:
        unchecked.unlink(missing_ok=True)
    with contextlib.suppress(UserError):  # a damaged secret replaces no good copy
        read_secret(paths.secret)
        _copy(paths.secret, folder / "secret")
    files.sync(folder)
    for old in backups_of(paths.ledger)[:-KEPT]:
        old.unlink()
    return target


def _copy(source: Path, target: Path) -> None:
    files.write_bytes(target, source.read_bytes())
    target.chmod(0o600)


def _set_aside(path: Path, folder: Path) -> None:
    if path.exists():
        os.replace(path, folder / f"{datetime.now(UTC).strftime(STAMP)}-{path.name}{ASIDE}")


def restore(paths: CollectionPaths) -> tuple[Path, int]:
    """Replace the ledger by the newest sound backup; no operator may run.

    Returns the backup and its number of submissions. The replaced files and later backups are kept under other names.
    A missing or damaged secret is restored too.
    """
    backups = backups_of(paths.ledger)
    folder = paths.ledger.parent / BACKUPS
    for backup in reversed(backups):
        try:
            answers = answers_in(backup)
        except sqlite3.DatabaseError:
            continue
        for suffix in ("-wal", "-shm", ""):
            _set_aside(paths.ledger.with_name(paths.ledger.name + suffix), folder)
        for later in backups[backups.index(backup) + 1 :]:
            _set_aside(later, folder)
        _copy(backup, paths.ledger)
        restore_secret(paths)
        return backup, answers
    raise UserError(f"{folder}: no sound backup of the ledger.", "Put a copy of your own back.")


def restore_secret(paths: CollectionPaths) -> bool:
    """Replace a missing or damaged secret by its copy and return whether that was done; no operator may run."""
    copy = paths.ledger.parent / BACKUPS / "secret"
    with contextlib.suppress(UserError):
        read_secret(paths.secret)
        return False
    with contextlib.suppress(UserError):
        read_secret(copy)
        _set_aside(paths.secret, copy.parent)
        _copy(copy, paths.secret)
        return True
    return False


class Backups:
    """Backs up the ledger of a collection whenever it has changed."""

    def __init__(self, paths: CollectionPaths):
        self.paths = paths
        self.trouble = ""
        """Why the latest attempt failed."""
        self._seen: tuple = ()

    def make(self) -> None:
        """Back up a ledger that has changed; an error is logged, kept in `trouble`, and printed once."""
        try:
            names = (self.paths.ledger, self.paths.ledger.with_name(f"{self.paths.ledger.name}-wal"))
            now = tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in names if path.exists())
            if now != self._seen:
                back_up(self.paths)
                self._seen = now
                self.trouble = ""
        except (sqlite3.Error, OSError) as err:
            LOG.error("no backup of the ledger: %s", err)
            if not self.trouble:
                print(f"warning: no backup of the ledger: {err}", file=sys.stderr)
            self.trouble = str(err)
