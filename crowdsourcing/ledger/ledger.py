"""The ledger: who was handed what, who has seen what, and every answer, in one SQLite file that is the authority.

The rules that must never break are constraints of the database itself: one open unit an annotator, one holder a unit,
no more units an annotator than the limit, no block, conversation or seed twice, one submission a hand-out. A write is
one transaction that is on the disk when it returns, or raises `sqlite3.OperationalError` (full disk, locked file) and
leaves nothing behind; a broken rule raises `sqlite3.IntegrityError`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.crowdsourcing.ledger.entries import (
    Annotator,
    Handout,
    OpeningDecision,
    PracticeAttempt,
    Submission,
    T,
    TrainingRound,
    columns,
    entry_of,
    row_of,
)
from parlai_spotbot.crowdsourcing.ledger.tables import SCHEMA, VERSION
from parlai_spotbot.errors import UserError

BACKUPS = "backups"
"""The folder beside a ledger in which its backups lie."""

BACKUP = "[0-9]*T[0-9]*Z.db"
"""What their names look like: by the time of their making, the latest one last."""


def reading(path: Path) -> contextlib.closing[sqlite3.Connection]:
    """Return a connection that can't write, which ``with`` closes."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    return contextlib.closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=10))


def answers_in(path: Path) -> int:
    """Return how many submissions a ledger holds; raises `sqlite3.DatabaseError` for a damaged one."""
    with reading(path) as db:
        problems = damage(db)
        if problems:
            raise sqlite3.DatabaseError(problems)
        try:
            rows = db.execute(f"SELECT {columns(Submission)} FROM submissions")
            return len([entry_of(Submission, row) for row in rows])
        except ValueError as err:
            raise sqlite3.DatabaseError(str(err)) from None


def damage(db: sqlite3.Connection) -> str:
    """Return what SQLite's integrity checks find wrong with the file; "" for a sound one."""
    texts = [text for (text,) in db.execute("PRAGMA integrity_check(3)") if text != "ok"]
    return "; ".join(
        texts + [f"table {row[0]} refers to a missing row" for row in db.execute("PRAGMA foreign_key_check")][:3]
    )


def later_of(clock: Callable[[], float], last: float) -> Callable[[], float]:
    """Return a clock that never shows a time before `last`, or before one that it has shown."""

    def now() -> float:
        nonlocal last
        last = max(last, clock())
        return last

    return now


def _count(db: sqlite3.Connection) -> int:
    return db.execute("SELECT COUNT(*) FROM submissions").fetchone()[0]


