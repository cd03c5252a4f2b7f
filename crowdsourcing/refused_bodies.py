"""What annotators sent and did not get accepted, kept so that a person can look at it later: bounded for each annotator
and in all, over all starts; what comes beyond is counted.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing import tokens
from parlai_spotbot.crowdsourcing.contract import Refusal
from parlai_spotbot.errors import UserError

MOST_KEPT = 200
"""Refused bodies that are kept of one annotator."""

MOST_BYTES = 2 * 1024 * 1024
"""Bytes of them: at least four bodies of the greatest length, in JSON."""

MOST_BYTES_IN_ALL = 64 * 1024 * 1024

BEYOND = "not_kept"
"""The field of a row that says how many bodies of an annotator were not kept; written at 1, 2, 4, 8 … of them."""


class RefusedBodies:
    """`refused.jsonl`: time, status, code, the annotator's pseudonym and the body. One row for identical retries."""

    def __init__(self, path: Path):
        self._journal = files.Journal(path)
        self._rows: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self.beyond: Counter[str] = Counter()
        self._seen: set[bytes] = set()
        with open(path, "rb") as lines:
            for line in lines:
                self._count(line)

    def _count(self, line: bytes) -> None:
        """Count in what an earlier start kept; a line that was edited to something else counts by its bytes."""
        try:
            row = json.loads(line)
            name, beyond = row["annotator"], row.get(BEYOND, 0)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            name, beyond = "", 0
        self._bytes[name] += len(line)
        if beyond:
            self.beyond[name] = max(self.beyond[name], beyond)
        else:
            self._rows[name] += 1

    def keep(self, annotator: str, address: str, reason: Refusal, raw: bytes) -> bool:
        """Whether the body is on the disk now."""
        mark = hashlib.sha256(b"\0".join((annotator.encode(), address.encode(), reason.code.encode(), raw))).digest()
        if mark in self._seen:
            return True
        row = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "request": address,
            "status": reason.status,
            "code": reason.code,
            "annotator": annotator,
            "body": tokens.redact(raw.decode("utf-8", "replace")),
        }
        size = len(files.dumps(row).encode()) + 1
        full = (
            self._rows[annotator] >= MOST_KEPT
            or self._bytes[annotator] + size > MOST_BYTES
            or self._bytes.total() + size > MOST_BYTES_IN_ALL
        )
        if full:
            self._note_beyond(row)
            return False
        if self._append(row):
            self._seen.add(mark)
            self._rows[annotator] += 1
            self._bytes[annotator] += size
            return True
        return False

    def _note_beyond(self, row: dict) -> None:
        name = row["annotator"]
        self.beyond[name] += 1
        count = self.beyond[name]
        if count & (count - 1) == 0:
            self._append({key: row[key] for key in ("time", "annotator")} | {BEYOND: count})

    def _append(self, row: dict) -> bool:
        try:
            self._journal.append(row)
        except UserError:
            return False
        return True

    def close(self) -> None:
        self._journal.close()
