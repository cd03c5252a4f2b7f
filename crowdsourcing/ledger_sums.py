"""A checksum of each table of the ledger, kept by the transaction that changes the table.

So a row that was lost, doubled or changed otherwise than through the ledger is noticed when the ledger is opened: a bit
that flipped on the disk, or a statement typed into another program. What keeps the checksums are triggers of the
connection, not of the file.
"""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any

SUMS = "sums"
TABLE = f"CREATE TABLE IF NOT EXISTS {SUMS} (part TEXT PRIMARY KEY NOT NULL, sum INTEGER NOT NULL)"


def row_sum(*values: Any) -> int:
    """The checksum of a row. That of a table is the sum over its rows, whatever their order."""
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


def guard(db: sqlite3.Connection) -> None:
    """From now on what this connection writes is in the checksums; tables that have none yet get one."""
    db.create_function("row_sum", -1, row_sum, deterministic=True)
    tables = _columns(db)
    for table, columns in tables.items():
        new, old = (", ".join(f"{row}.{name}" for name in columns) for row in ("NEW", "OLD"))
        for event, change in (
            ("INSERT", f"+ row_sum({new})"),
            ("UPDATE", f"- row_sum({old}) + row_sum({new})"),
            ("DELETE", f"- row_sum({old})"),
        ):
            db.execute(
                f"CREATE TEMP TRIGGER sum_of_{table}_{event.lower()} AFTER {event} ON main.{table} "
                f"BEGIN UPDATE {SUMS} SET sum = sum {change} WHERE part = '{table}'; END"
            )
    db.execute(TABLE)
    known = {part for (part,) in db.execute(f"SELECT part FROM {SUMS}")}
    if tables.keys() - known:
        db.execute("BEGIN IMMEDIATE")
        for table in tables.keys() - known:
            db.execute(f"INSERT OR IGNORE INTO {SUMS} VALUES (?, ?)", (table, _sum(db, table, tables[table])))
        db.execute("COMMIT")


def damage(db: sqlite3.Connection) -> list[str]:
    """What is wrong with the file, a clause each; nothing where it is what was written. Raises `sqlite3.Error` too."""
    db.execute("BEGIN")
    try:
        found = [text for (text,) in db.execute("PRAGMA integrity_check(3)") if text != "ok"]
        if found:
            return [f"SQLite says: {text}" for text in found]
        columns = _columns(db)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (SUMS,)).fetchone():
            return []  # of a release that kept none
        sums = dict(db.execute(f"SELECT part, sum FROM {SUMS}"))
        return [
            f"the rows of the table '{table}' are not those that were written"
            for table in sorted(columns.keys() | sums.keys())
            if table not in columns or (table in sums and _sum(db, table, columns[table]) != sums[table])
        ]
    finally:
        db.execute("COMMIT")


def _columns(db: sqlite3.Connection) -> dict[str, list[str]]:
    tables = db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    names = [name for (name,) in tables.fetchall() if name != SUMS]
    return {name: [row[1] for row in db.execute(f"PRAGMA main.table_info({name})")] for name in names}


def _sum(db: sqlite3.Connection, table: str, columns: list[str]) -> int:
    return sum(row_sum(*row) for row in db.execute(f"SELECT {', '.join(columns)} FROM main.{table}"))
