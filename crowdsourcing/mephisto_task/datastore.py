"""Records of the in-house provider: blocks, approvals and rejections with reasons, bonuses."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

TABLES = """
CREATE TABLE IF NOT EXISTS blocks (worker_id TEXT PRIMARY KEY, reason TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS reviews (
    review_id INTEGER PRIMARY KEY, agent_id TEXT NOT NULL, decision TEXT NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS bonuses (
    bonus_id INTEGER PRIMARY KEY, worker_id TEXT NOT NULL, unit_id TEXT, amount REAL NOT NULL, reason TEXT NOT NULL,
    at REAL NOT NULL);
"""


def pragmas(connection: sqlite3.Connection) -> None:
    """Let readers and one writer share a database under the data root, and wait for each other."""
    connection.execute("PRAGMA busy_timeout = 30000")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


class InHouseDatastore:
    """A small SQLite file beside Mephisto's database; ids are Mephisto's, times are seconds since 1970."""

    def __init__(self, folder: str | Path):
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(Path(folder) / "in_house.db", check_same_thread=False)
        pragmas(self._connection)
        with self._lock, self._connection:
            self._connection.executescript(TABLES)

    def _write(self, query: str, *values: object) -> None:
        with self._lock, self._connection:
            self._connection.execute(query, values)

    def _read(self, query: str, *values: object) -> list[tuple]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def block(self, worker_id: str, reason: str) -> None:
        self._write("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)", worker_id, reason, time.time())

    def unblock(self, worker_id: str) -> None:
        self._write("DELETE FROM blocks WHERE worker_id = ?", worker_id)

    def is_blocked(self, worker_id: str) -> bool:
        return bool(self._read("SELECT 1 FROM blocks WHERE worker_id = ?", worker_id))

    def review(self, agent_id: str, decision: str, reason: str = "") -> None:
        """Write down what was decided about an agent's work, and why."""
        query = "INSERT INTO reviews (agent_id, decision, reason, at) VALUES (?, ?, ?, ?)"
        self._write(query, agent_id, decision, reason, time.time())

    def bonus(self, worker_id: str, unit_id: str | None, amount: float, reason: str) -> None:
        query = "INSERT INTO bonuses (worker_id, unit_id, amount, reason, at) VALUES (?, ?, ?, ?, ?)"
        self._write(query, worker_id, unit_id, amount, reason, time.time())
