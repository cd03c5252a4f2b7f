"""The released data: where they are, and that they are the ones that the paper's authors released."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from pathlib import Path

from parlai_spotbot.errors import UserError

REPOSITORY = "https://github.com/jderiu/spot-the-bot-code"
URL = (
    "https://raw.githubusercontent.com/jderiu/spot-the-bot-code/"
    "07bbfcb85baa91c5f5f13cdea9fd2488afb45e16/data_dump/MongoDump.zip"
)
SHA256 = "d591b918206d83b09a4a1c1064df6caac0f7cca2c31f786b51d7532076639a84"


def download(folder: Path, url: str = URL, sha256: str = SHA256) -> Path:
    """Fetch the data into `folder` unless they are there. They carry no licence: use them, don't pass them on.

    Raises
    ------
    UserError
        No connection, or other bytes than the released ones; nothing is left then.
    """
    path = Path(folder) / "MongoDump.zip"
    if path.exists() and checksum(path) == sha256:
        return path
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            raw = answer.read()
    except (urllib.error.URLError, OSError) as err:
        raise UserError(
            f"{url}: cannot be downloaded: {err}.",
            f"Download data_dump/MongoDump.zip from {REPOSITORY} and name it with --data.",
        ) from None
    found = hashlib.sha256(raw).hexdigest()
    if found != sha256:
        raise UserError(
            f"{url}: sha256 is {found}, expected {sha256}: not the data that the paper's tables are made from.",
            "Name a copy that you trust with --data.",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(raw)
    part.replace(path)
    return path


def checksum(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
