"""The released data: where they are, and that they are the ones that the paper's authors released."""

from __future__ import annotations

from pathlib import Path

from parlai_spotbot.projects.fetching import fetched

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
    return fetched(url, folder / "MongoDump.zip", sha256)
