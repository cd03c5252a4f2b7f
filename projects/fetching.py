"""Fetches a published file, and makes sure that it is the one that was published."""

import hashlib
import urllib.error
import urllib.request
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.files import sha256, write_bytes


def fetched(url: str, path: Path, expected: str) -> Path:
    """Fetch one file unless it is there, with the SHA-256 `expected`.

    Raises
    ------
    UserError
        No connection, or other bytes than those that were published; nothing is left then.
    """
    if path.exists() and sha256(path) == expected:
        return path
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            raw = answer.read()
    except (urllib.error.URLError, OSError) as err:
        raise UserError(
            f"{url}: cannot be downloaded: {err}.", "Fetch it by other means and name it with --data."
        ) from None
    checksum = hashlib.sha256(raw).hexdigest()
    if checksum != expected:
        raise UserError(
            f"{url}: checksum {checksum}, expected {expected}: not what was published.",
            "Name a copy that you trust with --data.",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, raw)
    return path
