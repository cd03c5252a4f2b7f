"""Backups of a collection's ledger, by SQLite's own backup, while the collection runs; and how one is put back.

They lie in the folder ``backups`` beside the ledger, the secret with them. A backup is checked before it counts, and
only then an old one goes: a damaged ledger pushes no good backup out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.intake import LOG
from parlai_spotbot.crowdsourcing.ledger import BACKUP, BACKUPS, answers_in, reading
from parlai_spotbot.crowdsourcing.tokens import read_secret
from parlai_spotbot.errors import UserError

EVERY = 300.0
"""Seconds between two backups while answers come in."""

NEWEST, DAYS = 12, 7
"""Kept are so many of the latest, and the last one of so many days before."""

STAMP = "%Y%m%dT%H%M%S%fZ"
ASIDE = ".set-aside"
"""How the name of a ledger ends that a backup took the place of."""


def backups_of(ledger: Path) -> list[Path]:
    """The backups of a ledger, the oldest first."""
    return sorted((ledger.parent / BACKUPS).glob(BACKUP))


def set_aside(ledger: Path) -> list[Path]:
    """The files in whose place a backup was put."""
    return sorted((ledger.parent / BACKUPS).glob(f"*{ASIDE}*"))


def taken_at(backup: Path) -> datetime:
    return datetime.strptime(backup.stem, STAMP).replace(tzinfo=UTC)


def back_up(paths: CollectionPaths) -> Path:
    """A backup of the ledger as it is now; `sqlite3.Error` or `OSError` where that can't be, and none is made."""
    folder = paths.ledger.parent / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    now = datetime.now(UTC)
    latest = max(map(taken_at, backups_of(paths.ledger)), default=now)
    # The latest one stays so where the machine's clock is set back.
    stamp = max(now, latest + timedelta(microseconds=1))
    target = folder / f"{stamp.strftime(STAMP)}.db"
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
    with contextlib.suppress(UserError):  # a damaged one pushes no good copy out
        read_secret(paths.secret, make=False)
        _copy(paths.secret, folder / "secret")
    files.sync_folder(folder)
    for old in _superfluous(backups_of(paths.ledger)):
        old.unlink()
    return target


def _superfluous(backups: list[Path]) -> list[Path]:
    """Those that go, of backups in order of time."""
    last_of_day = {taken_at(path).date(): path for path in backups[:-NEWEST]}
    return [path for path in backups[:-NEWEST] if path not in list(last_of_day.values())[-DAYS:]]


def _copy(source: Path, target: Path) -> None:
    """Whole or not at all, readable by the owner only."""
    temporary = target.with_name(f".{target.name}.tmp")
    shutil.copyfile(source, temporary)
    temporary.chmod(0o600)
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(temporary, target)


def restore(paths: CollectionPaths, name: str = "") -> tuple[Path, int]:
    """Put a backup in the ledger's place, the newest sound one unless `name` says which; no operator may run.

    Returns the backup and how many submissions it holds. What was in its place is set aside, not deleted, and so are
    later backups. The secret comes back too, where it is missing or damaged.
    """
    known = backups_of(paths.ledger)
    wanted = [path for path in reversed(known) if name in ("", path.name, path.stem)]
    for backup in wanted:
        try:
            answers = answers_in(backup)
        except sqlite3.DatabaseError:
            continue
        stamp = datetime.now(UTC).strftime(STAMP)
        for suffix in ("-wal", "-shm", ""):
            path = paths.ledger.with_name(paths.ledger.name + suffix)
            if path.exists():
                os.replace(path, backup.parent / f"{stamp}{ASIDE}{suffix}")
        for later in known[known.index(backup) + 1 :]:
            os.replace(later, later.with_suffix(ASIDE))
        _copy(backup, paths.ledger)
        files.sync_folder(paths.ledger.parent)
        restore_secret(paths)
        return backup, answers
    folder = paths.ledger.parent / BACKUPS
    raise UserError(
        f"{folder}: no sound backup{f' {name}' if name else ''} of the ledger.",
        f"There are: {', '.join(path.stem for path in known)}." if known else "Put a copy of your own back.",
    )


def restore_secret(paths: CollectionPaths) -> bool:
    """Put the copy among the backups in the place of a secret that is missing or damaged; whether that was done.

    A damaged one is set aside. No operator may run.
    """
    copy = paths.ledger.parent / BACKUPS / "secret"
    with contextlib.suppress(UserError):
        read_secret(paths.secret, make=False)
        return False
    with contextlib.suppress(UserError):
        read_secret(copy, make=False)
        if paths.secret.exists():
            os.replace(paths.secret, copy.with_name(f"{datetime.now(UTC).strftime(STAMP)}-secret{ASIDE}"))
        _copy(copy, paths.secret)
        files.sync_folder(paths.secret.parent)
        return True
    return False


class BackupClock:
    """Makes a backup of the ledger every `every` seconds in which it changed, in a thread of its own."""

    def __init__(self, paths: CollectionPaths, every: float = EVERY, clock: Callable[[], float] = time.time):
        self.paths, self.every, self.clock = paths, every, clock
        self.last_at: float | None = None
        self.trouble = ""
        """Why the latest attempt made none."""
        self._seen: tuple = ()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backups", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread, after a last backup."""
        if self._thread.is_alive():
            self._stop.set()
            self._thread.join()
            self.make()

    def _run(self) -> None:
        self.make()
        while not self._stop.wait(self.every):
            self.make()

    def make(self) -> None:
        """A backup, unless the ledger is as it was; what goes wrong is in the log, and in `trouble`."""
        try:
            now = self._stamps()
            if now == self._seen:
                return
            back_up(self.paths)
            self._seen, self.last_at, self.trouble = now, self.clock(), ""
        except (sqlite3.Error, OSError) as err:
            self.trouble = str(err)
            LOG.error("no backup of the ledger: %s", err)

    def _stamps(self) -> tuple:
        names = (self.paths.ledger, self.paths.ledger.with_name(f"{self.paths.ledger.name}-wal"))
        return tuple((path.stat().st_mtime_ns, path.stat().st_size) for path in names if path.exists())
