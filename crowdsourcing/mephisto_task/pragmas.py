"""How connections to the databases under a data root behave: many readers, one writer, and waiting for it."""

from __future__ import annotations

import sqlite3

BUSY_MS = 30_000


def pragmas(connection: sqlite3.Connection) -> None:
    """How every connection of ours to a database under the data root behaves."""
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