class Ledger:
    """The ledger at `path`, made where there is none. One thread at a time; other processes may read meanwhile.

    Raises `UserError` where the file is no ledger, that of another version or survey, not what was written, or without
    answers that its latest backup has.
    """

    schema = SCHEMA

    def __init__(self, path: Path | str):
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            self._make()
        elif not self.path.stat().st_size:
            raise self._damaged("the file is empty")
        self._connect(self.path)
        try:
            lost = damage(self._db) or self._lost()
            if lost:
                raise self._damaged(lost)
            self._open()
        except sqlite3.Error as err:
            self._db.close()
            raise self._damaged(str(err).partition(" with text ")[0]) from None  # answers are not for the terminal
        except UserError:
            self._db.close()
            raise

    def _connect(self, path: Path) -> None:
        self._opened = path, path.stat()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=2.0)

    @property
    def _study(self) -> Path:
        """Return the study's folder."""
        return next((folder for folder in self.path.parents if (folder / "study.yaml").exists()), self.path.parent)

    def _damaged(self, what: str) -> UserError:
        return UserError(
            f"{self.path}: cannot be opened as a ledger: {' '.join(what.split())}.",
            hints.Remedy(
                "Where the disk is full, free some space; where the file is damaged, put the latest backup back: ",
                hints.command("check", self._study, restore=True),
            ),
        )

    def _lost(self) -> str:
        """Return what the latest backup has and this ledger lacks: SQLite does not notice a missing -wal file."""
        latest = max((self.path.parent / BACKUPS).glob(BACKUP), default=None)
        if latest is None:
            return ""
        try:
            with reading(latest) as db:
                kept = _count(db)
            have = _count(self._db)  # after the backup's: meanwhile more may come
            if kept <= have or answers_in(latest) != kept:
                return ""
        except sqlite3.Error:  # then it is no witness
            return ""
        lost = f"it holds the answers to {have} units, its backup {latest.stem} to {kept}"
        return f"{lost}: its file {self.path.name}-wal was lost or damaged, or it is an older copy"

    def _make(self) -> None:
        """Make a new ledger, whole or not at all; `UserError` where backups say that there has been one."""
        if any((self.path.parent / BACKUPS).glob("*.db")):
            raise self._damaged("there is no such file, but there are backups of it")
        with tempfile.TemporaryDirectory(dir=self.path.parent, prefix=f".{self.path.name}.") as folder:
            path = Path(folder) / self.path.name
            path.touch(mode=0o600)  # it holds the annotators' ids
            self._connect(path)
            try:
                with self._writing():
                    for statement in self.schema:
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version = {VERSION}")
            except sqlite3.Error as err:
                raise self._damaged(str(err)) from None
            finally:
                self._db.close()
            os.replace(path, self.path)
            files.sync(self.path.parent)

    def _open(self) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            self._db.execute(f"PRAGMA {pragma}")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise UserError(
                f"{self.path}: a ledger of version {version}, expected {VERSION}.",
                "Finish this collection with the release that began it.",
            )

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Write in a transaction: everything inside is durable in the end, or nothing is."""
        self._check_file()
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _check_file(self) -> None:
        """SQLite goes on writing into a file that was removed, replaced or emptied, where nobody finds it."""
        path, before = self._opened
        now = path.stat() if path.exists() else None
        if now is None or now.st_ino != before.st_ino or (before.st_size and not now.st_size):
            raise sqlite3.OperationalError(f"{path.name} was removed, replaced or emptied: stop, and put a backup back")

    def _rows(self, sql: str, *values: Any) -> list[tuple]:
        return self._db.execute(sql, values).fetchall()

    def _insert(self, table: str, entry: Any) -> None:
        row = row_of(entry)
        marks = ", ".join("?" * len(row))
        self._db.execute(f"INSERT INTO {table} ({columns(type(entry))}) VALUES ({marks})", row)

    def _entries(self, kind: type[T], table: str, where: str = "1", *values: Any) -> list[T]:
        """Return rows of a table in the order in which they were written."""
        rows = self._db.execute(f"SELECT {columns(kind)} FROM {table} WHERE {where} ORDER BY rowid", values)
        try:
            return [entry_of(kind, row) for row in rows]
        except (sqlite3.DatabaseError, ValueError) as err:
            if isinstance(err, sqlite3.OperationalError):
                raise
            raise self._damaged(str(err)) from None

    # -- what the launch has set -------------------------------------------------------------------------------------
    def begin(self, survey: str, limit: int) -> None:
        """Say whose ledger this is and how many units one annotator may ever get; another survey is a `UserError`."""
        settings = dict(self._rows("SELECT name, value FROM settings"))
        if settings.get("survey", survey) != survey:
            raise UserError(
                f"{self.path}: the ledger of survey '{settings['survey']}', not of '{survey}'.",
                "Each survey has a folder of its own.",
            )
        now = {"survey": survey, "units_per_annotator": limit}
        if not now.items() <= settings.items():
            with self._writing():
                self._db.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", now.items())

    def keep(self, name: str, value: str) -> str:
        """Return what the launch has set under this name at first: this value where there was none."""
        with self._writing():
            self._db.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (name, value))
        return self._rows("SELECT value FROM settings WHERE name = ?", name)[0][0]

    # -- annotators --------------------------------------------------------------------------------------------------
    def annotator(self, worker: str) -> Annotator:
        """Return what is known of this annotator; one never seen is "new"."""
        return next(iter(self._entries(Annotator, "annotators", "worker = ?", worker)), Annotator(worker))

    def annotators(self) -> list[Annotator]:
        """Return everybody, in the order in which they came."""
        return self._entries(Annotator, "annotators")

    def _enter(self, worker: str, now: float) -> None:
        self._db.execute("INSERT OR IGNORE INTO annotators (worker, first_seen) VALUES (?, ?)", (worker, now))

    def agree(self, worker: str, consent: str, now: float) -> None:
        """Record that the annotator agreed to the consent text with this digest."""
        with self._writing():
            self._enter(worker, now)
            self._db.execute(
                "UPDATE annotators SET consent = ?, consented_at = ? WHERE worker = ?", (consent, now, worker)
            )

    def attempts(self, worker: str) -> list[PracticeAttempt]:
        """Return the annotator's attempts at the onboarding, the first one first."""
        return self._entries(PracticeAttempt, "onboarding", "worker = ?", worker)

    def sittings(self, where: str = "1", *values: Any) -> list[TrainingRound]:
        """Return rounds of the training for which the SQL condition holds, in order."""
        return self._entries(TrainingRound, "training", where, *values)

    def practise(self, made: PracticeAttempt | TrainingRound, standing: str, why: str = "") -> None:
        """Record an attempt at the onboarding or a round of the training, and the annotator's standing after it.

        Raises `sqlite3.IntegrityError`, and records nothing, where it is not the annotator's next one.
        """
        with self._writing():
            self._enter(made.worker, made.at)
            self._insert("onboarding" if isinstance(made, PracticeAttempt) else "training", made)
            self._stand(made.worker, standing, why)

    def _stand(self, worker: str, standing: str, why: str) -> None:
        self._db.execute(
            "UPDATE annotators SET standing = ?, why = ? WHERE worker = ? AND standing <> ?",
            (standing, why, worker, standing),
        )

    # -- hand-outs ---------------------------------------------------------------------------------------------------
    def hand_out(self, handout: Handout, conversations: Iterable[str], seeds: Iterable[str]) -> None:
        """Record a new hand-out, with the conversations and seeds that the annotator sees in it.

        Raises `sqlite3.IntegrityError`, and records nothing, where that breaks a rule.
        """
        with self._writing():
            self._enter(handout.worker, handout.handed_at)
            self._insert("handouts", handout)
            for table, met in (("seen_conversations", conversations), ("seen_seeds", seeds)):
                rows = [(handout.worker, one, handout.handle) for one in met]
                self._db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)

    def handout(self, handle: str) -> Handout | None:
        """Return the hand-out of this handle, None where there is none."""
        return next(iter(self.handouts("handle = ?", handle)), None)

    def handouts(self, where: str = "1", *values: Any) -> list[Handout]:
        """Hand-outs in the order in which they were made, all or those for which the SQL condition `where` holds."""
        return self._entries(Handout, "handouts", where, *values)

    def end(self, handle: str, status: str, now: float) -> bool:
        """End an open hand-out as "returned", "expired" or "void"; False where it was not open any more."""
        with self._writing():
            cursor = self._db.execute(
                "UPDATE handouts SET status = ?, finished_at = ? WHERE handle = ? AND status = 'open'",
                (status, now, handle),
            )
        return cursor.rowcount == 1

    def told(self, handle: str, agent_id: str) -> None:
        """Note that the crowd knows of a finished unit, as this agent's."""
        with self._writing():
            self._db.execute("UPDATE handouts SET told = 1, agent_id = ? WHERE handle = ?", (agent_id, handle))

    def seen(self) -> Iterator[tuple[str, str, str]]:
        """Return what every annotator has met: (worker, "conversation" or "seed", its id)."""
        for kind in ("conversation", "seed"):
            for worker, one in self._rows(f"SELECT worker, {kind}_id FROM seen_{kind}s"):
                yield worker, kind, one

    # -- answers -----------------------------------------------------------------------------------------------------
    def submit(self, submission: Submission, grades: dict[int, bool], stop: str = "") -> None:
        """Record the answers to an open hand-out, which is done thereby.

        `grades` says of each control, by its place in the unit, whether it was missed; with `stop` (why) the annotator
        gets no further unit.
        """
        with self._writing():
            self._insert("submissions", submission)
            rows = [(submission.handle, item, missed) for item, missed in grades.items()]
            self._db.executemany("INSERT INTO grades (handle, item, missed) VALUES (?, ?, ?)", rows)
            cursor = self._db.execute(
                "UPDATE handouts SET status = 'done', finished_at = ? WHERE handle = ? AND status = 'open' "
                "RETURNING worker",
                (submission.received_at, submission.handle),
            ).fetchall()
            if not cursor:
                raise sqlite3.IntegrityError(f"hand-out {submission.handle} is not open")
            if stop:
                self._stand(cursor[0][0], "stopped", stop)

    def submission(self, handle: str) -> Submission | None:
        """Return what was submitted for this hand-out, None where nothing was."""
        return next(iter(self._entries(Submission, "submissions", "handle = ?", handle)), None)

    def submissions(self) -> list[Submission]:
        """Return all submissions, the earliest first."""
        return self._entries(Submission, "submissions")

    def misses(self, worker: str) -> int:
        """Return how many controls the annotator has missed in all."""
        sql = "SELECT COALESCE(SUM(missed), 0) FROM grades JOIN handouts USING (handle) WHERE worker = ?"
        return self._rows(sql, worker)[0][0]

    def people(self) -> list[dict[str, Any]]:
        """Return a row of each annotator in the order of coming: standing and why, units, minutes a unit, controls.

        `used` are units that count for the limit of one person; `minutes` is None without a unit done.
        """
        sql = """
            SELECT worker, standing, why, SUM(status = 'done') AS done, SUM(status = 'open') AS out,
                SUM(status <> 'void') AS used,
                AVG(CASE WHEN status = 'done' THEN finished_at - handed_at END) / 60 AS minutes,
                (SELECT SUM(missed) FROM grades JOIN handouts AS own USING (handle) WHERE own.worker = one.worker)
                    AS missed
            FROM annotators AS one LEFT JOIN handouts USING (worker) GROUP BY worker ORDER BY first_seen, worker"""
        cursor = self._db.execute(sql)
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        counted = ("done", "out", "used", "missed")
        return [row | {name: row[name] or 0 for name in counted} for row in rows]

    def grades(self) -> list[tuple[str, str, int, int]]:
        """Return every graded control: (worker, handle, its place in the unit, 1 where it was missed)."""
        sql = "SELECT worker, handle, item, missed FROM grades JOIN handouts USING (handle) ORDER BY grades.rowid"
        return self._rows(sql)

    def last_time(self) -> float:
        """Return the latest time of a hand-out; 0 before the first."""
        return self._rows("SELECT MAX(MAX(handed_at, COALESCE(finished_at, 0))) FROM handouts")[0][0] or 0.0

    def counts(self) -> dict[str, float]:
        """Return how many annotators there are and were stopped, how many units came of late, and since when.

        `out_since` is when the earliest unit that is out was handed out; 0 where none is.
        """
        sql = "SELECT COUNT(*), COALESCE(SUM(standing = 'stopped'), 0) FROM annotators"
        late = "SELECT finished_at FROM handouts WHERE status = 'done' ORDER BY finished_at DESC LIMIT 20"
        latest = self._rows(f"SELECT COUNT(*), COALESCE(MIN(finished_at), 0) FROM ({late})")[0]
        out = self._rows("SELECT COALESCE(MIN(handed_at), 0) FROM handouts WHERE status = 'open'")[0]
        names = ("annotators", "stopped", "latest", "since", "out_since")
        return dict(zip(names, (*self._rows(sql)[0], *latest, *out), strict=True))

    # -- dialogues that the annotator opens --------------------------------------------------------------------------
    def open_exchange(self, handle: str, item: int, exchange: int, now: float) -> None:
        """Record that the annotator opens exchange `exchange` of an item (1 is open from the start)."""
        with self._writing():
            self._db.execute("INSERT INTO opened VALUES (?, ?, ?, ?)", (handle, item, exchange, now))

    def opened(self, handle: str) -> dict[int, int]:
        """Return how many exchanges are open, by item; items that are not here have the first one."""
        return dict(self._rows("SELECT item, MAX(exchange) FROM opened WHERE handle = ? GROUP BY item", handle))

    def decide(self, decision: OpeningDecision) -> None:
        """Record a decision, once and for all; a second one on the same target raises `sqlite3.IntegrityError`."""
        with self._writing():
            self._insert("decisions", decision)

    def decisions(self, handle: str) -> list[OpeningDecision]:
        """Return the decisions of a hand-out, in the order in which they were made."""
        return self._entries(OpeningDecision, "decisions", "handle = ?", handle)
