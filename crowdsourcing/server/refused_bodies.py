"""Refused submissions, kept so that a person can look at them later: bounded for each annotator
and in all, over all starts.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.errors import UserError

NAME = re.compile(rb'"annotator": ?"([^"]*)"')

MOST_KEPT = 200
"""Refused bodies that are kept of one annotator."""

MOST_BYTES = 2 * 1024 * 1024
"""Bytes of them: at least four bodies of the greatest length, in JSON."""

MOST_BYTES_IN_ALL = 64 * 1024 * 1024


class RefusedBodies:
    """`refused.jsonl`: time, status, code, the annotator's pseudonym and the body. One row for identical retries."""

    def __init__(self, path: Path):
        self._journal = files.Journal(path)
        self._rows: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._seen: set[bytes] = set()
        with open(path, "rb") as lines:
            for line in lines:
                name = NAME.search(line)
                self._count(name[1].decode() if name else "", len(line))

    def _count(self, annotator: str, size: int) -> None:
        self._rows[annotator] += 1
        self._bytes[annotator] += size

    def keep(self, annotator: str, address: str, reason: Refusal, raw: bytes) -> bool:
        """Write the body down, unless there are too many; return whether it is on the disk now."""
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
        if (
            self._rows[annotator] >= MOST_KEPT
            or self._bytes[annotator] + size > MOST_BYTES
            or self._bytes.total() + size > MOST_BYTES_IN_ALL
        ):
            return False
        try:
            self._journal.append(row)
        except UserError:
            return False
        self._seen.add(mark)
        self._count(annotator, size)
        return True

    def close(self) -> None:
        self._journal.close()
